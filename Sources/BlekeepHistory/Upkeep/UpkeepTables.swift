internal import GRDB

/// The tables of a history's upkeep: the rollups, the times of readings, the settings of the clock, and the progress.
enum UpkeepTables {
    static let schema = """
        CREATE TABLE rollups (
            minutes INTEGER NOT NULL,   -- how long the time is: 5 or 60
            period INTEGER NOT NULL,    -- twelve or 168 such times, so that a series' rows lie side by side
            series INTEGER NOT NULL,
            start INTEGER NOT NULL,     -- the time since 1970, in units of `minutes`
            count INTEGER NOT NULL,     -- values, or failed reads
            min REAL,                   -- NULL for what is no number
            max REAL,
            sum REAL,
            kind INTEGER NOT NULL,      -- of `last`, as in `measurements`
            last,
            PRIMARY KEY (minutes, period, series, start)
        ) WITHOUT ROWID;
        CREATE TABLE spans (            -- the times of some successive readings that are in the rollups
            first INTEGER PRIMARY KEY,
            last INTEGER NOT NULL,
            from_ms INTEGER NOT NULL,
            to_ms INTEGER NOT NULL
        );
        CREATE TABLE clocks (           -- none: the clock was always set
            first INTEGER PRIMARY KEY,  -- the number of the first reading
            boot TEXT NOT NULL,
            boot_ns INTEGER NOT NULL,   -- CLOCK_BOOTTIME
            time_ms INTEGER NOT NULL,   -- CLOCK_REALTIME at that moment
            state INTEGER NOT NULL,     -- 0 not set, 1 set, 2 being corrected, 3 corrected, 4 left as it is
            shift_ms INTEGER NOT NULL,  -- what is added to times that are corrected
            fixed INTEGER NOT NULL      -- the last reading whose time is corrected
        );
        CREATE TABLE upkeep (
            id INTEGER PRIMARY KEY CHECK (id = 1),
            given INTEGER,              -- the highest number of a reading that is there no more
            rolled INTEGER NOT NULL,    -- the last reading in the rollups
            rollup_bytes INTEGER NOT NULL,  -- what the rollups take at most
            notice_ms INTEGER,          -- how long until the first removal; NULL: it isn't announced yet
            taken_over INTEGER NOT NULL -- whether an earlier version wrote readings that must not go before that
        );
        """

    static func migrate(_ database: Database) throws {
        try database.execute(sql: schema)
        try database.execute(
            sql: """
                INSERT INTO upkeep VALUES (1, (SELECT seq FROM sqlite_sequence WHERE name = 'measurements'), 0, 0, NULL,
                    EXISTS (SELECT 1 FROM measurements));
                """)
        try keepOwnNumbers(database)
    }

    /// Restores a lost row of `upkeep` from the spans.
    static func restore(_ database: Database) throws {
        guard try Int64.fetchOne(database, sql: "SELECT id FROM upkeep") == nil else { return }
        let texts = HistoryRow.Kind.texts
        try database.execute(
            sql: """
                INSERT INTO upkeep
                SELECT 1, NULL, (SELECT max(0, ifnull(max(last), 0)) FROM spans),
                    count(*) * \(RollupBucket.bytes) + total(kind IN (\(texts))) * \(RollupBucket.moreWithText), NULL, 0
                FROM rollups
                """)
    }

    /// Removes AUTOINCREMENT, with which SQLite writes one more page per commit. `measurements` and `upkeep` hold the last
    /// number already.
    private static func keepOwnNumbers(_ database: Database) throws {
        let version = try Int.fetchOne(database, sql: "PRAGMA schema_version") ?? 0
        try database.execute(
            sql: """
                PRAGMA writable_schema = ON;
                UPDATE sqlite_master SET sql = replace(sql, ' AUTOINCREMENT', '') WHERE name = 'measurements';
                DELETE FROM sqlite_sequence WHERE name = 'measurements';
                PRAGMA schema_version = \(version + 1);
                PRAGMA writable_schema = RESET;
                """)
    }
}
