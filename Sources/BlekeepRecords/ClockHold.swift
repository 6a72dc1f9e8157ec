/// Decides whether readings wait until the machine's clock is set. The history then corrects their times.
struct ClockHold {
    /// Returns the time since the machine's start; `nil` to let nothing wait.
    let sinceBoot: (() -> Duration)?

    /// The longest wait since the machine's start. A clock that isn't set by then may never be.
    static let longest: Duration = .seconds(600)

    var left: Duration { sinceBoot.map { max(.zero, Self.longest - $0()) } ?? .zero }

    func holds(_ reading: StoredReading) -> Bool { !reading.reading.isClockSet && left > .zero }
}
