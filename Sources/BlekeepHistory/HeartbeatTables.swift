import Blekeep
internal import GRDB

/// The tables of heartbeats: what a report needs, in a few rows an hour.
///
/// Heartbeats that continue each other (the same start of the machine and of the keeper, the same mode and supply)
/// share a row for ten minutes. `activity` counts the reads of each device in that time.
enum HeartbeatTables {
    static let name = "heartbeats"
    /// The number of newest rows to keep: four months, or more if modes seldom change. The clock may be wrong, so age
    /// doesn't count.
    static let mostRows: Int64 = 20_000

    static func register(_ migrator: inout DatabaseMigrator) {
        migrator.registerMigration("heartbeats", foreignKeyChecks: .immediate) { database in
            try database.execute(
                sql: """
                    CREATE TABLE heartbeats (
                        id INTEGER PRIMARY KEY AUTOINCREMENT,
                        boot TEXT NOT NULL,
                        from_boot_ns INTEGER NOT NULL,   -- CLOCK_BOOTTIME
                        from_awake_ns INTEGER NOT NULL,  -- CLOCK_MONOTONIC
                        from_ms INTEGER NOT NULL,        -- CLOCK_REALTIME: a label
                        to_boot_ns INTEGER NOT NULL,
                        to_awake_ns INTEGER NOT NULL,
                        to_ms INTEGER NOT NULL,
                        synchronized INTEGER,
                        seq INTEGER NOT NULL,            -- the last reading of the same commit
                        state TEXT NOT NULL,
                        mode TEXT NOT NULL,
                        supply TEXT NOT NULL,
                        from_percent REAL,
                        to_percent REAL
                    );
                    CREATE TABLE activity (
                        heartbeat INTEGER NOT NULL,
                        device TEXT NOT NULL,
                        address TEXT NOT NULL,
                        good INTEGER NOT NULL,
                        failed INTEGER NOT NULL,
                        missed INTEGER NOT NULL,
                        samples INTEGER NOT NULL,
                        connects INTEGER NOT NULL,
                        air_ms INTEGER NOT NULL,
                        PRIMARY KEY (heartbeat, address, device)
                    ) WITHOUT ROWID;
                    CREATE TABLE downtimes (
                        id INTEGER PRIMARY KEY AUTOINCREMENT,
                        heartbeat INTEGER NOT NULL,      -- the first one after it
                        cause TEXT NOT NULL,
                        from_boot TEXT NOT NULL,
                        from_boot_ns INTEGER NOT NULL,
                        from_ms INTEGER NOT NULL,
                        to_boot TEXT NOT NULL,
                        to_boot_ns INTEGER NOT NULL,
                        to_ms INTEGER NOT NULL,
                        length_ms INTEGER                -- NULL: no clock tells
                    );
                    """)
        }
    }

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
        guard let boot = String.fromDatabaseValue(row[0]), let sinceBoot = Int64.fromDatabaseValue(row[1]),
            let awake = Int64.fromDatabaseValue(row[2]), let time = Int64.fromDatabaseValue(row[3])
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
