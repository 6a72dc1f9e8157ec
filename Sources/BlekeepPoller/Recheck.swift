import DBus
import RunLoop

/// Decides when to query BlueZ again about states that prevent ticks, because a signal may be lost, or wrong. Pure.
///
/// Such a state is believed for at most 10 s after the signal that reported it, and is checked when a tick begins.
struct Recheck: Sendable, Hashable {
    /// A state that prevents ticks, and that BlueZ or the bus daemon reported.
    enum Doubt: Sendable, Hashable {
        /// bluetoothd stopped.
        case bluez
        /// The adapter is off, or gone.
        case adapter(ObjectPath)
        /// BlueZ forgot or blocked the device, or hasn't resolved its services.
        case device(DeviceIndex)
    }

    /// The states in doubt, and when to query each; `.never` when that was done.
    private var doubts: [Doubt: Uptime] = [:]
    private var queriedAt: Uptime?
    /// When to query next.
    private(set) var next = Uptime.never

    /// The time from a signal to the query, which may itself take a second.
    static let trust: Duration = .seconds(9)
    static let afterReads: Duration = .milliseconds(500)
    /// The shortest time between two queries.
    static let pause: Duration = .seconds(2)

    /// Takes a state that a signal reported.
    mutating func doubt(_ state: Doubt, at now: Uptime) {
        guard doubts[state] == nil else { return }
        doubts[state] = now + Self.trust
        next = min(next, now + Self.trust)
    }

    /// Takes the end of a state.
    mutating func end(_ state: Doubt) {
        guard let time = doubts.removeValue(forKey: state), time == next else { return }
        next = doubts.values.min() ?? .never
    }

    /// Queries soon, because a tick needs the truth. The tick's reads come first: a bus that takes few calls at once would
    /// refuse them beside the query.
    mutating func hurry(at now: Uptime) {
        let soon = now + Self.afterReads
        next = min(next, max(soon, queriedAt.map { $0 + Self.pause } ?? soon))
    }

    /// Returns whether to query now. A query answers all doubts.
    mutating func isDue(at now: Uptime) -> Bool {
        guard now >= next else { return false }
        doubts = doubts.mapValues { _ in .never }
        queriedAt = now
        next = .never
        return true
    }
}

extension KeeperState {
    /// Takes what BlueZ reported about adapters.
    mutating func doubt(_ known: [AdapterState], _ now: Uptime) {
        for state in known where state.facts.isPowered { recheck.doubt(.adapter(state.facts.path), at: now) }
        for state in adapters where state.facts.isPowered { recheck.end(.adapter(state.facts.path)) }
    }
}
