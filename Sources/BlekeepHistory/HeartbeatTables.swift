import BlekeepRecords
internal import GRDB

/// The tables of heartbeats: what a report needs, in a few rows an hour.
///
/// Heartbeats that continue each other (the same start of the machine and of the poller, the same mode and supply)
/// share a row for ten minutes. `activity` counts the reads of each device in that time.
enum HeartbeatTables {
    /// The number of newest rows to keep: four months, or more if modes seldom change. The clock may be wrong, so age
    /// doesn't count.
    static let maxRows: Int64 = 20_000

    /// The last heartbeat, without its activities and its downtime.
    static func last(in database: Database) throws -> Heartbeat? {
        let row = try Row.fetchOne(
            database,
            sql: """
                SELECT boot, to_boot_ns, to_awake_ns, to_ms, synchronized, state, mode, supply, to_percent
                FROM heartbeats ORDER BY id DESC LIMIT 1
                """)
        return row.flatMap(heartbeat)
    }

    private static func heartbeat(_ row: Row) -> Heartbeat? {
        guard let boot = String.fromDatabaseValue(row[0]), let sinceBoot = Int64.stored(row[1]),
            let awake = Int64.stored(row[2]), let time = Int64.stored(row[3])
        else { return nil }
        return Heartbeat(
            clocks: ClockReading(
                boot: boot, sinceBoot: .nanoseconds(sinceBoot), awake: .nanoseconds(awake), time: time,
                isSynchronized: Bool.fromDatabaseValue(row[4])),
            state: word(row[5]) ?? .running, mode: word(row[6]) ?? .normal, supply: word(row[7]) ?? .unknown,
            percentage: Double.fromDatabaseValue(row[8]))
    }

    static func word<Word: RawRepresentable<String>>(_ value: DatabaseValue) -> Word? {
        String.fromDatabaseValue(value).flatMap(Word.init)
    }
}
