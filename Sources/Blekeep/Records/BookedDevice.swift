import RunLoop

/// What the ledger is to hold of one device, and what it holds.
struct BookedDevice: Sendable {
    /// Whether blekeep ever connects it.
    private let connects: Bool
    private(set) var snapshot = DeviceSnapshot()
    private var rssi: Int?
    var thinned = ThinnedValues()
    var edition = Edition()
    /// The store may take a connection to it for blekeep's until then, though there is none.
    private var claimedUntil = Uptime.start
    /// What the store holds.
    private(set) var kept: StoredDeviceStatus?
    /// What the commit in progress holds.
    var offered: (standing: StoredDeviceStatus, edition: Int)?

    /// A connection that has ended is blekeep's no more in the store by then: what another program makes next mustn't be
    /// taken for it.
    static let longestClaim: Duration = .seconds(10)

    init(connects: Bool) { self.connects = connects }

    mutating func take(_ snapshot: DeviceSnapshot, rssi: Int?, at now: Uptime) {
        if snapshot.link == .none, self.snapshot.link != .none { claimedUntil = now + Self.longestClaim }
        self.snapshot = snapshot
        self.rssi = rssi
        edition.change()
    }

    // MARK: Claims

    /// Whether the store would take a connection to it for blekeep's.
    var isClaimed: Bool { kept?.link == .making || kept?.link == .held }

    /// When the store must hold that no connection to it is blekeep's.
    var due: Uptime {
        guard isClaimed else { return .never }
        return snapshot.link == .foreign ? .start : snapshot.link == .none ? claimedUntil : .never
    }

    /// Claims a connection that will be made in the next seconds, if one will.
    mutating func claim(at now: Uptime) {
        guard isSoonConnected(at: now) else { return }
        claimedUntil = now + Self.longestClaim
        edition.change()
    }

    private func isSoonConnected(at now: Uptime) -> Bool {
        connects && snapshot.link == .none && snapshot.notBefore <= now
            && (snapshot.hasTick || snapshot.nextTick <= now + Self.longestClaim / 2)
    }

    // MARK: Out

    /// What the store is to hold now.
    ///
    /// - Parameters:
    ///   - standing: what became of its attempts.
    ///   - isOver: whether the keeper has ended.
    ///   - time: milliseconds since 1970.
    func standing(
        _ standing: StoredDeviceStatus, isOver: Bool, keepsLinks: Bool, time: Int64, at now: Uptime
    ) -> StoredDeviceStatus {
        var standing = standing
        standing.interval = snapshot.interval
        standing.intervalReason = snapshot.intervalReason
        standing.thinned = thinned
        if !isOver || keepsLinks && snapshot.link == .held { standing.link = snapshot.link }
        guard !isOver else { return standing }
        if now < claimedUntil, isSoonConnected(at: now) { standing.link = .making }
        standing.rssi = rssi
        let isLeftAlone = standing.failures > 0 && snapshot.notBefore > now
        let next = isLeftAlone ? snapshot.notBefore : snapshot.nextTick
        standing.next = next == .never ? nil : time + (next - now).wholeMilliseconds
        return standing
    }

    /// Whether a user would call it news.
    ///
    /// - Parameter endsClaims: whether a claim must be ended: what is due takes with it what would be soon.
    func isNews(_ standing: StoredDeviceStatus, endsClaims: Bool) -> Bool {
        guard let kept, standing.isLike(kept) else { return true }
        return endsClaims && standing.link != kept.link
    }

    /// The store holds what was offered.
    mutating func taken() {
        guard let offered else { return }
        kept = offered.standing
        edition.keep(offered.edition)
        self.offered = nil
    }
}

extension StoredDeviceStatus {
    /// Whether a user would say that nothing has changed.
    fileprivate func isLike(_ other: StoredDeviceStatus) -> Bool {
        state == other.state && failure == other.failure && link.isLike(other.link) && interval == other.interval
            && entries == other.entries && failures == other.failures
    }
}

extension StoredDeviceStatus.Link {
    /// Whether the store may go on holding the other one: the next run takes the same connections for blekeep's, or more
    /// of them until the claim ends.
    fileprivate func isLike(_ other: StoredDeviceStatus.Link) -> Bool {
        self == other || self != .foreign && (other == .making || other == .held)
    }
}
