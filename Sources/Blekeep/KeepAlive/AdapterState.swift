import DBus
import RunLoop

/// One radio as the keeper sees it: one Connect at a time, never together with discovery, and so many links.
struct AdapterState: Sendable {
    var facts: AdapterFacts
    /// How many of the configured devices are connected through it, now and then.
    var devices = 0
    /// The device whose Connect is under way.
    var connecting: DeviceID?
    var slots: SlotBudget
    /// When a link was last made, and how many there were with it.
    var lastLink: (moment: Uptime, links: Int)?
    var discovery = Discovery.off
    /// After a refusal discovery is not asked for again before this moment.
    var noDiscoveryBefore = Uptime.start

    enum Discovery: Sendable, Hashable {
        case off
        case starting
        case on(since: Uptime, lastFind: Uptime)
        case stopping
    }

    init(facts: AdapterFacts, maxLinks: Int) {
        self.facts = facts
        slots = SlotBudget(maxLinks)
    }

    /// How many links there may be besides other programs'.
    func freeSlots(at now: Uptime) -> Int { slots.limit(at: now) - facts.foreignLinks }

    /// Devices that come to light within this time of each other are waited for together.
    static let quiet: Duration = .milliseconds(1500)
    /// Discovery goes on for so long at least, unless everybody is found.
    static let shortest: Duration = .milliseconds(2500)
    /// A device that was not heard for so long is not there.
    static let longest = CallTiming.search
}

extension AdapterState.Discovery {
    /// Whether it has found what it is going to find for now.
    ///
    /// - Parameter longest: how long a device is waited for that does not show.
    func hasSearchedEnough(found: Bool, missing: Bool, longest: Duration, at now: Uptime) -> Bool {
        guard case .on(let since, let lastFind) = self else { return false }
        if !missing { return true }
        if now - since >= longest { return true }
        return found && now - since >= AdapterState.shortest && now - lastFind >= AdapterState.quiet
    }

    /// When that may change without anything happening.
    func decisions(longest: Duration) -> [Uptime] {
        guard case .on(let since, let lastFind) = self else { return [] }
        return [since + longest, since + AdapterState.shortest, lastFind + AdapterState.quiet]
    }
}

/// The adapters that are there, in the order of their paths. They are few: looked through rather than hashed. What is
/// asked at every step is asked at its place, as to take one by its path copies all of it.
extension [AdapterState] {
    func place(of path: ObjectPath) -> Int? { indices.first { self[$0].facts.path == path } }

    var paths: [ObjectPath] { map(\.facts.path) }

    subscript(path: ObjectPath) -> AdapterState? {
        get { place(of: path).map { self[$0] } }
        set {
            switch (place(of: path), newValue) {
            case (let place?, let state?): self[place] = state
            case (let place?, nil): remove(at: place)
            case (nil, let state?): insert(state, at: firstIndex { path < $0.facts.path } ?? endIndex)
            case (nil, nil): break
            }
        }
    }
}
