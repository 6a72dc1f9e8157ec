import Blekeep
import BlekeepOutputs

/// What `why` prints: a line for each kind of attempt, what comes next, and what a person can do.
struct WhyView {
    let status: StoredDeviceStatus
    let entries: [LedgerEntry]
    let name: String
    /// An adapter that has too little time for all its devices, in words.
    var shortage: String?
    /// Whether a process polls at this moment.
    let isPolled: Bool
    /// Milliseconds since 1970.
    let now: Int64
    var offset: (Int64) -> Int = LocalTime.offset

    var lines: [String] {
        var lines = ["\(Untrusted(name)) (\(status.address)): \(StatusMessages.sentence(status, now: now))", ""]
        for entry in entries { lines.append("\(moment(entry.first))  \(text(of: entry))") }
        if entries.isEmpty { lines.append("nothing was tried so far") }
        return lines + [
            "", Untrusted([advice, prospect].compactMap(\.self).joined(separator: " "), limit: 600).description,
        ]
    }

    /// What comes next, and when; `nil` where all is well, or its last line has said so.
    private var prospect: String? {
        guard isPolled else { return "blekeep isn't polling; start it with 'blekeep poll'." }
        if status.link == .none, entries.last(where: { $0.device != nil })?.next ?? .min > now { return nil }
        return StatusMessages.prospect(status, when: status.next.flatMap { $0 > now ? when($0) : nil })
    }

    var json: [String] {
        let last: JSON = .object([
            "device": .text(name), "address": .text(status.address.description),
            "state": .text(status.state.rawValue), "since": .text(UTCTime(milliseconds: status.since).iso),
            "last_value": .text(status.lastGood.map { UTCTime(milliseconds: $0).iso }),
            "link": .text(status.link.rawValue), "next": .text(status.next.map { UTCTime(milliseconds: $0).iso }),
            "advice": .text(advice),
        ])
        return entries.map { Self.json($0).text } + [last.text]
    }

    private var advice: String {
        if isPolled, status.failure == nil || status.failure?.code == .known(.late), let shortage {
            return shortage
        }
        return Advice.sentence(status.failure, remedy: status.remedy, of: name)
    }

    private func text(of entry: LedgerEntry) -> String {
        let text = AttemptMessages.sentence(entry, when: when(entry), until: moment(entry.last))
        return Untrusted(text, limit: 600).description
    }

    private func when(_ entry: LedgerEntry) -> String? {
        entry.next.map(when)
    }

    private func when(_ next: Int64) -> String {
        let left = next > now ? " (in \(AttemptMessages.span(from: now, to: next)))" : ""
        return "at \(moment(next))\(left)"
    }

    /// The clock's time; with the day unless it is today's.
    private func moment(_ time: Int64) -> String {
        let shown = UTCTime(milliseconds: shifted(time))
        let today = UTCTime(milliseconds: shifted(now))
        guard (shown.year, shown.month, shown.day) != (today.year, today.month, today.day) else { return shown.clock }
        return "\(shown.iso.prefix(10)) \(shown.clock)"
    }

    private func shifted(_ time: Int64) -> Int64 {
        time.addingReportingOverflow(Int64(offset(time)) &* 1000).partialValue
    }

    private static func json(_ entry: LedgerEntry) -> JSON {
        .object([
            "time": .text(UTCTime(milliseconds: entry.first).iso),
            "until": .text(UTCTime(milliseconds: entry.last).iso),
            "count": .integer(Int(entry.count)), "scope": entry.device == nil ? "all" : "device",
            "phase": .text(entry.phase.rawValue), "code": .text(entry.failure?.code.rawValue),
            "message": .text(entry.failure?.message),
            "remedy": .text(entry.remedy?.rawValue), "next": .text(entry.next.map { UTCTime(milliseconds: $0).iso }),
            "text": .text(AttemptMessages.sentence(entry)),
        ])
    }
}

extension StoredKeeperStatus.Adapter {
    /// What a person can do, if it has too little time for all its devices.
    var shortage: String? {
        guard case .tooManyDevices(let shortage)? = trouble else { return nil }
        return Advice.sentence(shortage, of: name)
    }
}

/// A device's status in words.
enum StatusMessages {
    static func sentence(_ status: StoredDeviceStatus, now: Int64) -> String {
        let span = AttemptMessages.span(from: status.since, to: now)
        let goods = "\(status.goods) good \(status.goods == 1 ? "tick" : "ticks") in a row"
        let failures = "\(status.failures) failed \(status.failures == 1 ? "attempt" : "attempts")"
        switch status.state {
        case .new where status.link == .held: return "new: it has a link, and nothing was read so far"
        case .new where status.link == .making: return "new: it is being connected"
        case .new: return "new, nothing was tried so far"
        case .good: return "good for \(span), \(goods)"
        case .trying: return "trying for \(span), \(failures)"
        case .lost: return "lost for \(span), \(failures)"
        case .needsYou: return "needs you, for \(span)"
        }
    }

    /// What comes next for a device that is not well; `nil` for one that is.
    ///
    /// - Parameter when: when that is; `nil`: now.
    static func prospect(_ status: StoredDeviceStatus, when: String?) -> String? {
        switch (status.state, status.link) {
        case (.good, _), (.new, .none): return nil
        case (.new, .held), (.trying, .held), (.lost, .held):
            return "It is connected. Next read \(when ?? "now"), or blekeep reconnects."
        case (_, .foreign): return "Another program has a link to it; it is read over that \(when ?? "now")."
        case (_, .making):
            return "blekeep is connecting\(when.map { "; if that fails, next attempt \($0)" } ?? "")."
        case (_, .held), (_, .none): return "Next attempt \(when ?? "as soon as its turn comes")."
        }
    }
}
