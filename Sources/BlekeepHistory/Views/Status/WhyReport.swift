import BlekeepOutputs
import BlekeepRecords

/// Why a device is in its state: a sentence for each kind of attempt, what the user can do, and what comes next. Pure.
package struct WhyReport {
    package let status: DeviceStatus
    package let entries: [LedgerEntry]
    private let name: String
    private let shortage: String?
    private let outage: ReadingFailure?
    private let gateway: String?
    private let staleSince: Int64?
    private let exclusion: PollExclusion?
    private let alarms: [Alarm]
    private let now: Int64
    private let offset: ((Int64) -> Int)?

    /// - Parameters:
    ///   - shortage: advice about an adapter that has too little time for all its devices.
    ///   - outage: what prevents polling of all devices, which comes before anything about this one.
    ///   - gateway: the machine that commands run on, for a reader elsewhere; `nil` for one who is there.
    ///   - exclusion: why blekeep doesn't poll the device; `nil` for a device that it polls.
    ///   - alarms: the rules that fire for the device.
    ///   - staleSince: the time of the poller's last write; `nil` while blekeep is polling.
    ///   - offset: returns the seconds that the local clock is ahead of UTC at a time; `nil` to leave out times of day.
    package init(
        status: DeviceStatus, entries: [LedgerEntry], name: String, shortage: String? = nil,
        outage: ReadingFailure? = nil, gateway: String? = nil, exclusion: PollExclusion? = nil,
        alarms: [Alarm] = [], staleSince: Int64?, now: Int64,
        offset: ((Int64) -> Int)? = LocalTime.offset
    ) {
        self.status = status
        self.entries = entries
        self.name = name
        self.shortage = shortage
        self.outage = outage
        self.gateway = gateway
        self.exclusion = exclusion
        self.alarms = alarms
        self.staleSince = staleSince
        self.now = now
        self.offset = offset
    }

    package var lines: [String] {
        let adapter = status.adapter.map { ", read with \($0)" } ?? ""
        var lines = ["\(Untrusted(name)) (\(status.address)\(adapter)): \(sentence)", ""]
        if isUnheard, !entries.isEmpty { lines.append("before that:") }
        for entry in entries { lines.append("\(moment(entry.first))  \(text(of: entry))") }
        if entries.isEmpty { lines.append("no attempts yet") }
        return lines + ["", outlook]
    }

    private var isPolled: Bool { staleSince == nil && exclusion == nil }

    /// The state of the device.
    package var sentence: String {
        if let exclusion { return exclusion.state }
        guard let staleSince, status.state != .new, !ShownState(status).isAtRest else {
            return (alarms.map(\.text) + [StatusMessages.sentence(status, now: now)]).joined(separator: "; ")
        }
        let age = AttemptMessages.span(from: min(staleSince, now), to: now)
        return "stale for \(age); before that, \(StatusMessages.sentence(status, now: staleSince))"
    }

    /// What the user can do, and what comes next.
    package var outlook: String {
        // Without a poller, a device that was good has only that.
        let advice = isPolled || exclusion != nil || status.failure != nil ? advice : nil
        return Untrusted([advice, prospect].compactMap(\.self).joined(separator: " "), limit: 600).description
    }

    /// The next step and its time; `nil` when all is well, or when the last line has it.
    private var prospect: String? {
        if exclusion != nil { return nil }
        guard isPolled else { return "blekeep isn't polling; start it with 'blekeep poll'." }
        if status.link.isIdle, entries.last(where: { $0.device != nil })?.next ?? .min > now { return nil }
        return StatusMessages.prospect(status, when: status.next.flatMap { $0 > now ? when($0) : nil })
    }

    package var json: [String] {
        let last: JSON = .object([
            "device": .text(name), "address": .text(status.address.description),
            "state": .text(status.state.rawValue), "stale": .boolean(!isPolled),
            "since": .text(UTCTime(milliseconds: status.since).iso),
            "last_value": .text(status.lastValue.map { UTCTime(milliseconds: $0).iso }),
            "link": .text(status.link.rawValue),
            "next": .text(exclusion == nil ? status.next.map { UTCTime(milliseconds: $0).iso } : nil),
            "disabled": exclusion == .disabled ? true : nil, "advice": .text(advice),
        ])
        return entries.map { Self.json($0).text } + [last.text]
    }

    /// What the user can do, and on which machine.
    package var advice: String {
        let text = step
        let isCommand = ["'blekeep ", "systemctl", "bluetoothctl"].contains { text.contains($0) }
        return gateway.map { isCommand ? "\(text) Run that on the gateway \($0)." : text } ?? text
    }

    /// Whether blekeep hasn't heard the device since it is in the configuration, and doesn't count it as lost yet.
    private var isUnheard: Bool {
        isPolled && status.state == .new && status.pause == nil && !status.isStandingBy && !status.link.isConnected
    }

    private var step: String {
        if let exclusion {
            return "blekeep doesn't poll the device: \(exclusion.advice(for: name, at: status.address))."
        }
        if isPolled, let outage {
            return Advice.sentence(outage, remedy: nil, of: DeviceNames.argument(name, at: status.address))
        }
        if isUnheard {
            return
                "blekeep hasn't heard the device yet: make sure that it is on and near; 'blekeep scan' shows nearby devices."
        }
        if isPolled, status.failure == nil, !alarms.isEmpty {
            return "blekeep reads the device well; see to what it measures."
        }
        if isPolled, status.failure == nil || status.failure?.code == .known(.late), let shortage { return shortage }
        return Advice.sentence(
            status.failure, remedy: status.condition.trouble?.remedy, of: DeviceNames.argument(name, at: status.address)
        )
    }

    /// What happened, how often, and what follows.
    package func text(of entry: LedgerEntry) -> String {
        let text =
            offset == nil
            ? AttemptMessages.sentence(entry)
            : AttemptMessages.sentence(entry, when: when(entry), until: moment(entry.last), isPolled: isPolled)
        return Untrusted(text, limit: 600).description
    }

    private func when(_ entry: LedgerEntry) -> String? { entry.next.map(when) }

    private func when(_ next: Int64) -> String {
        let left = next >= now + 1000 ? "in \(AttemptMessages.span(from: now, to: next))" : ""
        guard offset != nil else { return left.isEmpty ? "now" : left }
        return "at \(moment(next))" + (left.isEmpty ? "" : " (\(left))")
    }

    /// Returns the local time, with the date unless it is today.
    private func moment(_ time: Int64) -> String {
        let offset = offset ?? { _ in 0 }
        return UTCTime(milliseconds: time, offset: offset).clock(now: UTCTime(milliseconds: now, offset: offset))
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
