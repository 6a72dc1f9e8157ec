import Blekeep
import BlekeepOutputs

/// The output of `why`: a line for each kind of attempt, what the user can do, and what comes next.
struct WhyView {
    let status: StoredDeviceStatus
    let entries: [LedgerEntry]
    let name: String
    /// Advice about an adapter that has too little time for all its devices.
    var shortage: String?
    /// Whether blekeep is polling.
    let isPolled: Bool
    /// Milliseconds since 1970.
    let now: Int64
    var offset: (Int64) -> Int = LocalTime.offset

    var lines: [String] {
        var lines = ["\(Untrusted(name)) (\(status.address)): \(StatusMessages.sentence(status, now: now))", ""]
        for entry in entries { lines.append("\(moment(entry.first))  \(text(of: entry))") }
        if entries.isEmpty { lines.append("no attempts yet") }
        return lines + [
            "", Untrusted([advice, prospect].compactMap(\.self).joined(separator: " "), limit: 600).description,
        ]
    }

    /// The next step and its time; `nil` when all is well, or when the last line has it.
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

    /// Returns the local time, with the date unless it is today.
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
    /// What the user can do when the adapter has too little time for all its devices.
    var shortage: String? {
        guard case .tooManyDevices(let shortage)? = trouble else { return nil }
        return Advice.sentence(shortage, of: name)
    }
}

/// The sentences about a device's status.
enum StatusMessages {
    static func sentence(_ status: StoredDeviceStatus, now: Int64) -> String {
        switch status.pause {
        case .untilResumed?: return "paused by a user; 'blekeep resume' ends the pause"
        case .until(let end)?:
            return "paused by a user for \(AttemptMessages.span(from: min(now, end), to: end)) more; "
                + "'blekeep resume' ends the pause"
        case nil: break
        }
        let span = AttemptMessages.span(from: status.since, to: now)
        let goods = "\(status.goods) good \(status.goods == 1 ? "tick" : "ticks") in a row"
        let failures = "\(status.failures) failed \(status.failures == 1 ? "attempt" : "attempts")"
        switch status.state {
        case .new where status.link == .held: return "new: connected, but not read yet"
        case .new where status.link == .making: return "new: blekeep is connecting"
        case .new: return "new: no attempts yet"
        case .good: return "good for \(span), \(goods)"
        case .trying: return "trying for \(span), \(failures)"
        case .lost: return "lost for \(span), \(failures)"
        case .needsYou: return "needs you, for \(span)"
        }
    }

    /// Returns the next step for a device that isn't well; `nil` for one that is.
    ///
    /// - Parameter when: the time of the next step; `nil` for now.
    static func prospect(_ status: StoredDeviceStatus, when: String?) -> String? {
        if status.pause != nil { return nil }
        switch (status.state, status.link) {
        case (.good, _), (.new, .none): return nil
        case (.new, .held), (.trying, .held), (.lost, .held):
            return "The device is connected. Next read \(when ?? "now"), or blekeep reconnects."
        case (_, .foreign):
            return "Another program has a connection to the device. blekeep reads over it \(when ?? "now")."
        case (_, .making):
            return "blekeep is connecting\(when.map { "; if that fails, next attempt \($0)" } ?? "")."
        case (_, .held), (_, .none): return "Next attempt \(when ?? "as soon as its turn comes")."
        }
    }
}
