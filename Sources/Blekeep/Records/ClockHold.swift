/// How long readings wait for the machine's clock to be set, as the history corrects their times then.
struct ClockHold {
    /// The time since the machine's start; `nil` where nobody knows: then nothing waits.
    let sinceBoot: (() -> Duration)?

    /// A clock that isn't set by then, since the machine's start, may never be: what waits for it is published.
    static let longest: Duration = .seconds(600)

    var left: Duration { sinceBoot.map { max(.zero, Self.longest - $0()) } ?? .zero }

    /// Whether a reading waits.
    func holds(_ reading: StoredReading) -> Bool { !reading.reading.isClockSet && left > .zero }
}
