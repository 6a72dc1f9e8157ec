import BlekeepRecords
internal import GRDB
import RunLoop

/// The ledger as rows: at most 100 entries a device, and 10,000 in all. Reading skips damaged rows.
enum LedgerRows {
    static let maxEntries = 10_000
    static let maxStatuses = 1000
    /// The longest time that a poller announces, in milliseconds: one day.
    private static let maxSilence: Int64 = 86_400_000

    /// The values of a row, by column.
    typealias Columns = KeyValuePairs<String, any DatabaseValueConvertible>

    private static func replace(in table: String, columns: Columns, _ database: Database) throws {
        try replace(in: table, columns: columns.map { ($0.key, $0.value) }, database)
    }

    private static func replace(
        in table: String, columns: [(name: String, value: any DatabaseValueConvertible)], _ database: Database
    ) throws {
        let names = columns.map(\.name).joined(separator: ", ")
        let marks = Array(repeating: "?", count: columns.count).joined(separator: ", ")
        let statement = try database.cachedStatement(
            sql: "INSERT OR REPLACE INTO \(table) (\(names)) VALUES (\(marks))")
        try statement.execute(arguments: StatementArguments(columns.map(\.value)))
    }

    // MARK: Changes

    static func write(_ changes: LedgerChanges, in database: Database) throws {
        for entry in changes.entries { try write(entry, in: database) }
        let service = changes.isOneOff ? try serviceRun(in: database) : nil
        if service == nil, let poller = changes.poller { try write(poller, in: database) }
        if let service {
            for sink in changes.sinks { try write(ofOneOff: sink, beside: service, in: database) }
            return try write(ofOneOff: changes.statuses, beside: service, in: database)
        }
        for sink in changes.sinks { try write(sink, in: database) }
        for name in changes.leftSinks { try leave(sink: name, in: database) }
        guard !changes.statuses.isEmpty || !changes.rules.isEmpty || !changes.leftRules.isEmpty else { return }
        let run = try Int64.stored(database, sql: "SELECT started_ms FROM poller") ?? 0
        try write(changes.rules, left: changes.leftRules, run: run, in: database)
        for status in changes.statuses {
            // What has left the configuration isn't part of the current run.
            let hasLeft = changes.leftDevices.contains(status.id)
            try write(status, run: hasLeft ? run &- 1 : run, in: database)
        }
    }

    /// The last run that didn't end by itself, if the ledger still has it.
    private static func serviceRun(in database: Database) throws -> Int64? {
        try Int64.stored(database, sql: "SELECT started_ms FROM poller WHERE one_off = 0")
    }

    /// What earlier runs left.
    static func lastKnown(_ database: Database) throws -> (statuses: [DeviceStatus], entries: [LedgerEntry]) {
        let statuses = try statuses(nil, in: database)
        let rows = try LedgerRow.all(
            database,
            sql:
                "SELECT * FROM attempts WHERE (device, number) IN (SELECT device, max(number) FROM attempts GROUP BY device)"
        )
        return (statuses, rows.compactMap { entry($0, with: statuses) })
    }

    // MARK: Attempts

    private static func write(_ entry: LedgerEntry, in database: Database) throws {
        let device = entry.device?.description ?? ""
        try replace(
            in: "attempts",
            columns: [
                "device": device, "number": entry.number,
                "phase": HistoryText.encode(entry.phase.rawValue),
                "code": HistoryText.encode(entry.failure?.code.rawValue),
                "message": HistoryText.encode(entry.failure?.message),
                "remedy": HistoryText.encode(entry.remedy?.rawValue),
                "first_ms": entry.first, "last_ms": entry.last, "count": entry.count,
                "pause_ms": number(entry.pause?.wholeMilliseconds),
            ], database)
        guard entry.count == 1 else { return }
        let oldest = entry.number.subtractingReportingOverflow(LedgerChanges.maxEntries).partialValue
        try database.cachedStatement(sql: "DELETE FROM attempts WHERE device = ? AND number <= ?")
            .execute(arguments: [device, oldest])
        // Entries of former devices remain, so remove the oldest of all devices now and then.
        if entry.number % 50 == 1 { try trim(database) }
    }

