import RunLoop

/// The status of a device for the ledger, and the status that the ledger holds.
struct BookedDevice: Sendable {
    /// Whether blekeep connects the device at all.
    var connects: Bool
    /// Whether the device has left the configuration.
    private(set) var hasLeft = false
    /// Whether another sensor has its ID now, and with that its row in the ledger.
    var isReplaced = false
    private(set) var snapshot = DeviceSnapshot()
    private var rssi: Int?
    var thinned = ThinnedValues()
    var edition = Edition()
    /// Until this time, the store may show blekeep's connection before it begins or after it ended.
    private var claimedUntil = Uptime.start
    /// The status in the store.
    private(set) var kept: DeviceStatus?
    /// The status in the commit in progress.
    var offered: (status: DeviceStatus, edition: Int)?

    /// The longest time that the store claims a connection that ended. Otherwise, blekeep could take another program's
    /// next connection for its own.
    static let longestClaim: Duration = .seconds(10)

    init(connects: Bool) { self.connects = connects }

    /// Takes the device's absence from the configuration. The next commit takes its last status.
    mutating func leave() {
        hasLeft = true
        renew()
    }

    /// Makes the next commit take the status, even if it is in the store.
    mutating func renew() {
        kept = nil
        edition.change()
    }

    mutating func take(_ snapshot: DeviceSnapshot, rssi: Int?, at now: Uptime) {
        if snapshot.link.isIdle, !self.snapshot.link.isIdle { claimedUntil = now + Self.longestClaim }
        self.snapshot = snapshot
        self.rssi = rssi
        edition.change()
    }

    // MARK: Claims

    /// Whether the store claims a connection to the device for blekeep.
    var isClaimed: Bool { kept?.link.isOurs == true }

    /// When the claim in the store must end.
    var due: Uptime {
        guard isClaimed else { return .never }
        return snapshot.link == .foreign ? .start : snapshot.link.isIdle ? claimedUntil : .never
    }

    /// Claims a connection that blekeep is likely to make in the next seconds.
    mutating func claim(at now: Uptime) {
        guard isSoonConnected(at: now) else { return }
        claimedUntil = now + Self.longestClaim
        edition.change()
    }

    /// Whether the store must claim a connection that doesn't exist yet.
    func isClaiming(at now: Uptime) -> Bool { !hasLeft && now < claimedUntil && isSoonConnected(at: now) }

    private func isSoonConnected(at now: Uptime) -> Bool {
        connects && snapshot.link.isIdle && snapshot.notBefore <= now
            && (snapshot.hasTick || snapshot.nextTick <= now + Self.longestClaim / 2)
    }

    // MARK: Out

    /// Returns the present status.
    ///
    /// - Parameters:
    ///   - status: the status from its attempts.
    ///   - isOver: whether `poll` ends.
    ///   - time: milliseconds since 1970.
    func status(
        _ status: DeviceStatus, isOver: Bool, keepsLinks: Bool, time: Int64, at now: Uptime
    ) -> DeviceStatus {
        var status = status
        status.interval = snapshot.interval
        status.intervalReason = snapshot.intervalReason
        status.thinned = thinned
        status.pause = snapshot.pausedUntil.map { end in
            end == .never ? .untilResumed : .until(time + (end - now).wholeMilliseconds)
        }
        if !isOver || keepsLinks && snapshot.link.isOurs && snapshot.link.isConnected { status.link = snapshot.link }
        guard !isOver, !hasLeft else { return status }
        status.rssi = rssi
        let isPaused = status.condition.trouble != nil && snapshot.notBefore > now
        let next = isPaused ? snapshot.notBefore : snapshot.nextTick
        status.next = next == .never ? nil : time + (next - now).wholeMilliseconds
        return status
    }

    /// Whether the status changed in a way that matters to users.
    ///
    /// - Parameter endsClaims: whether another claim is due to end. The commit then ends all of them.
    func isNews(_ status: DeviceStatus, endsClaims: Bool) -> Bool {
        guard let kept, status.isLike(kept) else { return true }
        return endsClaims && !status.link.hasClaim(of: kept.link)
    }

    /// Call this when the store holds the offered status.
    mutating func taken() {
        guard let offered else { return }
        kept = offered.status
        edition.keep(offered.edition)
        self.offered = nil
    }
}

extension DeviceStatus {
    private func hasPause(of other: DeviceStatus) -> Bool {
        guard let pause, let otherPause = other.pause else { return pause == other.pause }
        return pause.isLike(otherPause)
    }

    /// Whether nothing changed that matters to users.
    fileprivate func isLike(_ other: DeviceStatus) -> Bool {
        state == other.state && failure == other.failure && link.isLike(other.link) && interval == other.interval
            && entries == other.entries && condition.failedInARow == other.condition.failedInARow && hasPause(of: other)
            && identity == other.identity
    }
}

extension DeviceStatus.Link {
    /// Whether the next run would take it for the same.
    fileprivate func hasClaim(of other: DeviceStatus.Link) -> Bool {
        isOurs == other.isOurs && isIdle == other.isIdle && isConnected == other.isConnected
    }

    /// Whether the stored value may stay: it shows the same owner, or for a few seconds a connection of blekeep's that
    /// has ended or is about to begin.
    fileprivate func isLike(_ stored: DeviceStatus.Link) -> Bool {
        self == stored || self != .foreign && (stored.isOurs || isIdle && stored.isIdle)
    }
}
