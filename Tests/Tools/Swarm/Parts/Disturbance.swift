import RunLoop

/// Disturbances, during which the poller may call and give up more than usual.
struct Disturbance {
    /// The last time of a sleep, or of a hanging or missing bluetoothd.
    private(set) var last = Uptime.start
    /// Whether the machine sleeps, or the poller ends.
    var isRestless: () -> Bool = { false }
    /// Whether the machine will sleep, or the poller will end. Then the poller disconnects everything.
    var isLettingGo: () -> Bool = { false }

    mutating func happened(at now: Uptime) { last = now }

    func isOver(at now: Uptime) -> Bool { now - last > .seconds(3) && !isRestless() }
}