    private static func trim(_ database: Database) throws {
        try database.execute(
            sql: """
                DELETE FROM attempts WHERE (device, number) IN (
                    SELECT device, number FROM attempts ORDER BY last_ms DESC LIMIT -1 OFFSET \(maxEntries));
                DELETE FROM statuses WHERE device IN (
                    SELECT device FROM statuses ORDER BY run DESC LIMIT -1 OFFSET \(maxStatuses));
                """)
    }

    /// The last entries of a device together with what concerned every device, the oldest first.
    static func entries(of device: DeviceID, limit: Int, in database: Database) throws -> [LedgerEntry] {
        let statuses = try statuses(device, in: database)
        let rows = try LedgerRow.all(
            database,
            sql: """
                SELECT * FROM (
                    SELECT * FROM attempts WHERE device IN (?, '') ORDER BY first_ms DESC, number DESC LIMIT ?)
                ORDER BY first_ms, number
                """, arguments: [device.description, limit])
        return rows.compactMap { entry($0, with: statuses) }
    }

    /// The entries of failures that concern some devices and lie in a time, at least in part: the newest, the oldest of
    /// these first.
    static func failures(
        of devices: [DeviceID], in time: ClosedRange<Int64>, limit: Int, _ database: Database
    ) throws -> [LedgerEntry] {
        let known = try devices.flatMap { try statuses($0, in: database) }
        let marks = Array(repeating: "?", count: devices.count + 1).joined(separator: ", ")
        let rows = try LedgerRow.all(
            database,
            sql: """
                SELECT * FROM attempts WHERE device IN (\(marks)) AND code IS NOT NULL AND first_ms <= ?
                ORDER BY first_ms DESC, number DESC
                """,
            arguments: StatementArguments(devices.map(\.description) + [""]) + [time.upperBound])
        let entries = rows.lazy.compactMap { entry($0, with: known) }.filter { $0.last >= time.lowerBound }
        return entries.prefix(limit).reversed()
    }

    private static func entry(_ row: LedgerRow, with statuses: [DeviceStatus]) -> LedgerEntry? {
        guard let device = row.text("device"), let number = row.number("number"), let phase = row.text("phase"),
            let first = row.number("first_ms"), let last = row.number("last_ms"), let count = row.number("count")
        else { return nil }
        let id = DeviceID(device)
        if id == nil, !device.isEmpty { return nil }
        let entry = LedgerEntry(
            device: id, number: number, phase: OpenEnum(rawValue: phase), failure: row.failure,
            remedy: row.text("remedy").map { OpenEnum(rawValue: $0) }, first: first, last: last, count: count,
            pause: row.duration("pause_ms"))
        return entry.continued(by: statuses.first { $0.id == id })
    }

    // MARK: Devices

    private static func write(_ status: DeviceStatus, run: Int64, in database: Database) throws {
        var columns: [(name: String, value: any DatabaseValueConvertible)] = [
            ("device", status.id.description), ("address", status.address.description),
            ("name", HistoryText.encode(status.name)), ("run", run),
        ]
        for field in DeviceStatus.fields { columns.append((field.column, databaseValue(field.value(status)))) }
        try replace(in: "statuses", columns: columns, database)
    }

    /// Writes what a run of some ticks learned. The status of the service's devices stays, apart from their connections
    /// and the numbers of their entries.
    private static func write(ofOneOff statuses: [DeviceStatus], beside service: Int64, in database: Database) throws {
        for status in statuses {
            try database.cachedStatement(
                sql: """
                    UPDATE statuses SET entries = ?, last_count = ?, last_end_ms = ?, link = ?
                    WHERE device = ? AND run = ?
                    """
            ).execute(arguments: [
                status.entries, status.lastCount, status.lastEnd, status.link.rawValue, status.id.description,
                service,
            ])
            if database.changesCount == 0 { try write(status, run: service &- 1, in: database) }
        }
    }

