import RunLoop

/// What is recorded of a device: its attempts and its work, the status that follows from them, and what the store
/// holds.
///
/// The store must know of each connection of blekeep's before it exists, and as long as it may exist. After a crash,
/// the next run takes a connection that the store claims for blekeep's own and ends it; one that the store doesn't
/// claim is another program's, and stays. BlueZ itself doesn't say which program made a connection.
final class DeviceRecord: DevicePart {
    let number: DeviceNumber
    let id: DeviceID
    var attempts: DeviceAttempts { didSet { unsaved.change() } }
    /// Whether blekeep connects the device at all.
    private var connects: Bool
    private(set) var hasLeft = false
    /// Whether its row in the store may change. If not, only the last work is left to store.
    private(set) var hasRow = true
    private(set) var snapshot: DeviceSnapshot
    private var rssi: Int?
    var dropped = DroppedValues() { didSet { unsaved.change() } }
    /// The status, and what the store holds of it.
    var unsaved = Unsaved<DeviceStatus>()
    /// Until this time, the store may show blekeep's connection before it begins or after it ended.
    private var claimedUntil = Uptime.start
    /// The work since the start of `poll`.
    var work: DeviceActivity
    /// The part of it up to the newest heartbeat, and the part that the store holds.
    private var offeredWork: DeviceActivity?
    private var storedWork: DeviceActivity
    /// The beginning of the part of the connection that `work` doesn't count yet, while blekeep's connection is up.
    private var upSince: Uptime?

    /// The longest time that the store claims a connection that ended. Otherwise, blekeep could take another program's
    /// next connection for its own.
    static let maxClaim: Duration = .seconds(10)

    /// - Parameter isOneOff: whether the process ends by itself, after some ticks.
    init(_ device: DeviceConfiguration, number: DeviceNumber, attempts: DeviceAttempts, isOneOff: Bool) {
        self.number = number
        self.attempts = attempts
        id = device.id
        connects = device.mode != .passive
        // Until the poller says more.
        snapshot = DeviceSnapshot(intervalReason: device.isShared && !isOneOff ? .standby : .configured)
        work = DeviceActivity(device)
        storedWork = work
    }

    // MARK: Configurations

    func apply(_ device: DeviceConfiguration) {
        attempts.status.name = device.name
        work.device = device.name
        connects = device.mode != .passive
    }

    /// Takes the device's absence from the configuration. The next commit takes its last status.
    func leave() {
        hasLeft = true
        unsaved.forget()
    }

    /// Leaves the row as it is, or to the device that has the ID now.
    func loseRow() {
        hasRow = false
        unsaved.forget()
    }

    /// Whether the store holds all of a device that has left.
    var isGone: Bool { hasLeft && (!hasRow || unsaved.isKept) && upSince == nil && (work - storedWork).isIdle }

    // MARK: In

    /// - Returns: whether other gateways must hear of it soon.
    func apply(_ snapshot: DeviceSnapshot, rssi: Int?, at now: Uptime) -> Bool {
        if snapshot.link.isIdle, !self.snapshot.link.isIdle { claimedUntil = now + Self.maxClaim }
        let before = self.snapshot
        self.snapshot = snapshot
        // BlueZ forgets it at the end of each search, and blekeep searches in windows.
        self.rssi = rssi ?? (snapshot.link.isConnected ? nil : self.rssi)
        unsaved.change()
        (work.good, work.failed, work.missed) = (snapshot.goodTicks, snapshot.failedTicks, snapshot.missedTicks)
        countAirTime(at: now)
        let (isResting, hasRested) = (snapshot.intervalReason == .standby, before.intervalReason == .standby)
        return isResting != hasRested || isResting && snapshot.link != before.link
    }

    private func countAirTime(at now: Uptime) {
        if let upSince { work.onAir += now - upSince }
        upSince = snapshot.isInUse ? now : nil
    }

    // MARK: Claims

    /// Whether the store claims a connection to the device for blekeep.
    var isClaimed: Bool { unsaved.kept?.link.isOurs == true }

    /// When the claim in the store must end.
    var claimEnd: Uptime {
        guard isClaimed, !snapshot.link.isOurs else { return .never }
        return snapshot.link.isIdle ? claimedUntil : .start
    }

    /// Claims a connection that blekeep is likely to make in the next seconds.
    func claim(at now: Uptime) {
        guard isSoonConnected(at: now) else { return }
        claimedUntil = now + Self.maxClaim
        unsaved.change()
    }

    /// Whether the store must claim a connection that doesn't exist yet.
    func isClaiming(at now: Uptime) -> Bool { !hasLeft && now < claimedUntil && isSoonConnected(at: now) }

    private func isSoonConnected(at now: Uptime) -> Bool {
        connects && snapshot.link.isIdle && snapshot.notBefore <= now
            && (snapshot.hasTick || snapshot.nextTick <= now + Self.maxClaim / 2)
    }

    // MARK: Out

    /// Returns the present status.
    ///
    /// - Parameter isOver: whether `poll` ends.
    func status(isOver: Bool, keepsLinks: Bool, time: Int64, at now: Uptime) -> DeviceStatus {
        var status = attempts.status
        status.interval = snapshot.interval
        status.intervalReason = snapshot.intervalReason
        status.dropped = dropped
        (status.adapter, status.isBonded) = (snapshot.adapter, snapshot.isBonded)
        status.pause = snapshot.pausedUntil.map { end in
            end == .never ? .untilResumed : .until(time + (end - now).wholeMilliseconds)
        }
        if !isOver || keepsLinks && snapshot.link.isOurs && snapshot.link.isConnected { status.link = snapshot.link }
        guard !isOver, !hasLeft else { return status }
        status.rssi = status.state == .lost ? nil : rssi
        let isPaused = status.condition.trouble != nil && snapshot.notBefore > now
        let next = isPaused ? snapshot.notBefore : snapshot.nextTick
        status.next = next == .never ? nil : time + (next - now).wholeMilliseconds
        return status
    }

    /// Gives the next heartbeat the work since the last one that the store holds.
    func offerWork(at now: Uptime) -> DeviceActivity {
        countAirTime(at: now)
        offeredWork = work
        return work - storedWork
    }

    /// Call this when the store holds the heartbeat.
    func workCommitted() { storedWork = offeredWork ?? storedWork }
}

extension DeviceStatus {
    private func hasPause(of other: DeviceStatus) -> Bool {
        guard let pause, let otherPause = other.pause else { return pause == other.pause }
        return pause.isLike(otherPause)
    }

    /// Whether nothing changed that matters to users.
    func isLike(_ other: DeviceStatus) -> Bool {
        state == other.state && failure == other.failure && link.isLike(other.link) && interval == other.interval
            && entries == other.entries && condition.failedInARow == other.condition.failedInARow && hasPause(of: other)
            && identity == other.identity && adapter == other.adapter && isBonded == other.isBonded
            && firing == other.firing
            && isStandingBy == other.isStandingBy && (!isStandingBy || link == other.link)
    }
}

extension DeviceStatus.Link {
    /// Whether the next run would take it for the same.
    func hasClaim(of other: DeviceStatus.Link) -> Bool {
        isOurs == other.isOurs && isIdle == other.isIdle && isConnected == other.isConnected
    }

    /// Whether the stored value may stay: it shows the same owner, or for a few seconds a connection of blekeep's that
    /// has ended or is about to begin.
    fileprivate func isLike(_ stored: DeviceStatus.Link) -> Bool {
        self == stored || self != .foreign && (stored.isOurs || isIdle && stored.isIdle)
    }
}
