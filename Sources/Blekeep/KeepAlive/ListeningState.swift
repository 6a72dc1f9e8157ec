import RunLoop

/// What was heard of a device since its last tick, for a device that is listened to.
struct ListeningState: Sendable, Hashable {
    /// Until when it was certainly there, or nobody listened.
    private var silentSince: Uptime
    private(set) var wasHeard = false
    private(set) var hasNews = false
    /// Whether it was ever heard.
    private(set) var isKnown = false
    /// What it advertises cannot be read, and why; `nil` as soon as something can.
    private(set) var failure: ReadingFailure?

    init(at start: Uptime) {
        silentSince = start
    }

    /// - Parameter hearing: `nil` where only the signal was told: the device is there, and what it says may follow.
    mutating func hear(_ hearing: Hearing?, at now: Uptime) {
        silentSince = now
        guard let hearing else { return }
        wasHeard = true
        isKnown = true
        switch hearing {
        case .news:
            hasNews = true
            failure = nil
        case .repetition: failure = nil
        case .unreadable(let why): failure = why
        }
    }

    /// Nobody listens at the moment: its silence means nothing.
    mutating func rest(at now: Uptime) { silentSince = now }

    /// Whether it has been silent for longer than can be chance: three intervals, and a minute at least.
    func isSilent(every interval: Duration, at now: Uptime) -> Bool {
        now - silentSince > max(interval * 3, .seconds(60))
    }

    func silence(at now: Uptime) -> Duration { now - silentSince }

    /// The next tick's time begins.
    mutating func beginAnew() {
        wasHeard = false
        hasNews = false
    }
}

extension ReadingFailure {
    static let notHeard = ReadingFailure(.notFound, "blekeep didn't hear the device")
}

/// What one advertisement said.
enum Hearing: Sendable, Hashable {
    /// Values that were not heard before.
    case news
    /// What was heard already.
    case repetition
    /// Nothing that is known here, or that can be decoded.
    case unreadable(ReadingFailure)
}
