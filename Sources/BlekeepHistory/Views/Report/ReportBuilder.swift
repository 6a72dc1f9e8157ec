import BlekeepRecords

/// Puts a report together from rows of heartbeats, the newest first, until they make up the time that is asked for.
struct ReportBuilder {
    struct Row {
        var id: Int64
        var boot: String
        var from: Duration
        var to: Duration
        var fromTime: Int64
        var toTime: Int64
        var state: Heartbeat.State
        var mode: PowerMode
        var supply: PowerState
        var fromPercentage: Double?
        var toPercentage: Double?
        var air = AirUse()
        /// The stored gap before this row.
        var downtime: Report.Gap?
    }

    private let wanted: Duration
    private let until: Int64?
    private var rows: [Row] = []
    /// The row after the end; `nil` if there is none.
    private var next: Row?
    private var length: Duration = .zero
    private var trailing: Report.Gap?
    private let now: ClockReading

    /// The longest time between two heartbeats of a running poller.
    static let longestSilence: Duration = .seconds(16 * 60)

    /// - Parameters:
    ///   - wanted: the time to report on.
    ///   - until: its end in milliseconds since 1970; `nil` for now.
    init(since wanted: Duration, until: Int64? = nil, now: ClockReading) {
        self.wanted = wanted
        self.until = until
        self.now = now
    }

    /// Whether that is enough.
    var isComplete: Bool { length >= wanted }

    /// Takes an older row.
    mutating func add(_ row: Row) {
        if let newer = rows.last {
            length += gap(between: row, newer)?.length ?? .zero
        } else if let until, row.fromTime >= until {
            next = row
            return
        } else {
            trailing = rest(after: row)
            length += trailing?.length ?? .zero
        }
        // A gap may be as long as all that was asked for: nothing before it belongs here.
        guard !isComplete || rows.isEmpty else { return }
        rows.append(row)
        length += max(.zero, row.to - row.from)
    }

    func report(_ activities: [DeviceActivity]) -> Report? {
        guard let first = rows.last, let last = rows.first else { return nil }
        var report = Report(from: first.fromTime, to: trailing?.to ?? last.toTime)
        var offset = Duration.zero
        func add(_ gap: Report.Gap?) {
            guard var gap else { return }
            gap.offset = offset
            report.gaps.append(gap)
            offset += gap.length ?? .zero
        }
        for (index, row) in rows.enumerated().reversed() {
            if index + 1 < rows.count { add(gap(between: rows[index + 1], row)) }
            let span = Self.span(row, at: offset)
            report.spans.append(span)
            offset += span.length
        }
        add(trailing)
        report.air = rows.reduce(AirUse()) { $0 + $1.air }
        report.isRunning = last.state == .running && trailing == nil && next == nil
        report.devices = activities.sorted { ($0.device, $0.address) < ($1.device, $1.address) }
        return report
    }

    /// The rows that are reported on.
    var identifiers: ClosedRange<Int64>? {
        guard let first = rows.last, let last = rows.first, first.id <= last.id else { return nil }
        return first.id...last.id
    }

    private static func span(_ row: Row, at offset: Duration) -> Report.Span {
        var span = Report.Span(
            offset: offset, length: max(.zero, row.to - row.from), mode: row.mode, supply: row.supply)
        if let from = row.fromPercentage ?? row.toPercentage, let to = row.toPercentage ?? row.fromPercentage {
            span.percentages = min(from, to)...max(from, to)
            span.isDraining = to < from
        }
        return span
    }

    /// Returns the gap between a row and the next one: the stored one, or the difference of their clocks.
    private func gap(between older: Row, _ newer: Row) -> Report.Gap? {
        if var gap = newer.downtime {
            if gap.length == nil, older.boot == newer.boot { gap.length = newer.from - older.to }
            return gap
        }
        guard older.boot == newer.boot, newer.from > older.to else { return nil }
        let causes: [Heartbeat.State: Downtime.Cause] = [.asleep: .suspend, .stopped: .stopped]
        return Report.Gap(
            offset: .zero, length: newer.from - older.to, cause: causes[older.state] ?? .unknown, from: older.toTime,
            to: newer.fromTime)
    }

    /// Returns the gap between the last row and the end; `nil` for none.
    private func rest(after last: Row) -> Report.Gap? {
        guard var gap = next.map({ gap(between: last, $0) }) ?? silence(after: last) else { return nil }
        guard let until, gap.to > until else { return gap }
        guard until > gap.from else { return nil }
        gap.to = until
        gap.length = .milliseconds(until - gap.from)
        return gap
    }

    /// Returns the gap since the last heartbeat; `nil` if it is normal for a running poller.
    private func silence(after last: Row) -> Report.Gap? {
        let heartbeat = Heartbeat(
            clocks: ClockReading(boot: last.boot, sinceBoot: last.to, awake: last.to, time: last.toTime),
            state: last.state)
        var downtime = Downtime(since: heartbeat, until: now)
        guard let length = downtime.length, length > (last.state == .running ? Self.longestSilence : .zero) else {
            return nil
        }
        if last.state == .running, downtime.cause == .suspend { downtime.cause = .unknown }
        return Report.Gap(offset: .zero, length: length, cause: downtime.cause, from: last.toTime, to: now.time)
    }
}
