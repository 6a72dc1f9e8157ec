import RunLoop

/// Whether bluetoothd still answers at all, from calls that were not answered. It may keep its name and yet be stuck.
struct BluezHealth: Sendable {
    /// So many calls in a row without an answer raise the question.
    static let suspicious = 3
    /// From question to question while it does not answer.
    static let pause: Duration = .seconds(60)

    private var silences = 0
    private(set) var isAsking = false
    private(set) var nextQuestion = Uptime.never

    /// A call got no answer. Says whether to ask bluetoothd for a sign of life.
    mutating func unanswered() -> Bool {
        silences += 1
        guard silences >= Self.suspicious, !isAsking else { return false }
        return ask()
    }

    /// A call was answered, even with an error.
    mutating func answered() { silences = 0 }

    /// The question was answered, or not. Says whether bluetoothd lives.
    mutating func reply(_ isAlive: Bool, at now: Uptime) {
        isAsking = false
        silences = 0
        nextQuestion = isAlive ? .never : now + Self.pause
    }

    /// Whether it is time to ask again.
    mutating func isDue(at now: Uptime) -> Bool { now >= nextQuestion && !isAsking && ask() }

    private mutating func ask() -> Bool {
        isAsking = true
        nextQuestion = .never
        return true
    }
}
