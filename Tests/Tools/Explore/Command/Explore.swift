import Exploring
import Foundation

/// `blekeep-explore [--limit STATES] [MACHINE…]`: the states of the small machines, and the shortest list of events to a broken
/// guarantee. Exit status: 0, or 1 for a finding, or when nothing was explored.
@main
enum Explore {
    static func main() {
        var limit = Int.max
        var wanted: [String] = []
        var arguments = CommandLine.arguments.dropFirst()
        while let word = arguments.popFirst() {
            if word == "--limit" {
                limit = arguments.popFirst().flatMap { Int($0) } ?? limit
            } else {
                wanted.append(word)
            }
        }
        let chosen = explorations.filter { wanted.isEmpty || wanted.contains($0.name) }
        if chosen.isEmpty { print("no such machine; a debug build has \(explorations.map(\.name))") }
        var isGood = !chosen.isEmpty
        for (name, explore) in chosen {
            let start = Date()
            let exploration = explore(limit)
            let seconds = String(format: "%.1f", Date().timeIntervalSince(start))
            print(
                "\(name): \(exploration.states) states\(exploration.isWhole ? ", all" : ""), depth \(exploration.depth), \(seconds) s"
            )
            fflush(nil)
            guard let finding = exploration.finding else { continue }
            isGood = false
            print("  \(finding.problem), after:")
            for event in finding.events { print("    \(event)") }
        }
        exit(isGood ? 0 : 1)
    }
}