    /// - Parameter device: only this one; `nil` for those of all runs.
    static func statuses(_ device: DeviceID?, in database: Database) throws -> [DeviceStatus] {
        try LedgerRow.all(
            database, sql: "SELECT * FROM statuses WHERE ?1 IS NULL OR device = ?1 ORDER BY name",
            arguments: [device?.description]
        ).compactMap(status)
    }

    /// Those that the last run keeps.
    static func currentStatuses(in database: Database) throws -> [DeviceStatus] {
        try LedgerRow.all(
            database, sql: "SELECT * FROM statuses WHERE run = (SELECT started_ms FROM poller) ORDER BY name, device"
        ).compactMap(status)
    }

    private static func status(_ row: LedgerRow) -> DeviceStatus? {
        guard let id = row.text("device").flatMap({ DeviceID($0) }),
            let address = row.text("address").flatMap({ BluetoothAddress($0) }), let name = row.text("name")
        else { return nil }
        return DeviceStatus(id: id, address: address, name: name) { name in kinds[name].flatMap { row.value($0) } }
    }

    private static let kinds = Dictionary(uniqueKeysWithValues: DeviceStatus.fields.map { ($0.name, $0) })

    private static func databaseValue(_ value: StatusField.Value?) -> any DatabaseValueConvertible {
        switch value {
        case .text(let text)?: HistoryText.encode(text)
        case .number(let number)?: number
        case .flag(let flag)?: flag
        case nil: DatabaseValue.null
        }
    }

    private static func number(_ number: Int64?) -> DatabaseValue { number?.databaseValue ?? .null }

    // MARK: The gateway

    private static func write(_ poller: GatewayStatus, in database: Database) throws {
        try replace(
            in: "poller",
            columns: [
                "id": 1, "pid": poller.pid, "started_ms": poller.started, "seen_ms": poller.seen,
                "ended_ms": number(poller.ended), "code": HistoryText.encode(poller.outage?.code.rawValue),
                "message": HistoryText.encode(poller.outage?.message),
                "power_mode": HistoryText.encode(poller.power?.mode.rawValue),
                "power_reason": HistoryText.encode(poller.power?.reason),
                "missed_lines": number(poller.missed.map { Int64($0.count) }),
                "is_stalled": number(poller.missed.map { $0.isStalled ? 1 : 0 }), "one_off": poller.isOneOff,
                "slow_writes": number(poller.slow.map { Int64($0.count) }),
                "slowest_ms": number(poller.slow?.longest.wholeMilliseconds), "slow_last_ms": number(poller.slow?.last),
            ], database)
        try write(poller.adapters, run: poller.started, in: database)
        guard let life = poller.life else { return }
        try replace(
            in: "life",
            columns: [
                "id": 1, "boot": life.clocks.boot, "boot_ns": life.clocks.sinceBoot.wholeNanoseconds,
                "awake_ns": life.clocks.awake.wholeNanoseconds, "time_ms": life.clocks.time,
                "silence_ms": life.silence.wholeMilliseconds,
            ], database)
    }

