import BlekeepRecords
internal import GRDB

/// Adapters as rows.
extension LedgerRows {
    /// Writes the present adapters, and only rows that changed.
    static func write(_ adapters: [GatewayStatus.Adapter], run: Int64, in database: Database) throws {
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
            row += [adapter.isOn.databaseValue, HistoryText.encode(adapter.trouble?.code.rawValue)]
            row += numbers.map { $0?.databaseValue ?? .null }
            try statement.execute(arguments: StatementArguments(row))
        }
        let marks = Array(repeating: "?", count: adapters.count).joined(separator: ", ")
        try database.cachedStatement(sql: "DELETE FROM adapters WHERE name NOT IN (\(marks))")
            .execute(arguments: StatementArguments(adapters.map { HistoryText.encode($0.name) }))
    }

    /// The adapters of a run.
    static func adapters(ofRun run: Int64, in database: Database) throws -> [GatewayStatus.Adapter] {
        let rows = try Row.fetchAll(
            database,
            sql: """
                SELECT name, is_on, trouble, since_ms, attempts, devices, need_ms, interval_ms FROM adapters
                WHERE run = ? ORDER BY length(name), name
                """, arguments: [run])
        return rows.compactMap { row in
            HistoryText.decode(row[0]).map { name in
                GatewayStatus.Adapter(
                    name: name, isOn: Int64.fromDatabaseValue(row[1]) == 1, trouble: trouble(row))
            }
        }
    }

    private static func trouble(_ row: Row) -> GatewayStatus.Adapter.Trouble? {
        switch HistoryText.decode(row[2]).flatMap(GatewayStatus.Adapter.Trouble.Code.init) {
        case .cycling: return .cycling
        case .stuck: return .stuck
        case .noDiscovery: return .noDiscovery
        case .noFilter: return .noFilter
        case .noNewLinks:
            guard let since = Int64.fromDatabaseValue(row[3]),
                let attempts = Int64.fromDatabaseValue(row[4]).flatMap({ Int(exactly: $0) }),
                let devices = Int64.fromDatabaseValue(row[5]).flatMap({ Int(exactly: $0) })
            else { return nil }
            return .noNewLinks(since: since, attempts: attempts, devices: devices)
        case .tooManyDevices:
            guard let devices = Int64.fromDatabaseValue(row[5]).flatMap({ Int(exactly: $0) }),
                let need = Int64.fromDatabaseValue(row[6])
            else { return nil }
            return .tooManyDevices(
                AirShortage(
                    devices: devices, need: .milliseconds(need),
                    interval: Int64.fromDatabaseValue(row[7]).map { .milliseconds($0) }))
        case nil: return nil
        }
    }
}
