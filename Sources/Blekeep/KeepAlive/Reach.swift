import RunLoop

/// Whether blekeep reaches bluetoothd, and when to start or check it.
struct Reach: Sendable {
    private(set) var outage: Outage? = .bus("there is no connection to the message bus")
    /// Whether the outage was reported.
    private(set) var isReported = false
    var health = BluezHealth()
    /// Whether BlueZ's objects are being queried again, so that their known state may be wrong.
    var isBlind = false
    /// When to ask the message bus to start bluetoothd.
    private(set) var activation = Uptime.never
    private var activationPause = Timing.firstActivationPause

    /// Returns whether to report this outage: not at the start, and not twice.
    mutating func isNews(_ outage: Outage) -> Bool {
        guard self.outage == nil || isReported && self.outage != outage else { return false }
        isReported = true
        return true
    }

    mutating func lose(_ outage: Outage, at now: Uptime) {
        self.outage = outage
        activation = outage == .bluez ? now + Timing.beforeActivation : .never
        activationPause = Timing.firstActivationPause
        if outage != .hung { health = BluezHealth() }
    }

    /// Ends the outage.
    ///
    /// - Returns: whether the outage was reported.
    mutating func regain() -> Bool {
        let wasReported = isReported
        self = Reach()
        outage = nil
        return wasReported
    }

    /// Returns whether to start bluetoothd now. The next attempt comes after a growing pause.
    mutating func isActivationDue(at now: Uptime) -> Bool {
        guard now >= activation else { return false }
        activation = now + activationPause
        activationPause = min(activationPause * 2, Timing.longestActivationPause)
        return true
    }
}