    static func poller(in database: Database) throws -> GatewayStatus? {
        guard let row = try LedgerRow.all(database, sql: "SELECT * FROM poller").first,
            let pid = row.number("pid").flatMap({ Int32(exactly: $0) }), let started = row.number("started_ms"),
            let seen = row.number("seen_ms")
        else { return nil }
        var poller = GatewayStatus(pid: pid, started: started, seen: seen)
        if let mode = row.text("power_mode").flatMap(PowerMode.init) {
            poller.power = GatewayStatus.Power(mode: mode, reason: row.text("power_reason") ?? "")
        }
        poller.ended = row.number("ended_ms")
        poller.outage = row.failure
        if let count = row.number("missed_lines") {
            poller.missed = MissedLines(count: Int(clamping: count), isStalled: row.number("is_stalled") == 1)
        }
        poller.isOneOff = row.number("one_off") == 1
        if let count = row.number("slow_writes"), let longest = row.number("slowest_ms"),
            let last = row.number("slow_last_ms")
        {
            poller.slow = SlowWrites(
                count: Int(clamping: count), longest: .milliseconds(max(0, min(longest, maxSilence))), last: last)
        }
        poller.adapters = try adapters(ofRun: started, in: database)
        poller.life = try life(in: database)
        return poller
    }

    private static func life(in database: Database) throws -> SignOfLife? {
        guard let row = try LedgerRow.all(database, sql: "SELECT * FROM life").first, let boot = row.text("boot"),
            let sinceBoot = row.number("boot_ns"), let awake = row.number("awake_ns"),
            let time = row.number("time_ms"), let silence = row.number("silence_ms"),
            (0...maxSilence).contains(silence)
        else { return nil }
        let clocks = ClockReading(
            boot: boot, sinceBoot: .nanoseconds(sinceBoot), awake: .nanoseconds(awake), time: time)
        return SignOfLife(clocks: clocks, silence: .milliseconds(silence))
    }

    // MARK: Adapters

    /// Writes the present adapters, and only rows that changed.
    static func write(_ adapters: [GatewayStatus.Adapter], run: Int64, in database: Database) throws {
        let known = try LedgerRow.all(database, sql: "SELECT * FROM adapters").map(\.row)
        for adapter in adapters {
            var (since, attempts, devices, need, interval) = (
                Int64?.none, Int?.none, Int?.none, Int64?.none, Int64?.none
            )
            switch adapter.trouble {
            case .noNewLinks(let start, let count, let concerned)?:
                (since, attempts, devices) = (start, count, concerned)
            case .tooManyDevices(let shortage)?:
                (devices, need) = (shortage.devices, shortage.need.wholeMilliseconds)
                interval = shortage.interval?.wholeMilliseconds
            case .cycling?, .stuck?, .noDiscovery?, .noFilter?, nil: break
            }
            let columns: Columns = [
                "name": HistoryText.encode(adapter.name), "run": run, "is_on": adapter.isOn,
                "trouble": HistoryText.encode(adapter.trouble?.code.rawValue), "since_ms": number(since),
                "attempts": number(attempts.map { Int64($0) }), "devices": number(devices.map { Int64($0) }),
                "need_ms": number(need), "interval_ms": number(interval), "listening": adapter.listening?.rawValue,
            ]
            if known.contains(where: { row in columns.allSatisfy { row[$0.key] == $0.value.databaseValue } }) {
                continue
            }
            try replace(in: "adapters", columns: columns, database)
        }
        let marks = Array(repeating: "?", count: adapters.count).joined(separator: ", ")
        try database.cachedStatement(sql: "DELETE FROM adapters WHERE name NOT IN (\(marks))")
            .execute(arguments: StatementArguments(adapters.map { HistoryText.encode($0.name) }))
    }

    static func adapters(ofRun run: Int64, in database: Database) throws -> [GatewayStatus.Adapter] {
        try LedgerRow.all(
            database, sql: "SELECT * FROM adapters WHERE run = ? ORDER BY length(name), name", arguments: [run]
        )
        .compactMap { row in
            guard let name = row.text("name") else { return nil }
            return .init(
                name: name, isOn: row.number("is_on") == 1, trouble: trouble(row),
                listening: row.text("listening").flatMap(GatewayStatus.Adapter.Listening.init))
        }
    }

