import RunLoop

/// Whether bluetoothd can be reached, and what is done about it where it can't.
struct Reach: Sendable {
    private(set) var outage: Outage? = .bus("there is no connection to the message bus")
    /// Whether the outage was reported.
    private(set) var isReported = false
    /// What its answers, or the lack of them, say.
    var health = BluezHealth()
    /// Whether BlueZ is asked again for its objects, and nothing of it may be relied on until it is answered.
    var isBlind = false
    /// When the message bus is asked to start bluetoothd.
    private(set) var activation = Uptime.never
    private var activationPause = Timing.firstActivationPause

    /// Whether this outage is to be reported: not the one at the start, nor the same one again.
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

    /// BlueZ's objects are known.
    ///
    /// - Returns: whether an outage that was reported is over.
    mutating func regain() -> Bool {
        let wasTold = isReported
        self = Reach()
        outage = nil
        return wasTold
    }

    /// Whether bluetoothd is to be started now; then again after a pause that grows.
    mutating func isActivationDue(at now: Uptime) -> Bool {
        guard now >= activation else { return false }
        activation = now + activationPause
        activationPause = min(activationPause * 2, Timing.longestActivationPause)
        return true
    }
}
