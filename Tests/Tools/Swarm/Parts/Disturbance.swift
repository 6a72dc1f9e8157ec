import RunLoop

/// Disturbances, during which the keeper may call and give up more than usual.
struct Disturbance {
    /// The last time of a sleep, or of a hanging or missing bluetoothd.
    private(set) var last = Uptime.start
    /// Whether the machine sleeps, or the keeper ends.
    var isRestless: () -> Bool = { false }
    /// Whether the machine will sleep, or the keeper will end. Then the keeper disconnects everything.
    var isLettingGo: () -> Bool = { false }

    mutating func happened(at now: Uptime) { last = now }

    func isOver(at now: Uptime) -> Bool { now - last > .seconds(3) && !isRestless() }
}