    private static func trouble(_ row: LedgerRow) -> GatewayStatus.Adapter.Trouble? {
        switch row.text("trouble").flatMap(GatewayStatus.Adapter.Trouble.Code.init) {
        case .cycling: return .cycling
        case .stuck: return .stuck
        case .noDiscovery: return .noDiscovery
        case .noFilter: return .noFilter
        case .noNewLinks:
            guard let since = row.number("since_ms"), let attempts = row.count("attempts"),
                let devices = row.count("devices")
            else { return nil }
            return .noNewLinks(since: since, attempts: attempts, devices: devices)
        case .tooManyDevices:
            guard let devices = row.count("devices"), let need = row.duration("need_ms") else { return nil }
            return .tooManyDevices(AirShortage(devices: devices, need: need, interval: row.duration("interval_ms")))
        case nil: return nil
        }
    }

    // MARK: Rules

    private static func write(_ rules: [RuleStatus], left: Set<RuleKey>, run: Int64, in database: Database) throws {
        for status in rules {
            var columns: [(name: String, value: any DatabaseValueConvertible)] = [
                ("rule", HistoryText.encode(status.rule)), ("device", status.device.description), ("run", run),
                ("condition", HistoryText.encode(status.condition)), ("phase", status.phase.rawValue),
                ("firings", status.firings), ("message", HistoryText.encode(status.message)),
            ]
            for (name, moment) in [("since", status.since), ("fired", status.fired), ("ended", status.ended)] {
                columns += [
                    ("\(name)_boot", HistoryText.encode(moment?.boot)),
                    ("\(name)_boot_ms", number(moment?.sinceBoot)), ("\(name)_ms", number(moment?.time)),
                    ("\(name)_set", number(moment.map { $0.isSet ? 1 : 0 })),
                ]
            }
            try replace(in: "rules", columns: columns, database)
            if let fired = status.fired { try log(status, fired: fired, in: database) }
        }
        for key in left {
            try database.cachedStatement(sql: "UPDATE rules SET run = ? WHERE rule = ? AND device = ?")
                .execute(arguments: [run &- 1, HistoryText.encode(key.rule), key.device.description])
        }
        // Rules of former configurations remain, up to a number.
        guard !rules.isEmpty else { return }
        try database.execute(
            sql: """
                DELETE FROM rules WHERE (rule, device) IN (
                    SELECT rule, device FROM rules ORDER BY run DESC LIMIT -1 OFFSET \(2 * Rule.maxPairs))
                """)
    }

    static let maxFirings = 10_000
    /// The most firings of a rule with a device.
    static let maxFiringsOfOne: Int64 = 500

    /// Writes when a rule fired, and when it ended. What the log has already costs no write.
    private static func log(_ status: RuleStatus, fired: RuleMoment, in database: Database) throws {
        let (device, rule) = (status.device.description, HistoryText.encode(status.rule))
        let statement = try database.cachedStatement(
            sql: """
                INSERT INTO firings (device, rule, number, fired_ms, ended_ms, cause, ending) VALUES (?, ?, ?, ?, ?, ?, ?)
                ON CONFLICT (device, rule, number) DO UPDATE SET fired_ms = excluded.fired_ms, ended_ms = excluded.ended_ms,
                    cause = coalesce(excluded.cause, cause), ending = coalesce(excluded.ending, ending)
                WHERE fired_ms <> excluded.fired_ms OR ended_ms IS NOT excluded.ended_ms
                """)
        let message = HistoryText.encode(status.message)
        try statement.execute(arguments: [
            device, rule, status.firings, fired.time, status.isFiring ? nil : status.ended?.time,
            status.isFiring ? message : .null, status.isFiring ? .null : message,
        ])
        guard database.changesCount > 0 else { return }
        try database.cachedStatement(sql: "DELETE FROM firings WHERE device = ? AND rule = ? AND number <= ?")
            .execute(arguments: [device, rule, status.firings &- maxFiringsOfOne])
        // Firings of former rules remain, so remove the oldest of all now and then.
        guard status.firings % 50 == 1 else { return }
        try database.execute(
            sql: """
                DELETE FROM firings WHERE (device, rule, number) IN (
                    SELECT device, rule, number FROM firings ORDER BY fired_ms DESC LIMIT -1 OFFSET \(maxFirings))
                """)
    }

