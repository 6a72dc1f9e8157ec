import BlekeepRecords
internal import GRDB

/// The tables of a history: the one place that declares them.
///
/// `series` has the repeated values of readings (device, characteristic, field, unit) once, so that a row of
/// `measurements` takes about 30 bytes.
enum HistorySchema {
    /// "blkp", which distinguishes a history from another program's database.
    static let applicationID: Int32 = 0x626C_6B70

    /// The version of the tables, in the file's `user_version`: the number of migrations that made them.
    static let version = Int32(migrations.count)

    /// The SQL of a new part's ID.
    static let newPart = "lower(hex(randomblob(16)))"

    static func migrator(_ migrations: [String] = migrations) -> DatabaseMigrator {
        var migrator = DatabaseMigrator()
        for (version, sql) in zip(1..., migrations) {
            migrator.registerMigration("\(version)", foreignKeyChecks: .immediate) { database in
                try database.execute(sql: "\(sql)\nPRAGMA user_version = \(version);")
            }
        }
        return migrator
    }

    /// The version of a database's tables; 0 for a new one, which has none.
    ///
    /// - Throws: `HistoryError.notAHistory` for another program's database, `otherVersion` for one that this version can't
    ///   migrate.
    static func version(in database: Database, path: String) throws -> Int32 {
        let id = try Int32.fetchOne(database, sql: "PRAGMA application_id") ?? 0
        if id == applicationID {
            let found = try Int32.fetchOne(database, sql: "PRAGMA user_version") ?? 0
            guard (1...Self.version).contains(found) else { throw HistoryError.otherVersion(path: path) }
            return found
        }
        let tables =
            try Int.fetchOne(
                database, sql: "SELECT count(*) FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'grdb_%'")
            ?? 0
        guard id == 0, tables == 0 else { throw HistoryError.notAHistory(path: path) }
        return 0
    }

    /// Whether the database has the tables of this version, for who doesn't migrate it; a new one has none.
    ///
    /// - Throws: as `version(in:path:)`, and `HistoryError.outdated`.
    static func isMade(_ database: Database, path: String, version: Int32 = Self.version) throws -> Bool {
        let found = try Self.version(in: database, path: path)
        guard found == 0 || found == version else { throw HistoryError.outdated(path: path) }
        return found > 0
    }

    /// The same from the file's head, before SQLite opens the file and changes it.
    static func checkHead(of file: String, path: String) throws(HistoryError) {
        if let head = numbers(in: file), head.id == applicationID, !(1...Self.version).contains(head.version) {
            throw .otherVersion(path: path)
        }
    }

    /// Whether a file is a history, perhaps of another version, by its head.
    static func isHistory(_ file: String) -> Bool { numbers(in: file)?.id == applicationID }

    private static func numbers(in file: String) -> (version: Int32, id: Int32)? {
        guard let head = SystemFile.bytes(of: file, atMost: 100), head.count == 100 else { return nil }
        func number(at place: Int) -> Int32 {
            Int32(bitPattern: head[place..<place + 4].reduce(0) { $0 << 8 | UInt32($1) })
        }
        return (number(at: 60), number(at: 68))
    }

    /// The format of what has no other source, as `ReadingSource` has it.
    static let format = "iif(service = '' AND characteristic = '' AND recipe = '', name, '')"

    /// What makes the tables of each version of those of the one before.
    ///
    /// The migrations of a release stay as they are. A later one adds tables, and columns that are optional or have a
    /// default, and makes views again; rewriting rows would stop the poller of a large history for minutes.
    static let migrations = [tables]

