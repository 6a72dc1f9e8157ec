import RunLoop

/// Decides when to check whether bluetoothd still replies. It may run and yet hang.
struct BluezHealth: Sendable {
    /// After this many consecutive calls without a reply, blekeep pings bluetoothd.
    static let suspicious = 3
    /// The time between pings of a bluetoothd that doesn't reply.
    static let pause: Duration = .seconds(60)

    private var silences = 0
    private(set) var isPinging = false
    private(set) var nextPing = Uptime.never

    /// Counts a call without a reply. Returns whether to ping bluetoothd.
    mutating func unanswered() -> Bool {
        silences += 1
        guard silences >= Self.suspicious, !isPinging else { return false }
        return ping()
    }

    /// Takes a reply, even an error.
    mutating func answered() { silences = 0 }

    /// Takes the result of a ping; `false` means that bluetoothd didn't reply.
    mutating func reply(_ isAlive: Bool, at now: Uptime) {
        isPinging = false
        silences = 0
        nextPing = isAlive ? .never : now + Self.pause
    }

    /// Returns whether to ping bluetoothd again.
    mutating func isDue(at now: Uptime) -> Bool { now >= nextPing && !isPinging && ping() }

    private mutating func ping() -> Bool {
        isPinging = true
        nextPing = .never
        return true
    }
}
