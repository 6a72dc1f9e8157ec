import RunLoop

/// The number of connections that an adapter can hold: as configured, or fewer if the adapter proved it.
///
/// Adapters don't report their limit. They refuse a new connection, or drop another one for it.
struct SlotBudget: Sendable {
    var configured: Int
    /// The learned limit, and when it expires. After that, one refusal restores it.
    private var learned: (limit: Int, until: Uptime)?
    /// The number of consecutive refusals, by the number of connections then.
    private var refusals: [Int: Int] = [:]
    /// The number of consecutive connections that ended just after a new one, by the number of connections left.
    private var crowdings: [Int: Int] = [:]

    /// How long a limit from refusals holds. Another program or a single device may have caused them, and a new attempt
    /// costs little.
    static let memory: Duration = .seconds(180)
    /// How long a limit from dropped connections holds. A new attempt may cost a connection.
    static let longMemory: Duration = .seconds(3600)
    /// The number of consecutive refusals that prove a limit.
    static let proof = 3
    /// The smallest limit to learn.
    static let fewest = 2

    init(_ configured: Int) {
        self.configured = max(1, configured)
    }

    func limit(at now: Uptime) -> Int {
        guard let learned, now < learned.until else { return configured }
        return min(configured, learned.limit)
    }

    /// Whether no slot is free. The configured limit applies only while blekeep has a connection, because the count of
    /// other programs' connections may be old. A learned limit always applies.
    func isFull(with links: Int, own: Int, at now: Uptime) -> Bool {
        if let learned, now < learned.until, links >= learned.limit { return true }
        return own > 0 && links >= configured
    }

    /// Takes the number of open connections, which the limit can't be below.
    mutating func holds(_ links: Int) {
        if let learned, learned.limit < links { self.learned = (links, learned.until) }
    }

    /// Takes a connection that was made while `used` others were open.
    mutating func succeeded(with used: Int) {
        refusals[used] = nil
        if let learned, used >= learned.limit { self.learned = nil }
    }

    /// Takes a refused attempt to a nearby device while `used` connections were open. Returns whether the limit changed.
    mutating func refused(with used: Int, at now: Uptime) -> Bool {
        guard used >= Self.fewest else { return false }
        if let learned, used >= learned.limit {
            return learn(used, until: max(learned.until, now + Self.memory), at: now)
        }
        refusals[used, default: 0] += 1
        guard refusals[used, default: 0] >= Self.proof else { return false }
        return learn(used, until: now + Self.memory, at: now)
    }

    /// Takes BlueZ's report that the adapter is full with `used` connections.
    mutating func full(with used: Int, at now: Uptime) -> Bool {
        learn(max(Self.fewest, used), until: now + Self.memory, at: now)
    }

    /// Takes a connection that ended just after a new one, with `used` left.
    mutating func crowded(with used: Int, at now: Uptime) -> Bool {
        guard used >= Self.fewest else { return false }
        crowdings[used, default: 0] += 1
        guard crowdings[used, default: 0] >= Self.proof else { return false }
        return learn(used, until: now + Self.longMemory, at: now)
    }

    /// Takes a new connection that no other one ended for, with `links` open.
    mutating func fitted(_ links: Int) {
        crowdings = crowdings.filter { $0.key >= links }
    }

    private mutating func learn(_ limit: Int, until: Uptime, at now: Uptime) -> Bool {
        refusals = [:]
        crowdings = [:]
        let isNew = limit < self.limit(at: now)
        learned = (limit, until)
        return isNew
    }
}

/// The devices of an adapter with a dedicated slot. At most two of the other devices share each remaining slot.
enum SlotOwners: Sendable, Hashable {
    case all
    case only(Set<DeviceNumber>)

    init(of devices: [LinkWorth], slots: Int) {
        let count = Self.count(of: devices.count, slots: slots)
        guard count < devices.count else {
            self = .all
            return
        }
        self = .only(count == 0 ? [] : Set(devices.sorted().prefix(count).map(\.number)))
    }

    /// Returns the number of devices with a dedicated slot.
    static func count(of devices: Int, slots: Int) -> Int {
        devices <= slots ? devices : max(0, 2 * slots - devices)
    }

    func contains(_ number: DeviceNumber) -> Bool {
        switch self {
        case .all: true
        case .only(let numbers): numbers.contains(number)
        }
    }
}