    /// The firings of rules with some devices that lie in a time, at least in part: the newest, the oldest of these first.
    static func firings(
        of devices: [DeviceID], in time: ClosedRange<Int64>, limit: Int, _ database: Database
    ) throws -> [RuleFiring] {
        let marks = Array(repeating: "?", count: devices.count).joined(separator: ", ")
        let rows = try LedgerRow.all(
            database,
            sql: """
                SELECT firings.*, rules.phase IN ('firing', 'ending') AS lasts FROM firings
                LEFT JOIN rules ON rules.rule = firings.rule AND rules.device = firings.device
                    AND rules.firings = number AND run = (SELECT started_ms FROM poller)
                WHERE firings.device IN (\(marks)) AND firings.fired_ms <= ?
                    AND (lasts OR coalesce(firings.ended_ms, firings.fired_ms) >= ?)
                ORDER BY firings.fired_ms DESC, firings.rule LIMIT ?
                """,
            arguments: StatementArguments(devices.map(\.description))
                + StatementArguments([time.upperBound, time.lowerBound, Int64(limit)]))
        return rows.reversed().compactMap { row in
            guard let device = row.text("device").flatMap({ DeviceID($0) }), let rule = row.text("rule"),
                let fired = row.number("fired_ms")
            else { return nil }
            return RuleFiring(
                rule: rule, device: device, fired: fired, ended: row.number("ended_ms"),
                isOver: row.number("lasts") != 1, cause: row.text("cause"), ending: row.text("ending"))
        }
    }

    /// - Parameter ofLastRun: only those that the last run has; otherwise of all runs.
    static func rules(ofLastRun: Bool, in database: Database) throws -> [RuleStatus] {
        let rows = try LedgerRow.all(
            database,
            sql: "SELECT * FROM rules WHERE NOT ? OR run = (SELECT started_ms FROM poller) ORDER BY rule, device",
            arguments: [ofLastRun])
        return rows.compactMap { row in
            guard let rule = row.text("rule"), let device = row.text("device").flatMap({ DeviceID($0) }),
                let condition = row.text("condition"),
                let phase = row.text("phase").flatMap(RuleStatus.Phase.init)
            else { return nil }
            var status = RuleStatus(rule: rule, device: device, condition: condition)
            status.phase = phase
            status.firings = row.number("firings") ?? 0
            status.message = row.text("message")
            (status.since, status.fired, status.ended) = (row.moment("since"), row.moment("fired"), row.moment("ended"))
            return status
        }
    }

    // MARK: Sinks

    private static func write(_ sink: SinkStatus, in database: Database) throws {
        let run = try Int64.stored(database, sql: "SELECT started_ms FROM poller") ?? 0
        try replace(
            in: "sinks",
            columns: [
                "name": sink.name, "run": run, "position": number(sink.position),
                "logged": number(sink.logged), "backlog": sink.backlog, "dropped": sink.dropped,
                "error": HistoryText.encode(sink.failure), "retry_ms": number(sink.nextTry),
                "confirmed": HistoryText.encode(sink.confirmed.map(text)),
            ], database)
    }

    /// Writes the position that a sink has after a run of some ticks, so that nothing is sent twice. The rest of the
    /// service's status stays.
    private static func write(ofOneOff sink: SinkStatus, beside service: Int64, in database: Database) throws {
        let statement = try database.cachedStatement(
            sql: """
                INSERT INTO sinks (name, run, position, logged, backlog, dropped, confirmed) VALUES (?, ?, ?, ?, ?, 0, ?)
                ON CONFLICT (name) DO UPDATE SET
                    position = excluded.position, logged = excluded.logged, backlog = excluded.backlog,
                    confirmed = excluded.confirmed
                """)
        try statement.execute(arguments: [
            sink.name, service &- 1, sink.position, sink.logged, sink.backlog, sink.confirmed.map(text),
        ])
    }

