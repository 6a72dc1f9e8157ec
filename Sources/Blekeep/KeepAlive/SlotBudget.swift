import RunLoop

/// How many links a radio can hold at a time: what the configuration says, or less where the radio has shown that it
/// holds fewer. Radios do not say; they refuse one more link, or drop another one for it.
struct SlotBudget: Sendable {
    private let configured: Int
    private var learned: (limit: Int, until: Uptime)?
    /// How often in a row one more link could not be made while so many were up.
    private var refusals: [Int: Int] = [:]

    /// What was learned is forgotten after this time: another program may have held the links.
    static let memory: Duration = .seconds(3600)
    /// So many refusals in a row, of devices that are there, are no chance.
    static let proof = 3
    /// With fewer links than this no refusal is the radio's.
    static let fewest = 2

    init(_ configured: Int) {
        self.configured = max(1, configured)
    }

    func limit(at now: Uptime) -> Int {
        guard let learned, now < learned.until else { return configured }
        return min(configured, learned.limit)
    }

    /// A link was made while `used` others were up.
    mutating func succeeded(with used: Int) {
        refusals[used] = nil
        if let learned, used >= learned.limit { self.learned = nil }
    }

    /// A device that is there could not be connected while `used` links were up. Says whether that was learned from.
    mutating func refused(with used: Int, at now: Uptime) -> Bool {
        guard used >= Self.fewest, used < configured else { return false }
        refusals[used, default: 0] += 1
        guard refusals[used, default: 0] >= Self.proof else { return false }
        return learn(used, now)
    }

    /// The radio said itself that it is full with `used` links, or gave up one of them for a new one.
    mutating func full(with used: Int, at now: Uptime) -> Bool { learn(max(1, used), now) }

    private mutating func learn(_ limit: Int, _ now: Uptime) -> Bool {
        refusals = [:]
        let isNew = limit < self.limit(at: now)
        learned = (limit, now + Self.memory)
        return isNew
    }
}
