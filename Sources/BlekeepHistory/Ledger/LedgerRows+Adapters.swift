import Blekeep
internal import GRDB

/// Adapters as rows.
extension LedgerRows {
    static let adaptersSchema = """
        CREATE TABLE adapters (
            name TEXT PRIMARY KEY,
            run INTEGER NOT NULL,       -- when the keeper started that wrote it
            is_on INTEGER NOT NULL,
            trouble TEXT,               -- cycling, stuck, no_discovery, no_new_links, too_many_devices, no_filter; NULL: none
            since_ms INTEGER,           -- of no_new_links: when the last link was made
            attempts INTEGER,           -- of no_new_links: how many failed since
            devices INTEGER,            -- of no_new_links: to how many devices; of too_many_devices: how many take turns
            need_ms INTEGER,            -- of too_many_devices: the time that they need
            interval_ms INTEGER         -- for each such time; NULL: for each minute
        ) WITHOUT ROWID;
        """

    /// Adds the columns that the first version lacks.
    static func addAirTime(_ database: Database) throws {
        if try hasAirTime(database) { return }
        try database.execute(
            sql: """
                ALTER TABLE adapters ADD COLUMN need_ms INTEGER;
                ALTER TABLE adapters ADD COLUMN interval_ms INTEGER;
                """)
    }

    private static func hasAirTime(_ database: Database) throws -> Bool {
        try database.columns(in: "adapters").contains { $0.name == "need_ms" }
    }

    /// Makes the table, and fills it from the column of the earlier version.
    static func migrateAdapters(_ database: Database) throws {
        try database.execute(sql: adaptersSchema)
        guard let row = try Row.fetchOne(database, sql: "SELECT started_ms, adapters FROM keeper"),
            let run = Int64.fromDatabaseValue(row[0])
        else { return }
        try write(EarlierAdapters.decode(row[1]), run: run, in: database)
        try database.execute(sql: "UPDATE keeper SET adapters = ''")
    }

    /// Writes the present adapters, and only rows that changed.
    static func write(_ adapters: [StoredKeeperStatus.Adapter], run: Int64, in database: Database) throws {
        let statement = try database.cachedStatement(
            sql: """
                INSERT INTO adapters (name, run, is_on, trouble, since_ms, attempts, devices, need_ms, interval_ms)
                VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
                ON CONFLICT (name) DO UPDATE SET
                    run = excluded.run, is_on = excluded.is_on, trouble = excluded.trouble,
                    since_ms = excluded.since_ms, attempts = excluded.attempts, devices = excluded.devices,
                    need_ms = excluded.need_ms, interval_ms = excluded.interval_ms
                WHERE (run, is_on, trouble, since_ms, attempts, devices, need_ms, interval_ms) IS NOT (
                    excluded.run, excluded.is_on, excluded.trouble, excluded.since_ms, excluded.attempts,
                    excluded.devices, excluded.need_ms, excluded.interval_ms)
                """)
        for adapter in adapters {
            let numbers: [Int64?] =
                switch adapter.trouble {
                case .noNewLinks(let since, let attempts, let devices)?:
                    [since, Int64(attempts), Int64(devices), nil, nil]
                case .tooManyDevices(let shortage)?:
                    [
                        nil, nil, Int64(shortage.devices), shortage.need.wholeMilliseconds,
                        shortage.interval?.wholeMilliseconds,
                    ]
                case .cycling?, .stuck?, .noDiscovery?, .noFilter?, nil: [nil, nil, nil, nil, nil]
                }
            var row: [DatabaseValue] = [HistoryText.encode(adapter.name), run.databaseValue]
            row += [adapter.isOn.databaseValue, HistoryText.encode(adapter.trouble?.code)]
            row += numbers.map { $0?.databaseValue ?? .null }
            try statement.execute(arguments: StatementArguments(row))
        }
        let marks = Array(repeating: "?", count: adapters.count).joined(separator: ", ")
        try database.cachedStatement(sql: "DELETE FROM adapters WHERE name NOT IN (\(marks))")
            .execute(arguments: StatementArguments(adapters.map { HistoryText.encode($0.name) }))
    }

    /// The adapters of a run.
    ///
    /// - Parameter text: what the keeper's row says of them; nothing since they have a table.
    static func adapters(
        ofRun run: Int64, _ text: DatabaseValue, in database: Database
    ) throws -> [StoredKeeperStatus.Adapter] {
        let earlier = EarlierAdapters.decode(text)
        guard earlier.isEmpty, try database.tableExists("adapters") else { return earlier }
        let air = try hasAirTime(database) ? "need_ms, interval_ms" : "NULL, NULL"
        let rows = try Row.fetchAll(
            database,
            sql: """
                SELECT name, is_on, trouble, since_ms, attempts, devices, \(air) FROM adapters
                WHERE run = ? ORDER BY length(name), name
                """, arguments: [run])
        return rows.compactMap { row in
            HistoryText.decode(row[0]).map { name in
                StoredKeeperStatus.Adapter(
                    name: name, isOn: Int64.fromDatabaseValue(row[1]) == 1, trouble: trouble(row))
            }
        }
    }

    private static func trouble(_ row: Row) -> StoredKeeperStatus.Adapter.Trouble? {
        switch HistoryText.decode(row[2]) {
        case "cycling": return .cycling
        case "stuck": return .stuck
        case "no_discovery": return .noDiscovery
        case "no_filter": return .noFilter
        case "no_new_links":
            guard let since = Int64.fromDatabaseValue(row[3]),
                let attempts = Int64.fromDatabaseValue(row[4]).flatMap({ Int(exactly: $0) }),
                let devices = Int64.fromDatabaseValue(row[5]).flatMap({ Int(exactly: $0) })
            else { return nil }
            return .noNewLinks(since: since, attempts: attempts, devices: devices)
        case "too_many_devices":
            guard let devices = Int64.fromDatabaseValue(row[5]).flatMap({ Int(exactly: $0) }),
                let need = Int64.fromDatabaseValue(row[6])
            else { return nil }
            return .tooManyDevices(
                AirShortage(
                    devices: devices, need: .milliseconds(need),
                    interval: Int64.fromDatabaseValue(row[7]).map { .milliseconds($0) }))
        default: return nil
        }
    }
}

/// Adapters as earlier versions wrote them in one column of the keeper's row: `hci0+ hci1- hci2/1795231080123/6/2?`.
enum EarlierAdapters {
    static func decode(_ text: DatabaseValue) -> [StoredKeeperStatus.Adapter] {
        (HistoryText.decode(text) ?? "").split(separator: " ").compactMap(adapter)
    }

    private static func adapter(_ word: Substring) -> StoredKeeperStatus.Adapter? {
        word.last.map { mark in
            let parts = word.dropLast().split(separator: "/", omittingEmptySubsequences: false)
            return StoredKeeperStatus.Adapter(
                name: String(parts.first ?? ""), isOn: mark == "+" || mark == "!" || mark == "?",
                trouble: mark == "~" ? .cycling : mark == "!" ? .stuck : mark == "?" ? stall(parts) : nil)
        }
    }

    private static func stall(_ parts: [Substring]) -> StoredKeeperStatus.Adapter.Trouble? {
        guard parts.count == 4, let since = Int64(parts[1]), let attempts = Int(parts[2]), let devices = Int(parts[3])
        else { return nil }
        return .noNewLinks(since: since, attempts: attempts, devices: devices)
    }
}
