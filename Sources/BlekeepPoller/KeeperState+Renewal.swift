import DBus
import RunLoop

/// Decides when to replace the connection to the message bus, because missing replies used up its slots.
struct RenewalState: Sendable, Hashable {
    /// How urgent a new connection is; `nil` when it isn't needed.
    private(set) var pressure: ReplyPressure?
    /// Whether a new connection is being made.
    private(set) var isInProgress = false
    private(set) var renewedAt: Uptime?

    /// The shortest time between two new connections. If the daemon refuses calls sooner, blekeep isn't the cause.
    static let pause: Duration = .seconds(10)
    /// The time for a new connection. It doesn't begin so shortly before a tick.
    static let length: Duration = .seconds(2)

    /// Whether the time since the last new connection allows another one.
    func isAllowed(at now: Uptime) -> Bool { renewedAt.map { now - $0 >= Self.pause } ?? true }

    /// - Parameter pressure: from the current connection. A connection that is being replaced doesn't count.
    mutating func press(_ pressure: ReplyPressure) {
        if !isInProgress { self.pressure = max(self.pressure ?? pressure, pressure) }
    }

    mutating func end() { isInProgress = false }

    mutating func begin(at now: Uptime) {
        pressure = nil
        isInProgress = true
        renewedAt = now
    }
}

extension KeeperState {
    /// Replaces the connection when that disturbs nothing, or at once when the daemon refuses calls.
    mutating func renewIfNeeded(_ now: Uptime) {
        guard let pressure = renewal.pressure, !renewal.isInProgress, renewal.isAllowed(at: now) else { return }
        guard pressure == .critical || isIdle(at: now) else { return }
        renewal.begin(at: now)
        for id in devices.indices { perform(devices[id].busWillBeRenewed(), of: id, at: now) }
        for path in adapters.paths { adapters[path]?.queue.discoveryEnded() }
        // blekeep misses BlueZ's signals until the new connection has a snapshot.
        reach.isBlind = true
        effects.append(.renew)
    }

    /// Whether no device has work in progress, and no tick begins soon.
    private func isIdle(at now: Uptime) -> Bool {
        outage == nil && !reach.isBlind && run.isSettled
            && devices.allSatisfy { $0.link.phase.isIdle && $0.nextTick - now >= RenewalState.length }
            && adapters.allSatisfy(\.queue.mayDecide)
    }

    /// Continues with the snapshot of the new connection. Subscriptions ended with the old one.
    mutating func renewed() {
        guard renewal.isInProgress else { return }
        renewal.end()
        for id in devices.indices { devices[id].busRenewed() }
    }
}
