import BlekeepRecords
internal import GRDB

extension HistoryReader {
    /// Returns a report on the time until now, or until another time.
    ///
    /// - Parameters:
    ///   - length: how far back from the end, by the kernel's clock where it ran; from the beginning to the end of a row of ten minutes.
    ///   - until: milliseconds since 1970; `nil` for now.
    ///   - now: the machine's clocks.
    /// - Returns: `nil` when there is no heartbeat.
    package func report(since length: Duration, until: Int64? = nil, now: ClockReading = .now()) throws -> Report? {
        var report = try unfilledReport(since: length, until: until, now: now)
        if let time = report, time.from <= time.to { report?.logged = try loggedCount(in: time.from...time.to) }
        return report
    }

    private func unfilledReport(since length: Duration, until: Int64?, now: ClockReading) throws -> Report? {
        try database { database in
            var builder = ReportBuilder(since: length, until: until, now: now)
            let gaps = try Self.gaps(in: database)
            let rows = try Row.fetchCursor(
                database,
                sql: """
                    SELECT id, boot, from_boot_ns, to_boot_ns, from_ms, to_ms, state, mode, supply, from_percent,
                    to_percent, scan_ms, packets FROM heartbeats ORDER BY id DESC
                    """)
            while !builder.isComplete, let row = try rows.next() {
                guard var row = Self.row(row) else { throw HistoryError.damaged(path: path) }
                row.downtime = gaps[row.id]
                builder.add(row)
            }
            let identifiers = builder.identifiers
            return builder.report(try identifiers.map { try Self.activities($0, in: database) } ?? [])
        }
    }

    /// Returns the gaps that lie in a time, at least in part, the oldest first.
    package func gaps(in time: ClosedRange<Int64>) throws -> [Report.Gap] {
        try database { try Self.gaps(in: $0) }.values
            .filter { $0.from <= $0.to && $0.to >= time.lowerBound && $0.from <= time.upperBound }
            .sorted { ($0.from, $0.to) < ($1.from, $1.to) }
    }

    private static func row(_ row: Row) -> ReportBuilder.Row? {
        guard let id = Int64.stored(row[0]), let boot = String.fromDatabaseValue(row[1]),
            let from = Int64.stored(row[2]), let to = Int64.stored(row[3]),
            let fromTime = Int64.stored(row[4]), let toTime = Int64.stored(row[5])
        else { return nil }
        return ReportBuilder.Row(
            id: id, boot: boot, from: .nanoseconds(from), to: .nanoseconds(to), fromTime: fromTime, toTime: toTime,
            state: HeartbeatTables.word(row[6]) ?? .running, mode: HeartbeatTables.word(row[7]) ?? .normal,
            supply: HeartbeatTables.word(row[8]) ?? .unknown, fromPercentage: percentage(row[9]),
            toPercentage: percentage(row[10]),
            air: AirUse(row[11], row[12]))
    }

    private static func percentage(_ value: DatabaseValue) -> Double? {
        Double.fromDatabaseValue(value).flatMap { $0 >= 0 && $0 <= 100 ? $0 : nil }
    }

    private static func gaps(in database: Database) throws -> [Int64: Report.Gap] {
        let rows = try Row.fetchAll(database, sql: "SELECT heartbeat, cause, from_ms, to_ms, length_ms FROM downtimes")
        return Dictionary(
            rows.compactMap { row in
                guard let id = Int64.stored(row[0]), let from = Int64.stored(row[2]),
                    let to = Int64.stored(row[3])
                else { return nil }
                let length = Int64.stored(row[4]).map { Duration.milliseconds(max(0, $0)) }
                let gap = Report.Gap(
                    offset: .zero, length: length, cause: HeartbeatTables.word(row[1]) ?? .unknown, from: from, to: to)
                return (id, gap)
            }, uniquingKeysWith: { $1 })
    }

    private static func activities(_ rows: ClosedRange<Int64>, in database: Database) throws -> [DeviceActivity] {
        let found = try Row.fetchAll(
            database,
            sql: """
                SELECT device, alias, address, sum(good), sum(failed), sum(missed), sum(samples), sum(connects),
                    sum(air_ms), max(heartbeat) -- the alias and the address are those of that row
                FROM activity WHERE heartbeat BETWEEN ? AND ? GROUP BY device
                """, arguments: [rows.lowerBound, rows.upperBound])
        return found.compactMap { row in
            guard let device = HistoryText.decode(row[0]).flatMap({ DeviceID($0) }),
                let alias = HistoryText.decode(row[1]),
                let address = String.fromDatabaseValue(row[2]).flatMap({ BluetoothAddress($0) })
            else { return nil }
            func count(_ column: Int) -> Int { Int64.stored(row[column]).map { Int(clamping: $0) } ?? 0 }
            var activity = DeviceActivity(id: device, device: alias, address: address)
            activity.good = count(3)
            activity.failed = count(4)
            activity.missed = count(5)
            activity.values = count(6)
            activity.connects = count(7)
            activity.onAir = .milliseconds(count(8))
            return activity
        }
    }
}
