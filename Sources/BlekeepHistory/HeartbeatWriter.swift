import Blekeep
internal import GRDB
import RunLoop

/// Writes heartbeats into the row that is open, or into a new one.
struct HeartbeatWriter {
    private struct Open {
        var id: Int64
        var first: ClockReading
        var last: Heartbeat
    }

    private var open: Open?

    static let longestRow: Duration = .seconds(600)

    /// Forgets the open row after a rollback.
    mutating func reset() { open = nil }

    /// - Parameter sequence: the number of the newest reading, this commit's included.
    mutating func write(_ heartbeat: Heartbeat, sequence: Int64, in database: Database) throws {
        var id: Int64
        if let open, Self.continues(heartbeat, open.last),
            heartbeat.clocks.sinceBoot - open.first.sinceBoot <= Self.longestRow
        {
            id = open.id
            try extend(id, heartbeat, sequence, in: database)
            self.open?.last = heartbeat
        } else {
            // Without a downtime, a row begins where the last one ends.
            let first = open.flatMap { Self.follows(heartbeat, $0.last) ? $0.last : nil } ?? heartbeat
            id = try begin(from: first, heartbeat, sequence, in: database)
            open = Open(id: id, first: first.clocks, last: heartbeat)
            try Self.trim(before: id - HeartbeatTables.mostRows, in: database)
        }
        for activity in heartbeat.activities { try Self.add(activity, to: id, in: database) }
        if let downtime = heartbeat.downtime { try Self.write(downtime, before: id, in: database) }
    }

    private static func follows(_ heartbeat: Heartbeat, _ last: Heartbeat) -> Bool {
        last.state == .running && heartbeat.downtime == nil && heartbeat.clocks.boot == last.clocks.boot
            && heartbeat.clocks.sinceBoot >= last.clocks.sinceBoot
    }

    private static func continues(_ heartbeat: Heartbeat, _ last: Heartbeat) -> Bool {
        follows(heartbeat, last) && heartbeat.mode == last.mode && heartbeat.supply == last.supply
    }

    private func extend(_ id: Int64, _ heartbeat: Heartbeat, _ sequence: Int64, in database: Database) throws {
        let statement = try database.cachedStatement(
            sql: """
                UPDATE heartbeats SET to_boot_ns = ?, to_awake_ns = ?, to_ms = ?, synchronized = ?, seq = ?, state = ?,
                from_percent = coalesce(from_percent, ?), to_percent = coalesce(?, to_percent) WHERE id = ?
                """)
        let clocks = heartbeat.clocks
        try statement.execute(arguments: [
            clocks.sinceBoot.wholeNanoseconds, clocks.awake.wholeNanoseconds, clocks.time,
            clocks.isSynchronized, sequence, heartbeat.state.rawValue, heartbeat.percentage, heartbeat.percentage, id,
        ])
    }

    private func begin(
        from first: Heartbeat, _ heartbeat: Heartbeat, _ sequence: Int64, in database: Database
    ) throws -> Int64 {
        let statement = try database.cachedStatement(
            sql: """
                INSERT INTO heartbeats (boot, from_boot_ns, from_awake_ns, from_ms, to_boot_ns, to_awake_ns, to_ms,
                synchronized, seq, state, mode, supply, from_percent, to_percent)
                VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
                """)
        let (from, to) = (first.clocks, heartbeat.clocks)
        try statement.execute(arguments: [
            to.boot, from.sinceBoot.wholeNanoseconds, from.awake.wholeNanoseconds, from.time,
            to.sinceBoot.wholeNanoseconds, to.awake.wholeNanoseconds, to.time, to.isSynchronized, sequence,
            heartbeat.state.rawValue, heartbeat.mode.rawValue, heartbeat.supply.rawValue,
            first.percentage ?? heartbeat.percentage, heartbeat.percentage,
        ])
        return database.lastInsertedRowID
    }

    private static func add(_ activity: DeviceActivity, to id: Int64, in database: Database) throws {
        let statement = try database.cachedStatement(
            sql: """
                INSERT INTO activity (heartbeat, device, address, good, failed, missed, samples, connects, air_ms)
                VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
                ON CONFLICT (heartbeat, address, device) DO UPDATE SET good = good + excluded.good,
                failed = failed + excluded.failed, missed = missed + excluded.missed,
                samples = samples + excluded.samples, connects = connects + excluded.connects,
                air_ms = air_ms + excluded.air_ms
                """)
        try statement.execute(arguments: [
            id, HistoryText.encode(activity.device), activity.address.description, activity.good, activity.failed,
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
