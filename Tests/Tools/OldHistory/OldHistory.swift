import GRDB

/// A history as an earlier version made it: without upkeep, with a series for each alias and name of a device.
package enum OldHistory {
    /// The time of the first reading: milliseconds since 1970. The others follow second by second.
    package static let start: Int64 = 1_795_231_080_123
    /// The address of all readings.
    package static let address = "F0:00:00:00:00:01"
    /// The labels of the series. Their readings alternate, and the last is a second characteristic with the same UUID.
    package static let series = [
        (device: "old", name: "Temperature", field: "temperature"), (device: "old", name: "Temp", field: "temperature"),
        (device: "new", name: "Temperature", field: "temperature"), (device: "new", name: "Temp", field: "temperature"),
        (device: "new", name: "Temperature", field: "temperature#2"),
    ]

    /// The adapters of the last run, which had no table: on, off, being switched off and on, stuck, without new links.
    package static let adapters = "hci0+ hci1- hci2~ hci3! hci10/1795231080123/6/2?"

    /// Creates a history with this many temperatures: 0, 1, 2 …
    package static func make(at path: String, readings: Int) throws {
        let queue = try DatabaseQueue(path: path)
        try queue.writeWithoutTransaction { database in
            try database.execute(sql: "PRAGMA journal_mode = WAL")
            try database.inTransaction {
                try database.execute(sql: schema)
                for (device, name, field) in series {
                    try database.execute(
                        sql: """
                            INSERT INTO series (device, address, service, characteristic, name, field, unit)
                            VALUES (?, ?, '181a', '2a6e', ?, ?, '°C')
                            """, arguments: [device, address, name, field])
                }
                try database.execute(
                    sql: """
                        INSERT INTO keeper (id, pid, started_ms, seen_ms, adapters, power)
                        VALUES (1, 1, 1000, 1000, ?, 'normal')
                        """, arguments: [adapters])
                let statement = try database.makeStatement(
                    sql: """
                        INSERT INTO measurements (series, time_ms, tick, kind, value, raw)
                        VALUES (?, ?, 1, 2, ?, x'9108')
                        """)
                for index in 0..<readings {
                    try statement.execute(
                        arguments: [index % series.count + 1, start + Int64(index) * 1000, Double(index)])
                }
                return .commit
            }
        }
        try queue.close()
    }

    private static let schema = """
        PRAGMA application_id = 1651272560;
        CREATE TABLE grdb_migrations (identifier TEXT NOT NULL PRIMARY KEY);
        INSERT INTO grdb_migrations VALUES ('1 readings'), ('ledger'), ('heartbeats');
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
        CREATE TABLE attempts (
            device TEXT NOT NULL,       -- an address; '' for what concerned every device
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
        CREATE TABLE standings (
            device TEXT PRIMARY KEY,
            name TEXT NOT NULL,
            run INTEGER NOT NULL,       -- when the keeper started that wrote it
            state TEXT NOT NULL,
            since_ms INTEGER NOT NULL,
            last_good_ms INTEGER,
            goods INTEGER NOT NULL,
            failures INTEGER NOT NULL,
            code TEXT,
            message TEXT,
            remedy TEXT,
            entries INTEGER NOT NULL,
            last_count INTEGER NOT NULL,
            last_end_ms INTEGER NOT NULL,
            next_ms INTEGER,
            interval_ms INTEGER,
            interval_reason TEXT NOT NULL,
            link TEXT NOT NULL,
            rssi INTEGER
        ) WITHOUT ROWID;
        CREATE TABLE keeper (
            id INTEGER PRIMARY KEY CHECK (id = 1),
            pid INTEGER NOT NULL,
            started_ms INTEGER NOT NULL,
            seen_ms INTEGER NOT NULL,
            ended_ms INTEGER,
            code TEXT,
            message TEXT,
            adapters TEXT NOT NULL,     -- hci0+ hci1-; ~ being switched off and on, ! stuck, ? no new links
            power TEXT NOT NULL
        );
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
        """
}
