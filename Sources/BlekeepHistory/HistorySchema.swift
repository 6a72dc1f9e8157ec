internal import GRDB

/// The tables of a history.
///
/// `series` has the repeated values of readings (device, characteristic, field, unit) once, so that a row of
/// `measurements` takes about 30 bytes.
enum HistorySchema {
    /// "blkp", which distinguishes a history from another program's database.
    static let applicationID: Int32 = 0x626C_6B70

    static var migrator: DatabaseMigrator {
        var migrator = DatabaseMigrator()
        migrator.registerMigration("1 readings", foreignKeyChecks: .immediate) { database in
            try database.execute(
                sql: """
                    PRAGMA application_id = \(applicationID);
                    CREATE TABLE series (
                        id INTEGER PRIMARY KEY,
                        device TEXT NOT NULL,
                        address TEXT NOT NULL,
                        service TEXT NOT NULL,
                        characteristic TEXT NOT NULL,
                        name TEXT NOT NULL,
                        field TEXT,          -- NULL: failed reads
                        unit TEXT
                    );
                    CREATE UNIQUE INDEX series_key ON series (
                        address, service, characteristic, device, name, ifnull(field, x''), ifnull(unit, x''));
                    CREATE TABLE measurements (
                        seq INTEGER PRIMARY KEY AUTOINCREMENT,
                        series INTEGER NOT NULL,
                        time_ms INTEGER NOT NULL,
                        tick INTEGER NOT NULL,
                        kind INTEGER NOT NULL,  -- 0 failed, 1 integer, 2 number, 3 text, 4 boolean, 5 list, 6 no value
                        value,
                        state TEXT,
                        raw,
                        error_code TEXT,
                        error_message TEXT
                    );
                    """)
        }
        migrator.registerMigration("ledger", foreignKeyChecks: .immediate) { database in
            try database.execute(sql: LedgerRows.schema)
        }
        HeartbeatTables.register(&migrator)
        migrator.registerMigration("missed lines", foreignKeyChecks: .immediate) { database in
            try database.execute(sql: LedgerRows.missedSchema)
        }
        migrator.registerMigration("salvages", foreignKeyChecks: .immediate) { database in
            try database.execute(
                sql: """
                    CREATE TABLE salvages (
                        copy TEXT PRIMARY KEY,      -- a damaged file in the same folder
                        page INTEGER NOT NULL,      -- the next page to copy from
                        readings INTEGER NOT NULL,  -- copied so far
                        done INTEGER NOT NULL
                    ) WITHOUT ROWID;
                    """)
        }
        migrator.registerMigration("life", foreignKeyChecks: .immediate) { database in
            try database.execute(sql: LedgerRows.lifeSchema)
        }
        migrator.registerMigration("series by field", foreignKeyChecks: .immediate, migrate: SeriesTable.migrate)
        migrator.registerMigration("upkeep", foreignKeyChecks: .immediate, migrate: UpkeepTables.migrate)
        migrator.registerMigration("thinned", foreignKeyChecks: .immediate) { database in
            try database.execute(sql: LedgerRows.thinnedSchema)
        }
        migrator.registerMigration("sinks", foreignKeyChecks: .immediate) { database in
            try database.execute(sql: LedgerRows.sinksSchema)
        }
        migrator.registerMigration("adapters", foreignKeyChecks: .immediate, migrate: LedgerRows.migrateAdapters)
        migrator.registerMigration("air time", foreignKeyChecks: .immediate, migrate: LedgerRows.addAirTime)
        migrator.registerMigration("confirmed", foreignKeyChecks: .immediate, migrate: LedgerRows.addConfirmed)
        migrator.registerMigration("pauses", foreignKeyChecks: .immediate) { database in
            try database.execute(sql: LedgerRows.pauseSchema)
        }
        migrator.registerMigration("one-off runs", foreignKeyChecks: .immediate) { database in
            try database.execute(sql: LedgerRows.oneOffSchema)
        }
        migrator.registerMigration("identities", foreignKeyChecks: .immediate) { database in
            try database.execute(sql: LedgerRows.identitySchema)
        }
        migrator.registerMigration("slow writes", foreignKeyChecks: .immediate) { database in
            try database.execute(sql: LedgerRows.slowSchema)
        }
        return migrator
    }

    /// Makes the tables, or brings them up to date.
    ///
    /// - Throws: `HistoryError.notAHistory` for another program's database, `tooNew` for a later version's.
    static func prepare(_ queue: DatabaseQueue, path: String) throws {
        let migrator = migrator
        try queue.read { database in
            try check(database, path: path)
            if try migrator.hasBeenSuperseded(database) { throw HistoryError.tooNew(path: path) }
        }
        try migrator.migrate(queue)
    }

    /// - Throws: `HistoryError.notAHistory` for another program's database.
    static func check(_ database: Database, path: String) throws {
        let id = try Int32.fetchOne(database, sql: "PRAGMA application_id") ?? 0
        if id == applicationID { return }
        let tables =
            try Int.fetchOne(
                database, sql: "SELECT count(*) FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'grdb_%'")
            ?? 0
        if id != 0 || tables > 0 { throw HistoryError.notAHistory(path: path) }
    }
}
