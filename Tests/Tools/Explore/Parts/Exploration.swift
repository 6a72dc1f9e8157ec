/// A machine with the part of its surroundings that matters to it: every event that can come is one of `events`.
package protocol Explored {
    associatedtype Event

    /// The states to begin with.
    static var starts: [Self] { get }
    static var projection: Projection { get }
    /// The machine's own values; what is left out here is left out in comparisons.
    var state: [Any] { get }
    var events: [Event] { get }

    /// - Returns: which guarantee the event breaks, if any.
    mutating func take(_ event: Event) -> String?
}

/// The states of a machine, all or the first ones, breadth first, so that the list of events to a finding is a shortest one.
///
/// The swarm finds what it happens to live through. A small machine can be shown whole.
package struct Exploration: Sendable {
    package private(set) var states = 0
    /// The longest shortest list of events to a state.
    package private(set) var depth = 0
    /// Whether nothing new came before the limit.
    package private(set) var isWhole = false
    /// The events to the first broken guarantee, and which one that is.
    package private(set) var finding: (events: [String], problem: String)?

    package init<Machine: Explored>(of machine: Machine.Type, limit: Int = .max) {
        let projection = machine.projection
        var seen: Set<String> = []
        // What led to each state: the state before it, and the event.
        var origins: [(state: Int, event: String)] = []
        var frontier: [(number: Int, machine: Machine)] = []

        func add(_ machine: Machine, from state: Int, by event: @autoclosure () -> String) {
            guard seen.insert(projection.text(of: machine.state)).inserted else { return }
            frontier.append((origins.count, machine))
            origins.append((state, event()))
        }
        func path(to state: Int) -> [String] {
            var (path, state) = ([String](), state)
            while state >= 0 {
                path.append(origins[state].event)
                state = origins[state].state
            }
            return path.reversed()
        }

        for start in machine.starts { add(start, from: -1, by: "a start") }
        while !frontier.isEmpty, origins.count < limit {
            let current = frontier
            frontier = []
            for (number, machine) in current {
                for event in machine.events {
                    var next = machine
                    if let problem = next.take(event) {
                        finding = (path(to: number) + ["\(event)"], problem)
                        states = origins.count
                        return
                    }
                    add(next, from: number, by: "\(event)")
                }
            }
            depth += 1
        }
        states = origins.count
        isWhole = frontier.isEmpty
    }
}
