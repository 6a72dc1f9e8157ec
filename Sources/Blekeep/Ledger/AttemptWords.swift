/// What became of an attempt in plain words: the log, `blekeep why` and `blekeep status` say it alike.
package enum AttemptWords {
    private static let phases: [String: String] = [
        "search": "looking for it", "connect": "connecting", "resolve": "learning its services", "read": "reading",
        "link": "its link", "adapter": "the adapter", "bluez": "bluetoothd", "bus": "the message bus",
        "pairing": "pairing",
    ]

    /// What comes next, by what the failure asks of us; `%` stands for when.
    private static let remedies: [String: String] = [
        "retry": "it is tried again %",
        "backOff": "somebody else is at it, or it wants to be left alone; it is tried again %",
        "wait": "it is tried again %, or when it is back",
        "rediscover": "it is looked for anew %",
        "adopt": "what was wanted is so already",
        "relink": "the link is made anew %",
        "point": "this value is left alone for a while, the others are read",
        "pairing": "it is left alone until it is paired",
    ]

    /// - Parameter count: how many there were in a row.
    package static func sentence(_ attempt: Attempt, count: Int64 = 1) -> String {
        sentence(
            phase: attempt.phase.rawValue, failure: attempt.failure, remedy: attempt.remedy?.rawValue, count: count,
            next: attempt.isGood ? nil : next(remedy: attempt.remedy?.rawValue, when: when(attempt.pause)))
    }

    /// - Parameters:
    ///   - when: says when it is tried again.
    ///   - until: says when the last of several was.
    package static func sentence(_ entry: LedgerEntry, when: String? = nil, until: String? = nil) -> String {
        let isGood = entry.failure == nil || entry.phase == "read" && entry.remedy == nil && entry.pause == nil
        return sentence(
            phase: entry.phase, failure: entry.failure, remedy: entry.remedy, count: entry.count, until: until,
            next: isGood ? nil : next(remedy: entry.remedy, when: when ?? Self.when(entry.pause)))
    }

    private static func sentence(
        phase: String, failure: ReadingFailure?, remedy: String?, count: Int64, until: String? = nil, next: String?
    ) -> String {
        let what = phases[phase] ?? phase
        let repeats = count > 1 ? "\(count) times\(until.map { " until \($0)" } ?? "")" : ""
        guard let failure else {
            return (phase == "read" ? "was read" : "\(what) went well") + (repeats.isEmpty ? "" : " \(repeats)")
        }
        let times = repeats.isEmpty ? "" : " (\(repeats))"
        let message = failure.message.isEmpty ? failure.code : failure.message
        if phase == Attempt.Phase.recovery.rawValue { return message + times }
        return "\(what) failed\(times): \(message)" + (next.map { "; \($0)" } ?? "; other values were read")
    }

    /// What an attempt's failure asks of us, in words.
    package static func next(remedy: String?, when: String) -> String {
        let words = remedy.flatMap { remedies[$0] } ?? "it is tried again %"
        guard let place = words.utf8.firstIndex(of: UInt8(ascii: "%")) else { return words }
        return "\(words[..<place])\(when)\(words[words.utf8.index(after: place)...])"
    }

    private static func when(_ pause: Duration?) -> String {
        guard let pause, pause > .zero else { return "at the next tick" }
        return "in \(DurationText.text(rounded(pause)))"
    }

    /// Milliseconds below a second, seconds from there on.
    private static func rounded(_ pause: Duration) -> Duration {
        pause < .seconds(1)
            ? .milliseconds(pause.wholeMilliseconds) : .seconds((pause + .milliseconds(500)).components.seconds)
    }

    /// A time from one moment to another, both in milliseconds since 1970, as people say it.
    package static func span(from start: Int64, to end: Int64) -> String {
        let (span, overflow) = end.subtractingReportingOverflow(start)
        guard !overflow, span >= 0 else { return "?" }
        let seconds = span / 1000
        // Nobody asks for the seconds of a day.
        let unit: Int64 = seconds >= 86_400 ? 3600 : seconds >= 3600 ? 60 : 1
        return DurationText.text(.seconds(seconds / unit * unit))
    }

    static func asksPerson(remedy: String?, code: String?) -> Bool {
        remedy == "pairing" || remedy == "user" || code == "needs_user"
    }
}
