import Foundation
import Fuzzing

/// `blekeep-fuzz [--inputs N] [--seed S] [SUBJECT…]`: hostile input by chance, the same for the same seed.
/// `blekeep-fuzz --guided ARGUMENT…`: what libFuzzer chooses, with its arguments.
/// `blekeep-fuzz --input FILE`: what libFuzzer has found, in any build.
@main
enum Fuzz {
    static func main() async throws {
        var arguments = CommandLine.arguments.dropFirst()
        if arguments.first == "--guided" { exit(Guided.run()) }
        if arguments.first == "--input", let file = arguments.last {
            return Guided.feed(try Data(contentsOf: URL(fileURLWithPath: file)))
        }
        var inputs = 100_000
        var seed: UInt64 = 1
        var wanted: [String] = []
        while let word = arguments.popFirst() {
            switch word {
            case "--inputs": inputs = arguments.popFirst().flatMap { Int($0) } ?? inputs
            case "--seed": seed = arguments.popFirst().flatMap { UInt64($0) } ?? seed
            default: wanted.append(word)
            }
        }
        var isGood = true
        for subject in Subject.all where wanted.isEmpty || wanted.contains(where: { subject.name.hasPrefix($0) }) {
            let start = Date()
            let result = Meter.run(subject, inputs: inputs, seed: seed)
            let time = String(format: "%.1f", Date().timeIntervalSince(start))
            let slowest = String(format: "%.3f", result.slowest * 1000)
            print(
                "\(subject.name): \(result.inputs) inputs in \(time) s, slowest \(slowest) ms, +\(result.growth / 1024) KiB"
            )
            fflush(nil)
            for problem in result.problems { print("  \(problem)") }
            isGood = isGood && result.problems.isEmpty
        }
        for flood in Flood.all where wanted.isEmpty || wanted.contains(flood.name) {
            let outcome = try await flood.run(min(inputs, 100_000))
            print("\(flood.name): \(outcome.text)")
            isGood = isGood && outcome.isGood && outcome.growth <= Flood.most
        }
        exit(isGood ? 0 : 1)
    }
}
