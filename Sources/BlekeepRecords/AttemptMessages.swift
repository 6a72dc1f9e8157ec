/// The messages about attempts in the log, `blekeep why` and `blekeep status`.
package enum AttemptMessages {
    /// Returns the message for an attempt.
    ///
    /// - Parameter count: the number of consecutive attempts that ended like this.
    package static func sentence(_ attempt: Attempt, count: Int64 = 1) -> String {
        sentence(
            .known(attempt.phase), failure: attempt.failure, count: count,
            next: attempt.isGood
                ? "other values were read" : next(attempt.remedy.map { .known($0) }, when: when(attempt.nextTry)))
    }

    /// Returns the message for an entry of the ledger.
    ///
    /// - Parameters:
    ///   - when: the time of the next attempt, such as `in 5s`.
    ///   - until: the time of the last attempt.
    ///   - isPolled: whether there is a next attempt.
    package static func sentence(
        _ entry: LedgerEntry, when: String? = nil, until: String? = nil, isPolled: Bool = true
    ) -> String {
        let isGood = entry.failure == nil || entry.phase == .known(.read) && entry.remedy == nil && entry.pause == nil
        return sentence(
            entry.phase, failure: entry.failure, count: entry.count, until: until,
            next: isGood
                ? "other values were read" : isPolled ? next(entry.remedy, when: when ?? Self.when(entry.pause)) : nil)
    }

    private static func sentence(
        _ phase: OpenEnum<Attempt.Phase>, failure: ReadingFailure?, count: Int64, until: String? = nil, next: String?
    ) -> String {
        let what = name(of: phase)
        let repeats = count > 1 ? "\(count) times\(until.map { " until \($0)" } ?? "")" : ""
        guard let failure else {
            let good =
                switch phase {
                case .known(.read): "was read"
                case .known(.search): "was heard"
                default: "\(what) went well"
                }
            return good + (repeats.isEmpty ? "" : " \(repeats)")
        }
        let times = repeats.isEmpty ? "" : " (\(repeats))"
        let message = failure.message.isEmpty ? failure.code.rawValue : failure.message
        if phase == .known(.recovery) { return message + times }
        return "\(what) failed\(times): \(message)" + (next.map { "; \($0)" } ?? "")
    }

    /// Returns what follows a failed attempt.
    ///
    /// - Parameter when: the time of the next attempt, such as `in 5s`.
    package static func next(_ remedy: OpenEnum<Remedy>?, when: String) -> String {
        switch remedy?.known {
        case .retry?, nil: "next attempt \(when)"
        case .backOff?: "another program may be using the device, or the device refused; next attempt \(when)"
        case .watch?: "another program is connecting to it; next attempt \(when)"
        case .wait?: "next attempt \(when), or when it is back"
        case .rediscover?: "next search \(when)"
        case .adopt?: "nothing is left to do"
        case .relink?: "next connection \(when)"
        case .point?: "blekeep skips this value for a while, and reads the others"
        case .unsupported?: "BlueZ or the device doesn't support this; next attempt \(when)"
        case .stale?: "next attempt \(when), or when BlueZ has removed the device from its cache"
        case .pairing?: "blekeep waits until it is paired"
        case .rebond?: "next attempt \(when), or when it is paired again"
        case .bearer?: "it must be connected by Low Energy; next attempt \(when)"
        case .slots?: "the adapter can't hold another connection; next attempt \(when)"
        case .denied?: "the system forbids this; next attempt \(when)"
        case .blocked?: "next attempt \(when), or when it is unblocked"
        case .shed?: "the message bus is at its limit; next attempt \(when)"
        }
    }

    private static func name(of phase: OpenEnum<Attempt.Phase>) -> String {
        switch phase {
        case .known(.search): "the search"
        case .known(.connect): "connecting"
        case .known(.resolve): "service discovery"
        case .known(.read): "reading"
        case .known(.link): "the connection"
        case .known(.adapter): "the adapter"
        case .known(.bluez): "bluetoothd"
        case .known(.bus): "the message bus"
        case .known(.recovery): "recovery"
        case .other(let name): name
        }
    }

    private static func when(_ pause: Duration?) -> String {
        guard let pause, pause > .zero else { return "at the next tick" }
        return "in \(DurationText.text(rounded(pause)))"
    }

    /// Rounds to milliseconds below a second, otherwise to seconds.
    private static func rounded(_ pause: Duration) -> Duration {
        pause < .seconds(1)
            ? .milliseconds(pause.wholeMilliseconds) : .seconds((pause + .milliseconds(500)).components.seconds)
    }

    /// Formats the time between two times in milliseconds since 1970.
    package static func span(from start: Int64, to end: Int64) -> String {
        let (span, overflow) = end.subtractingReportingOverflow(start)
        guard !overflow, span >= 0 else { return "?" }
        let seconds = span / 1000
        // Seconds don't matter in hours, nor minutes in days.
        let unit: Int64 = seconds >= 86_400 ? 3600 : seconds >= 3600 ? 60 : 1
        return DurationText.text(.seconds(seconds / unit * unit))
    }

    /// Whether only the user can help.
    package static func needsUser(_ remedy: OpenEnum<Remedy>?, code: OpenEnum<FailureCode>?) -> Bool {
        remedy?.known?.needsUser == true || code?.known?.needsUserAction == true
    }
}
