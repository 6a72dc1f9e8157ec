import DBus
import RunLoop

/// When the connection to the message bus is replaced because lost replies have used up its slots.
struct RenewalState: Sendable, Hashable {
    /// How urgent a new connection is; `nil`: the one that we have is good.
    private(set) var pressure: ReplyPressure?
    /// Whether a new connection is being made.
    private(set) var isInProgress = false
    private(set) var renewedAt: Uptime?

    /// A daemon that refuses calls sooner than this after a new connection has another reason than us.
    static let pause: Duration = .seconds(10)
    /// A new connection takes less: it is not begun so shortly before a tick.
    static let length: Duration = .seconds(2)

    /// Whether the time since the last new connection allows another one.
    func isAllowed(at now: Uptime) -> Bool { renewedAt.map { now - $0 >= Self.pause } ?? true }

    /// - Parameter pressure: what the connection in use reports; one that is being replaced doesn't count.
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
        for id in devices.indices where devices[id].link.phase.isPolling { endPoll(id) }
        for path in adapters.paths { adapters[path]?.queue.discoveryEnded() }
        // What BlueZ reports from now on is missed, until the new connection has a snapshot.
        reach.isBlind = true
        effects.append(.renew)
    }

    /// Whether no tick is in progress or about to begin, and nothing else is with any device.
    private func isIdle(at now: Uptime) -> Bool {
        outage == nil && !reach.isBlind && run.isSettled
            && devices.allSatisfy { $0.link.phase.isIdle && $0.nextTick - now >= RenewalState.length }
            && adapters.allSatisfy(\.queue.mayDecide)
    }

    /// Ends the reads on the old connection; the link stays, and the tick goes on later. Everything else goes on in BlueZ
    /// by itself.
    private mutating func endPoll(_ id: DeviceID) { abandonLink(id, staysUp: devices[id].isConnected) }

    /// The new connection has a snapshot: subscriptions ended with the old one.
    mutating func renewed() {
        guard renewal.isInProgress else { return }
        renewal.end()
        for id in devices.indices where devices[id].isConnected { devices[id].link.unsubscribed() }
    }
}