    /// Those of 0.1.0.
    private static let tables = """
        PRAGMA application_id = \(applicationID);
        CREATE TABLE series (
            id INTEGER PRIMARY KEY,
            device TEXT NOT NULL,       -- the device's ID
            address TEXT NOT NULL,      -- another sensor with the ID has other rows
            alias TEXT NOT NULL,        -- as it was last
            service TEXT NOT NULL,
            characteristic TEXT NOT NULL,
            recipe TEXT NOT NULL,       -- its name; '' for a characteristic
            name TEXT NOT NULL,         -- the characteristic's, as it was last
            field TEXT,                 -- NULL: failed reads
            unit TEXT,
            instance INTEGER NOT NULL,
            last_seq INTEGER NOT NULL,  -- the last reading in the rollups
            last_period INTEGER NOT NULL -- and its latest hour's row there
        );
        CREATE UNIQUE INDEX series_key ON series (
            device, address, service, characteristic, recipe, instance, ifnull(field, x''), ifnull(unit, x''),
            \(format));
        CREATE TABLE measurements (     -- AUTOINCREMENT would write one more page per commit; see `upkeep.given`
            seq INTEGER PRIMARY KEY,
            series INTEGER NOT NULL,
            time_ms INTEGER NOT NULL,
            tick INTEGER NOT NULL,
            kind INTEGER NOT NULL,      -- 0 failed, 1 integer, 2 number, 3 text, 4 boolean, 5 list, 6 no value
            value,
            state TEXT,
            raw,
            error_code TEXT,
            error_message TEXT
        );

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
            last_ms INTEGER,            -- the time of `last`; NULL: unknown
            PRIMARY KEY (minutes, period, series, start)
        ) WITHOUT ROWID;
        CREATE TABLE logged (           -- what devices kept in their own memory, each record once
            number INTEGER PRIMARY KEY AUTOINCREMENT, -- in the order in which the records came, for sinks
            series INTEGER NOT NULL,
            boot INTEGER NOT NULL,      -- the number of the device's start, as far as it is known
            slot INTEGER NOT NULL,      -- the number of the record
            time_ms INTEGER NOT NULL,
            kind INTEGER NOT NULL,      -- as in `measurements`
            value,
            UNIQUE (series, boot, slot)
        );
        CREATE INDEX logged_time ON logged (time_ms);
        CREATE TABLE asked (            -- times for which a device gave all that its memory had
            device TEXT NOT NULL,       -- the device's ID
            address TEXT NOT NULL,
            from_ms INTEGER NOT NULL,
            to_ms INTEGER NOT NULL,
            PRIMARY KEY (device, address, from_ms)
        ) WITHOUT ROWID;
        CREATE TABLE filled (           -- what came of asking a device's memory last
            device TEXT PRIMARY KEY,    -- the device's ID
            time_ms INTEGER NOT NULL,
            since_ms INTEGER NOT NULL,  -- the oldest time that it was asked for
            stored INTEGER NOT NULL,    -- the values that were missing
            whole INTEGER NOT NULL      -- 0: the download was cut; the next one adds to it
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
        CREATE TABLE parts (            -- a database of many histories knows a reading by its part and its number
            first INTEGER PRIMARY KEY,
            id TEXT NOT NULL            -- random: the same numbers in a restored copy are another part
        );
        CREATE TABLE owned (            -- the devices that this gateway owned last in a fleet's database
            device TEXT PRIMARY KEY
        ) WITHOUT ROWID;
        CREATE TABLE server (           -- the PostgreSQL server that had the fleet's database last
            id INTEGER PRIMARY KEY CHECK (id = 1),
            system TEXT NOT NULL,       -- its system identifier
            timeline INTEGER NOT NULL
        );
        CREATE TABLE upkeep (
            id INTEGER PRIMARY KEY CHECK (id = 1),
            given INTEGER,              -- the highest number of a reading that is there no more
            rolled INTEGER NOT NULL,    -- the last reading in the rollups
            rollup_bytes INTEGER NOT NULL, -- what the rollups take at most
            noticed INTEGER NOT NULL    -- whether the log has announced the removal of readings
        );
        CREATE TABLE salvages (
            copy TEXT PRIMARY KEY,      -- a damaged file in the same folder
            page INTEGER NOT NULL,      -- the next page to copy from
            readings INTEGER NOT NULL,  -- copied so far
            done INTEGER NOT NULL
        ) WITHOUT ROWID;

        CREATE TABLE heartbeats (
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            boot TEXT NOT NULL,
            from_boot_ns INTEGER NOT NULL, -- CLOCK_BOOTTIME
            from_awake_ns INTEGER NOT NULL, -- CLOCK_MONOTONIC
            from_ms INTEGER NOT NULL,   -- CLOCK_REALTIME: a label
            to_boot_ns INTEGER NOT NULL,
            to_awake_ns INTEGER NOT NULL,
            to_ms INTEGER NOT NULL,
            synchronized INTEGER,
            seq INTEGER NOT NULL,       -- the last reading of the same commit
            state TEXT NOT NULL,
            mode TEXT NOT NULL,
            supply TEXT NOT NULL,
            from_percent REAL,
            to_percent REAL,
            scan_ms INTEGER NOT NULL,   -- how long the adapters scanned actively
            packets INTEGER NOT NULL,   -- of devices that blekeep listens to
            backlogs TEXT               -- {"mqtt":17}: readings that waited for a sink, at most; NULL: none did
        );
        CREATE TABLE activity (
            heartbeat INTEGER NOT NULL,
            device TEXT NOT NULL,       -- the device's ID
            alias TEXT NOT NULL,
            address TEXT NOT NULL,
            good INTEGER NOT NULL,
            failed INTEGER NOT NULL,
            missed INTEGER NOT NULL,
            samples INTEGER NOT NULL,
            connects INTEGER NOT NULL,
            air_ms INTEGER NOT NULL,
            PRIMARY KEY (heartbeat, device, alias, address)
        ) WITHOUT ROWID;
        CREATE TABLE downtimes (
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            heartbeat INTEGER NOT NULL, -- the first one after it
            cause TEXT NOT NULL,
            from_boot TEXT NOT NULL,
            from_boot_ns INTEGER NOT NULL,
            from_ms INTEGER NOT NULL,
            to_boot TEXT NOT NULL,
            to_boot_ns INTEGER NOT NULL,
            to_ms INTEGER NOT NULL,
            length_ms INTEGER           -- NULL: no clock tells
        );

        CREATE TABLE attempts (
            device TEXT NOT NULL,       -- the device's ID; '' for what concerned every device
            number INTEGER NOT NULL,
            phase TEXT NOT NULL,
            code TEXT,                  -- NULL: it went well
            message TEXT,
            remedy TEXT,
            first_ms INTEGER NOT NULL,
            last_ms INTEGER NOT NULL,
            count INTEGER NOT NULL,
            pause_ms INTEGER,
            PRIMARY KEY (device, number)
        ) WITHOUT ROWID;
        CREATE TABLE statuses (
            device TEXT PRIMARY KEY,    -- the device's ID
            address TEXT NOT NULL,
            name TEXT NOT NULL,
            run INTEGER NOT NULL,       -- start time of the run that wrote this row
            -- Its fields, as `DeviceStatus.fields` has them.
            state TEXT NOT NULL,
            since_ms INTEGER NOT NULL,
            last_value_ms INTEGER,
            good_in_a_row INTEGER NOT NULL,
            failed_in_a_row INTEGER NOT NULL,
            phase TEXT,
            code TEXT,
            message TEXT,
            remedy TEXT,
            next_ms INTEGER,
            interval_ms INTEGER,
            interval_reason TEXT NOT NULL,
            link TEXT NOT NULL,
            rssi INTEGER,
            adapter TEXT,
            bonded INTEGER NOT NULL,
            dropped INTEGER NOT NULL,
            dropped_of INTEGER NOT NULL,
            paused INTEGER NOT NULL,
            paused_until_ms INTEGER,
            firing TEXT,
            identity TEXT,
            entries INTEGER NOT NULL,
            last_count INTEGER NOT NULL,
            last_end_ms INTEGER NOT NULL
        ) WITHOUT ROWID;
        CREATE TABLE poller (
            id INTEGER PRIMARY KEY CHECK (id = 1),
            pid INTEGER NOT NULL,
            started_ms INTEGER NOT NULL,
            seen_ms INTEGER NOT NULL,
            ended_ms INTEGER,
            code TEXT,
            message TEXT,
            power_mode TEXT,            -- NULL: not read yet
            power_reason TEXT,
            missed_lines INTEGER,       -- what the reader of the poller's output missed; NULL: nothing
            is_stalled INTEGER,
            one_off INTEGER NOT NULL,   -- whether the run ends by itself, after some ticks
            slow_writes INTEGER,        -- for which the disk took long; NULL: none
            slowest_ms INTEGER,
            slow_last_ms INTEGER
        );
        CREATE TABLE life (
            id INTEGER PRIMARY KEY CHECK (id = 1),
            boot TEXT NOT NULL,
            boot_ns INTEGER NOT NULL,   -- CLOCK_BOOTTIME
            awake_ns INTEGER NOT NULL,  -- CLOCK_MONOTONIC
            time_ms INTEGER NOT NULL,
            silence_ms INTEGER NOT NULL -- the next sign of life comes within this time; sleep does not count
        );
        CREATE TABLE adapters (
            name TEXT PRIMARY KEY,
            run INTEGER NOT NULL,       -- start time of the run that wrote this row
            is_on INTEGER NOT NULL,
            trouble TEXT,               -- cycling, stuck, no_discovery, no_new_links, too_many_devices, no_filter; NULL: none
            since_ms INTEGER,           -- of no_new_links: when the last link was made
            attempts INTEGER,           -- of no_new_links: how many failed since
            devices INTEGER,            -- of no_new_links: to how many devices; of too_many_devices: how many take turns
            need_ms INTEGER,            -- of too_many_devices: the time that they need
            interval_ms INTEGER,        -- for each such time; NULL: for each minute
            listening TEXT              -- passive, windows, open, deaf; NULL: for no device
        ) WITHOUT ROWID;
        CREATE TABLE rules (
            rule TEXT NOT NULL,
            device TEXT NOT NULL,       -- the device's ID
            run INTEGER NOT NULL,       -- start time of the run that wrote this row
            condition TEXT NOT NULL,    -- its text; with another one, the rule begins again
            phase TEXT NOT NULL,        -- calm, pending, firing, ending
            since_boot TEXT,            -- of pending and ending, by CLOCK_BOOTTIME and CLOCK_REALTIME
            since_boot_ms INTEGER,
            since_ms INTEGER,
            since_set INTEGER,          -- whether the clock was set
            firings INTEGER NOT NULL,   -- how often it fired
            fired_boot TEXT,            -- when it fired last
            fired_boot_ms INTEGER,
            fired_ms INTEGER,
            fired_set INTEGER,
            ended_boot TEXT,            -- when it ended last
            ended_boot_ms INTEGER,
            ended_ms INTEGER,
            ended_set INTEGER,
            message TEXT,               -- why it fires or ended
            PRIMARY KEY (rule, device)
        ) WITHOUT ROWID;
        CREATE TABLE firings (          -- the log of rules
            device TEXT NOT NULL,       -- the device's ID
            rule TEXT NOT NULL,
            number INTEGER NOT NULL,    -- as in rules.firings
            fired_ms INTEGER NOT NULL,
            ended_ms INTEGER,           -- NULL: not yet, or the rule has left the configuration
            cause TEXT,                 -- why it fired
            ending TEXT,                -- why it ended
            PRIMARY KEY (device, rule, number)
        ) WITHOUT ROWID;
        CREATE TABLE notices (          -- what 'blekeep notices' gave, one row for each
            id INTEGER PRIMARY KEY,
            time_ms INTEGER NOT NULL,
            event TEXT NOT NULL,
            device TEXT,                -- the device's ID; NULL: about the gateway
            rule TEXT,                  -- its name; NULL: about no rule
            message TEXT NOT NULL,
            failure TEXT                -- why its command failed; NULL: it didn't
        );
        CREATE TABLE sinks (
            name TEXT PRIMARY KEY,
            run INTEGER NOT NULL,       -- start time of the run that wrote this row
            position INTEGER,           -- the last reading that it has; NULL: it gets only what comes now
            logged INTEGER,             -- the last of `logged` that it has; NULL: it gets none of it
            backlog INTEGER NOT NULL,
            dropped INTEGER NOT NULL,
            error TEXT,                 -- NULL: it took what came last
            retry_ms INTEGER,
            confirmed TEXT              -- "17-99,120-120": numbers above the position that it has
        ) WITHOUT ROWID;

        CREATE VIEW readings AS         -- for users
            SELECT seq, strftime('%Y-%m-%dT%H:%M:%fZ', time_ms / 1000.0, 'unixepoch') AS time,
                series.alias AS device, series.device AS id, series.address, nullif(service, '') AS service,
                nullif(characteristic, '') AS characteristic, nullif(recipe, '') AS recipe, instance, name, field,
                CASE kind WHEN 4 THEN iif(value, 'true', 'false') ELSE value END AS value, unit, state,
                error_code AS error, error_message AS message, tick, time_ms
            FROM measurements JOIN series ON series.id = measurements.series;
        CREATE VIEW logged_readings AS  -- what devices kept in their own memory
            SELECT strftime('%Y-%m-%dT%H:%M:%fZ', time_ms / 1000.0, 'unixepoch') AS time, series.alias AS device,
                series.device AS id, series.address, name, field, value, unit, boot, slot, time_ms
            FROM logged JOIN series ON series.id = logged.series;
        CREATE VIEW newest AS           -- the last reading of each series
            SELECT * FROM readings WHERE seq IN (SELECT max(seq) FROM measurements GROUP BY series);
        CREATE VIEW hourly AS           -- the numbers of each hour, also of readings that are there no more
            SELECT strftime('%Y-%m-%dT%H:%M:%SZ', start * 3600, 'unixepoch') AS time, series.alias AS device,
                series.device AS id, series.address, name, instance, field, unit, count, min, sum / count AS mean, max,
                last
            FROM rollups JOIN series ON series.id = rollups.series
            WHERE minutes = 60 AND field IS NOT NULL AND count > 0;
        INSERT INTO upkeep VALUES (1, NULL, 0, 0, 0);
        INSERT INTO parts VALUES (1, \(newPart));
        """
}
