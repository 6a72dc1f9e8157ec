import BlekeepRecords
internal import GRDB

/// The ledger as rows: at most 100 entries a device, and 10,000 in all.
enum LedgerRows {
    static let mostEntries = 10_000
    static let mostStatuses = 1000

    // MARK: Out

    static func write(_ changes: LedgerChanges, in database: Database) throws {
        for entry in changes.entries { try write(entry, in: database) }
        let service = changes.isOneOff ? try serviceRun(in: database) : nil
        if service == nil, let keeper = changes.keeper { try write(keeper, in: database) }
        if let service {
            for sink in changes.sinks { try write(ofOneOff: sink, beside: service, in: database) }
            return try write(ofOneOff: changes.statuses, beside: service, in: database)
        }
        for sink in changes.sinks { try write(sink, in: database) }
        for name in changes.leftSinks { try leave(sink: name, in: database) }
        guard !changes.statuses.isEmpty else { return }
        let run = try Int64.fetchOne(database, sql: "SELECT started_ms FROM keeper") ?? 0
        for status in changes.statuses {
            // What has left the configuration isn't part of the current run.
            let hasLeft = changes.leftDevices.contains(status.id)
            try write(status, run: hasLeft ? run &- 1 : run, in: database)
        }
    }

    /// Writes what a run of some ticks learned. The status of the service's devices stays, apart from their connections
    /// and the numbers of their entries.
    private static func write(
        ofOneOff statuses: [DeviceStatus], beside service: Int64, in database: Database
    ) throws {
        for status in statuses {
            try database.cachedStatement(
                sql: """
                    UPDATE standings SET entries = ?, last_count = ?, last_end_ms = ?, link = ?
                    WHERE device = ? AND run = ?
                    """
            ).execute(arguments: [
                status.entries, status.lastCount, status.lastEnd, status.link.rawValue, status.id.description,
                service,
            ])
            if database.changesCount == 0 { try write(status, run: service &- 1, in: database) }
        }
    }

    /// The last run that didn't end by itself, if the ledger still has it.
    private static func serviceRun(in database: Database) throws -> Int64? {
        try Int64.fetchOne(database, sql: "SELECT started_ms FROM keeper WHERE one_off = 0")
    }

    private static func write(_ entry: LedgerEntry, in database: Database) throws {
        let device = entry.device?.description ?? ""
        let statement = try database.cachedStatement(
            sql: """
                INSERT OR REPLACE INTO attempts
                (device, number, phase, code, message, remedy, first_ms, last_ms, count, pause_ms)
                VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
                """)
        var row: [DatabaseValue] = [device.databaseValue, entry.number.databaseValue]
        row += [
            entry.phase.rawValue, entry.failure?.code.rawValue, entry.failure?.message, entry.remedy?.rawValue,
        ].map(HistoryText.encode)
        row += [entry.first, entry.last, entry.count, entry.pause?.wholeMilliseconds].map(number)
        try statement.execute(arguments: StatementArguments(row))
        guard entry.count == 1 else { return }
        let oldest = entry.number.subtractingReportingOverflow(LedgerChanges.mostEntries).partialValue
        try database.cachedStatement(sql: "DELETE FROM attempts WHERE device = ? AND number <= ?")
            .execute(arguments: [device, oldest])
        // Entries of former devices remain, so remove the oldest of all devices now and then.
        if entry.number % 50 == 1 { try trim(database) }
    }

    private static func trim(_ database: Database) throws {
        try database.execute(
            sql: """
                DELETE FROM attempts WHERE (device, number) IN (
                    SELECT device, number FROM attempts ORDER BY last_ms DESC LIMIT -1 OFFSET \(mostEntries));
                DELETE FROM standings WHERE device IN (
                    SELECT device FROM standings ORDER BY run DESC LIMIT -1 OFFSET \(mostStatuses));
                """)
    }

    private static func write(_ status: DeviceStatus, run: Int64, in database: Database) throws {
        let statement = try database.cachedStatement(
            sql: """
                INSERT OR REPLACE INTO standings (device, run, \(columns))
                VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
                """)
        var row: [DatabaseValue] = [status.id.description.databaseValue, number(run)]
        row += [
            status.address.description.databaseValue, HistoryText.encode(status.name),
            status.state.rawValue.databaseValue,
        ]
        let (condition, trouble) = (status.condition, status.condition.trouble)
        row += [status.since, status.lastValue, condition.goodInARow, condition.failedInARow].map(number)
        row += [
            trouble?.phase.rawValue, condition.failure?.code.rawValue, condition.failure?.message,
            trouble?.remedy?.rawValue,
        ].map(HistoryText.encode)
        row += [status.entries, status.lastCount, status.lastEnd].map(number)
        row += [status.next, status.interval?.wholeMilliseconds].map(number)
        row += [HistoryText.encode(status.intervalReason), status.link.rawValue.databaseValue]
        row.append(number(status.rssi.map { Int64($0) }))
        row += [status.thinned.thinned, status.thinned.total].map { number(Int64($0)) }
        row.append(number(status.pause.map(milliseconds)))
        row.append(HistoryText.encode(status.identity?.description))
        try statement.execute(arguments: StatementArguments(row))
    }

    private static func milliseconds(_ pause: UserPause) -> Int64 {
        switch pause {
        case .untilResumed: 0
        case .until(let end): max(1, end)
        }
    }

    private static func number(_ number: Int64?) -> DatabaseValue { number?.databaseValue ?? .null }

    static let columns = """
        address, name, state, since_ms, last_value_ms, good_in_a_row, failed_in_a_row, phase, code, message, remedy, \
        entries, last_count, last_end_ms, next_ms, interval_ms, interval_reason, link, rssi, thinned, thinned_of, \
        paused_until_ms, identity
        """

    static let keeperColumns = """
        pid, started_ms, seen_ms, ended_ms, code, message, power, missed_lines, is_stalled, one_off, slow_writes, \
        slowest_ms, slow_last_ms
        """

    private static func write(_ keeper: GatewayStatus, in database: Database) throws {
        var row = [Int64(keeper.pid), keeper.started, keeper.seen, keeper.ended].map(number)
        row += [keeper.outage?.code.rawValue, keeper.outage?.message, keeper.power].map(HistoryText.encode)
        row += [keeper.missed.map { Int64($0.count) }, keeper.missed.map { $0.isStalled ? 1 : 0 }].map(number)
        row.append(keeper.isOneOff.databaseValue)
        row += [
            keeper.slow.map { Int64($0.count) }, keeper.slow?.longest.wholeMilliseconds, keeper.slow?.last,
        ].map(number)
        let statement = try database.cachedStatement(
            sql: """
                INSERT OR REPLACE INTO keeper
                (id, \(keeperColumns)) VALUES (1, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
                """)
        try statement.execute(arguments: StatementArguments(row))
        try write(keeper.adapters, run: keeper.started, in: database)
        guard let life = keeper.life else { return }
        try database.cachedStatement(sql: "INSERT OR REPLACE INTO life VALUES (1, ?, ?, ?, ?, ?)").execute(arguments: [
            life.clocks.boot, life.clocks.sinceBoot.wholeNanoseconds, life.clocks.awake.wholeNanoseconds,
            life.clocks.time, life.silence.wholeMilliseconds,
        ])
    }
}
