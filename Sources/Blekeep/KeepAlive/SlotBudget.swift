import RunLoop

/// How many links a radio can hold at a time: what the configuration says, or less where the radio has shown that it
/// holds fewer. Radios do not say; they refuse one more link, or drop another one for it.
struct SlotBudget: Sendable {
    private let configured: Int
    /// After its time it is a suspicion: one more link is tried, and one refusal is proof enough.
    private var learned: (limit: Int, until: Uptime)?
    /// How often in a row one more link could not be made while so many were up.
    private var refusals: [Int: Int] = [:]
    /// How often in a row a link ended just after another one was made, by how many were left.
    private var crowdings: [Int: Int] = [:]

    /// What was learned from refusals is forgotten after this time: another program may have held the links, or one
    /// device may have refused them all. To ask again costs little.
    static let memory: Duration = .seconds(180)
    /// What was learned from a link that another one cost: to ask again may cost a link again.
    static let longMemory: Duration = .seconds(3600)
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

    /// Whether it makes no sense to try for one more link. What the configuration says holds as long as one of the links
    /// is ours, as what is known of other programs' links may be old; what the radio has shown holds in any case.
    func isFull(with links: Int, ours: Int, at now: Uptime) -> Bool {
        if let learned, now < learned.until, links >= learned.limit { return true }
        return ours > 0 && links >= configured
    }

    /// So many links are up: no fewer can be the most.
    mutating func holds(_ links: Int) {
        if let learned, learned.limit < links { self.learned = (links, learned.until) }
    }

    /// A link was made while `used` others were up.
    mutating func succeeded(with used: Int) {
        refusals[used] = nil
        if let learned, used >= learned.limit { self.learned = nil }
    }

    /// A device that is there could not be connected while `used` links were up. Says whether something new was learned.
    mutating func refused(with used: Int, at now: Uptime) -> Bool {
        guard used >= Self.fewest else { return false }
        if let learned, used >= learned.limit {
            return learn(used, until: max(learned.until, now + Self.memory), now)
        }
        refusals[used, default: 0] += 1
        guard refusals[used, default: 0] >= Self.proof else { return false }
        return learn(used, until: now + Self.memory, now)
    }

    /// The radio said itself that it is full with `used` links.
    mutating func full(with used: Int, at now: Uptime) -> Bool {
        learn(max(Self.fewest, used), until: now + Self.memory, now)
    }

    /// A link ended just after another one was made, so that `used` were left.
    mutating func crowded(with used: Int, at now: Uptime) -> Bool {
        guard used >= Self.fewest else { return false }
        crowdings[used, default: 0] += 1
        guard crowdings[used, default: 0] >= Self.proof else { return false }
        return learn(used, until: now + Self.longMemory, now)
    }

    /// A link was made so that there were `links`, and none ended for it.
    mutating func fitted(_ links: Int) {
        crowdings = crowdings.filter { $0.key >= links }
    }

    private mutating func learn(_ limit: Int, until: Uptime, _ now: Uptime) -> Bool {
        refusals = [:]
        crowdings = [:]
        let isNew = limit < self.limit(at: now)
        learned = (limit, until)
        return isNew
    }
}
