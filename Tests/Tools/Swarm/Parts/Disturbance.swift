import RunLoop

/// What lets a keeper do more, and give up more, than usual.
struct Disturbance {
    /// When the machine last slept, or bluetoothd last hung or was not there.
    private(set) var last = Uptime.start
    /// Whether the machine sleeps at this moment, or the keeper is to end.
    var isRestless: () -> Bool = { false }
    /// Whether the machine is about to sleep, or the keeper to end: then everything is let go.
    var isLettingGo: () -> Bool = { false }

    mutating func happened(at now: Uptime) { last = now }

    func isOver(at now: Uptime) -> Bool { now - last > .seconds(3) && !isRestless() }
}
