import RunLoop

/// A device's advertisements since its last tick.
struct ListeningState: Sendable, Hashable {
    /// The start of the device's silence: its last advertisement, or the end of the last time without discovery.
    private var silentSince: Uptime
    private(set) var wasHeard = false
    private(set) var hasNews = false
    /// Whether blekeep ever heard the device.
    private(set) var isKnown = false
    /// The decoding failure of its advertisements; `nil` when they can be decoded.
    private(set) var failure: ReadingFailure?

    init(at start: Uptime) {
        silentSince = start
    }

    /// - Parameter hearing: `nil` when BlueZ reported only the signal strength.
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

    /// Ignores the device's silence, because blekeep doesn't listen now.
    mutating func rest(at now: Uptime) { silentSince = now }

    /// Whether the device has been silent for three intervals, and for at least a minute.
    func isSilent(every interval: Duration, at now: Uptime) -> Bool {
        now - silentSince > max(interval * 3, .seconds(60))
    }

    func silence(at now: Uptime) -> Duration { now - silentSince }

    /// Begins the time until the next tick.
    mutating func restart() {
        wasHeard = false
        hasNews = false
    }
}

extension ReadingFailure {
    static let notHeard = ReadingFailure(.notFound, "blekeep didn't hear the device")
}

/// The result of an advertisement.
enum Hearing: Sendable, Hashable {
    /// New values.
    case news
    /// A repetition of an earlier packet.
    case repetition
    /// A format that blekeep doesn't know or can't decode.
    case unreadable(ReadingFailure)
}
