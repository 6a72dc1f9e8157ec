import BlekeepRecords
internal import GRDB
import RunLoop

/// Writes heartbeats into the row that is open, or into a new one.
struct HeartbeatWriter {
    private struct Open {
        var id: Int64
        var first: ClockReading
        var last: Heartbeat
        /// The most readings that waited for each sink, of those for which some did.
        var backlogs: [String: Int64] = [:]
    }

    private var open: Open?
    /// Whether the clock was set at the last heartbeat; `nil` before the first.
    private var wasSet: Bool?

    static let longestRow: Duration = .seconds(600)

    /// Forgets the open row after a rollback.
    mutating func reset() { self = HeartbeatWriter() }

    /// - Parameter sequence: the number of the newest reading, this commit's included.
    mutating func write(_ heartbeat: Heartbeat, sequence: Int64, in database: Database) throws {
        let isSet = heartbeat.clocks.isSynchronized != false
        if isSet, wasSet != true {
            try HeartbeatCorrection.apply(heartbeat.clocks, in: database)
            open?.last.clocks.correct(by: heartbeat.clocks)
        }
        wasSet = isSet
        var id: Int64
        if let open, Self.continues(heartbeat, after: open.last),
            heartbeat.clocks.sinceBoot - open.first.sinceBoot <= Self.longestRow
        {
            id = open.id
            let backlogs = open.backlogs.merging(Self.waiting(heartbeat), uniquingKeysWith: max)
            try extend(
                id, by: heartbeat, sequence: sequence, backlogs: try Self.text(backlogs, in: database), in: database)
            self.open?.last = heartbeat
            self.open?.backlogs = backlogs
        } else {
            // Without a downtime, a row begins where the last one ends.
            let first = open.flatMap { Self.follows(heartbeat, after: $0.last) ? $0.last : nil } ?? heartbeat
            let backlogs = Self.waiting(heartbeat)
            id = try begin(
                from: first, with: heartbeat, sequence: sequence, backlogs: try Self.text(backlogs, in: database),
                in: database)
            open = Open(id: id, first: first.clocks, last: heartbeat, backlogs: backlogs)
            try Self.trim(before: id - HeartbeatTables.maxRows, in: database)
        }
        for activity in heartbeat.activities { try Self.add(activity, to: id, in: database) }
        if var downtime = heartbeat.downtime {
            // It may have begun, and ended, before the clock was set.
            if isSet { downtime.correct(by: heartbeat.clocks) }
            try Self.write(downtime, before: id, in: database)
        }
    }

    private static func waiting(_ heartbeat: Heartbeat) -> [String: Int64] {
        heartbeat.backlogs.filter { $0.value > 0 }
    }

    /// A JSON object; `nil` for nothing.
    private static func text(_ backlogs: [String: Int64], in database: Database) throws -> String? {
        guard !backlogs.isEmpty else { return nil }
        let marks = Array(repeating: "?, ?", count: backlogs.count).joined(separator: ", ")
        let values = backlogs.sorted { $0.key < $1.key }.flatMap { [$0.key.databaseValue, $0.value.databaseValue] }
        return try String.fetchOne(
            database.cachedStatement(sql: "SELECT json_object(\(marks))"), arguments: StatementArguments(values))
    }

    private static func follows(_ heartbeat: Heartbeat, after last: Heartbeat) -> Bool {
        last.state == .running && heartbeat.downtime == nil && heartbeat.clocks.boot == last.clocks.boot
            && heartbeat.clocks.sinceBoot >= last.clocks.sinceBoot
    }

    private static func continues(_ heartbeat: Heartbeat, after last: Heartbeat) -> Bool {
        follows(heartbeat, after: last) && heartbeat.mode == last.mode && heartbeat.supply == last.supply
    }

    private func extend(
        _ id: Int64, by heartbeat: Heartbeat, sequence: Int64, backlogs: String?, in database: Database
    ) throws {
        let statement = try database.cachedStatement(
            sql: """
                UPDATE heartbeats SET to_boot_ns = ?, to_awake_ns = ?, to_ms = ?, synchronized = ?, seq = ?, state = ?,
                from_percent = coalesce(from_percent, ?), to_percent = coalesce(?, to_percent), backlogs = ?,
                scan_ms = scan_ms + ?, packets = packets + ? WHERE id = ?
                """)
        let clocks = heartbeat.clocks
        try statement.execute(arguments: [
            clocks.sinceBoot.wholeNanoseconds, clocks.awake.wholeNanoseconds, clocks.time,
            clocks.isSynchronized, sequence, heartbeat.state.rawValue, heartbeat.percentage, heartbeat.percentage,
            backlogs, heartbeat.air.scanned.wholeMilliseconds, heartbeat.air.packets, id,
        ])
    }