    /// Keeps the position of a sink that has left the configuration.
    private static func leave(sink name: String, in database: Database) throws {
        let statement = try database.cachedStatement(
            sql: "UPDATE sinks SET run = (SELECT started_ms FROM poller) - 1 WHERE name = ?")
        try statement.execute(arguments: [name])
    }

    /// - Parameter ofLastRun: only those that the last run has; otherwise of all runs.
    static func sinks(ofLastRun: Bool, in database: Database) throws -> [SinkStatus] {
        let rows = try LedgerRow.all(
            database, sql: "SELECT * FROM sinks WHERE NOT ? OR run = (SELECT started_ms FROM poller) ORDER BY name",
            arguments: [ofLastRun])
        return rows.compactMap { row in
            guard let name = row.text("name"), let backlog = row.number("backlog"),
                let dropped = row.number("dropped")
            else { return nil }
            var sink = SinkStatus(name: name)
            (sink.position, sink.logged) = (row.number("position"), row.number("logged"))
            (sink.backlog, sink.dropped) = (backlog, dropped)
            sink.failure = row.text("error")
            sink.nextTry = row.number("retry_ms")
            sink.confirmed = row.text("confirmed").map(ranges)
            return sink
        }
    }

    private static func text(_ ranges: [ClosedRange<Int64>]) -> String {
        ranges.map { "\($0.lowerBound)-\($0.upperBound)" }.joined(separator: ",")
    }

    /// Skips unreadable ranges, so that their readings are sent again.
    private static func ranges(_ text: String) -> [ClosedRange<Int64>] {
        text.split(separator: ",").compactMap { range in
            let ends = range.split(separator: "-").compactMap { Int64($0) }
            return ends.count == 2 && ends[0] <= ends[1] ? ends[0]...ends[1] : nil
        }
    }
}

/// A row, read by the names of its columns. A value of another type counts as missing, as does one without a column: a file
/// may be damaged.
struct LedgerRow {
    let row: Row

    static func all(
        _ database: Database, sql: String, arguments: StatementArguments = StatementArguments()
    ) throws -> [LedgerRow] {
        try Row.fetchAll(database, sql: sql, arguments: arguments).map(LedgerRow.init)
    }

    func text(_ column: String) -> String? { HistoryText.decode(stored(column)) }

    func number(_ column: String) -> Int64? { Int64.stored(stored(column)) }

    func stored(_ column: String) -> DatabaseValue { row.hasColumn(column) ? row[column] : .null }

    func count(_ column: String) -> Int? { number(column).flatMap { Int(exactly: $0) } }

    func value(_ field: StatusField) -> StatusField.Value? {
        switch field.kind {
        case .text, .choice: text(field.column).map { .text($0) }
        case .flag: number(field.column).map { .flag($0 != 0) }
        case .count, .signal, .time, .duration: number(field.column).map { .number($0) }
        }
    }

    /// A duration in milliseconds.
    func duration(_ column: String) -> Duration? { number(column).map { .milliseconds($0) } }

    /// A moment in four columns.
    func moment(_ name: String) -> RuleMoment? {
        guard let boot = text("\(name)_boot"), let sinceBoot = number("\(name)_boot_ms"),
            let time = number("\(name)_ms")
        else { return nil }
        return RuleMoment(boot: boot, sinceBoot: sinceBoot, time: time, isSet: number("\(name)_set") == 1)
    }

    /// The failure in the columns `code` and `message`; `nil` without one.
    var failure: ReadingFailure? {
        text("code").map { ReadingFailure(code: OpenEnum(rawValue: $0), message: text("message") ?? "") }
    }
}
