import RunLoop

/// Keys that one side has lost: the link comes up, encryption fails, and the peripheral ends it, over and over.
struct BondState: Sendable, Hashable {
    private var linkedAt: Uptime?
    /// Links of the paired device, in a row, that ended at once.
    private(set) var losses = 0

    mutating func linkMade(at now: Uptime) { linkedAt = now }

    /// We ended the link: it was good as long as it was wanted.
    mutating func linkEnded() { losses = 0 }

    /// The link ended by itself.
    mutating func linkLost(isPaired: Bool, at now: Uptime) {
        losses = isPaired && isYoung(at: now) ? losses + 1 : 0
    }

    func isYoung(at now: Uptime) -> Bool { linkedAt.map { now - $0 < Timing.bondProof } ?? false }

    var isLost: Bool { losses >= Timing.lossesUntilParked }
}

extension KeeperState {
    /// Whether a link that has just ended tells that the keys no longer fit; then the device is parked.
    mutating func bondIsLost(_ id: DeviceID, _ end: LinkEnd, _ now: Uptime) -> Bool {
        let isPaired = devices[id].facts?.isPaired == true
        bonds[id, default: BondState()].linkLost(isPaired: isPaired, at: now)
        guard isPaired, bonds[id]?.isLost == true || end == .authentication,
            let failure = ReadingFailure.remedy(.rebond, for: devices[id].plan.address)
        else { return false }
        abandonLink(id)
        park(id, in: .link, failure, .rebond, now)
        return true
    }

    /// Whether values came over a link that may end in a moment for want of keys: they prove nothing yet.
    func isBondInDoubt(_ id: DeviceID, _ now: Uptime) -> Bool {
        bonds[id].map { $0.isLost && $0.isYoung(at: now) } ?? false
    }
}