    private func begin(
        from first: Heartbeat, with heartbeat: Heartbeat, sequence: Int64, backlogs: String?, in database: Database
    ) throws -> Int64 {
        let statement = try database.cachedStatement(
            sql: """
                INSERT INTO heartbeats (boot, from_boot_ns, from_awake_ns, from_ms, to_boot_ns, to_awake_ns, to_ms,
                synchronized, seq, state, mode, supply, from_percent, to_percent, scan_ms, packets, backlogs)
                VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
                """)
        let (from, to) = (first.clocks, heartbeat.clocks)
        try statement.execute(arguments: [
            to.boot, from.sinceBoot.wholeNanoseconds, from.awake.wholeNanoseconds, from.time,
            to.sinceBoot.wholeNanoseconds, to.awake.wholeNanoseconds, to.time, to.isSynchronized, sequence,
            heartbeat.state.rawValue, heartbeat.mode.rawValue, heartbeat.supply.rawValue,
            first.percentage ?? heartbeat.percentage, heartbeat.percentage,
            heartbeat.air.scanned.wholeMilliseconds, heartbeat.air.packets, backlogs,
        ])
        return database.lastInsertedRowID
    }

    private static func add(_ activity: DeviceActivity, to id: Int64, in database: Database) throws {
        let statement = try database.cachedStatement(
            sql: """
                INSERT INTO activity (heartbeat, device, alias, address, good, failed, missed, samples, connects, air_ms)
                VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
                ON CONFLICT (heartbeat, device, alias, address) DO UPDATE SET good = good + excluded.good,
                failed = failed + excluded.failed, missed = missed + excluded.missed,
                samples = samples + excluded.samples, connects = connects + excluded.connects,
                air_ms = air_ms + excluded.air_ms
                """)
        try statement.execute(arguments: [
            id, activity.id.description, HistoryText.encode(activity.device), activity.address.description,
            activity.good, activity.failed,
            activity.missed, activity.values, activity.connects, activity.onAir.wholeNanoseconds / 1_000_000,
        ])
    }

    private static func write(_ downtime: Downtime, before id: Int64, in database: Database) throws {
        try database.execute(
            sql: """
                INSERT INTO downtimes (heartbeat, cause, from_boot, from_boot_ns, from_ms, to_boot, to_boot_ns, to_ms,
                length_ms) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
                """,
            arguments: [
                id, downtime.cause.rawValue, downtime.from.boot, downtime.from.sinceBoot.wholeNanoseconds,
                downtime.from.time, downtime.to.boot, downtime.to.sinceBoot.wholeNanoseconds, downtime.to.time,
                downtime.length.map { $0.wholeNanoseconds / 1_000_000 },
            ])
    }

    private static func trim(before id: Int64, in database: Database) throws {
        guard id > 0 else { return }
        for (table, column) in [("heartbeats", "id"), ("activity", "heartbeat"), ("downtimes", "heartbeat")] {
            try database.cachedStatement(sql: "DELETE FROM \(table) WHERE \(column) <= ?").execute(arguments: [id])
        }
    }
}

/// Corrects the times of heartbeats and downtimes when the machine's clock is set, as `ClockLog` corrects those of readings.
enum HeartbeatCorrection {
    /// Corrects what was written since the same start of the machine while the clock wasn't set.
    static func apply(_ clocks: ClockReading, in database: Database) throws {
        let gaps = try Row.fetchAll(
            database,
            sql: """
                SELECT id, from_boot, from_boot_ns, from_ms, to_boot_ns, to_ms, cause, length_ms,
                    (SELECT state FROM heartbeats AS earlier WHERE earlier.id < heartbeat ORDER BY id DESC LIMIT 1)
                FROM downtimes WHERE to_boot = ?1
                AND heartbeat IN (SELECT id FROM heartbeats WHERE boot = ?1 AND synchronized = 0)
                """, arguments: [clocks.boot])
        for row in gaps { try correct(row, by: clocks, in: database) }
        try database.execute(
            sql: """
                UPDATE heartbeats SET from_ms = ?1 + from_boot_ns / 1000000, to_ms = ?1 + to_boot_ns / 1000000,
                    synchronized = 1
                WHERE boot = ?2 AND synchronized = 0
                """, arguments: [clocks.timeOfBoot, clocks.boot])
    }

    private static func correct(_ row: Row, by clocks: ClockReading, in database: Database) throws {
        guard let id = Int64.stored(row[0]), let boot = String.fromDatabaseValue(row[1]),
            let from = Int64.stored(row[2]), let fromTime = Int64.stored(row[3]),
            let to = Int64.stored(row[4]), let toTime = Int64.stored(row[5])
        else { return }
        func unset(boot: String, sinceBoot: Int64, time: Int64) -> ClockReading {
            ClockReading(
                boot: boot, sinceBoot: .nanoseconds(sinceBoot), awake: .nanoseconds(sinceBoot), time: time,
                isSynchronized: false)
        }
        var gap = Downtime(
            cause: HeartbeatTables.word(row[6]) ?? .unknown, from: unset(boot: boot, sinceBoot: from, time: fromTime),
            to: unset(boot: clocks.boot, sinceBoot: to, time: toTime),
            length: Int64.stored(row[7]).map { .milliseconds($0) },
            after: HeartbeatTables.word(row[8]) ?? .running)
        gap.correct(by: clocks)
        try database.execute(
            sql: "UPDATE downtimes SET cause = ?, from_ms = ?, to_ms = ?, length_ms = ? WHERE id = ?",
            arguments: [
                gap.cause.rawValue, gap.from.time, gap.to.time, gap.length.map { $0.wholeNanoseconds / 1_000_000 }, id,
            ])
    }
}
