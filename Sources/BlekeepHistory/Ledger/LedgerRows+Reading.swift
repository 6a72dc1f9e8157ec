import BlekeepRecords
internal import GRDB

/// Reads rows of the ledger. It skips damaged rows.
extension LedgerRows {
    static func lastKnown(_ database: Database) throws -> (statuses: [DeviceStatus], entries: [LedgerEntry]) {
        let statuses = try statuses(nil, in: database)
        let rows = try Row.fetchAll(
            database,
            sql: """
                SELECT \(entryColumns) FROM attempts
                WHERE (device, number) IN (SELECT device, max(number) FROM attempts GROUP BY device)
                """)
        return (statuses, rows.compactMap { entry($0, statuses) })
    }

    /// The last entries of a device together with what concerned every device, the oldest first.
    static func entries(of device: DeviceID, limit: Int, in database: Database) throws -> [LedgerEntry] {
        let statuses = try statuses(device, in: database)
        let rows = try Row.fetchAll(
            database,
            sql: """
                SELECT * FROM (
                    SELECT \(entryColumns) FROM attempts WHERE device IN (?, '')
                    ORDER BY first_ms DESC, number DESC LIMIT ?)
                ORDER BY first_ms, number
                """, arguments: [device.description, limit])
        return rows.compactMap { entry($0, statuses) }
    }

    /// - Parameter device: only this one; `nil` for those of the last run.
    static func statuses(_ device: DeviceID?, in database: Database) throws -> [DeviceStatus] {
        let rows = try Row.fetchAll(
            database, sql: "SELECT device, \(columns) FROM standings WHERE ?1 IS NULL OR device = ?1 ORDER BY name",
            arguments: [device?.description])
        return rows.compactMap(status)
    }

    /// Those that the last run keeps.
    static func currentStatuses(in database: Database) throws -> [DeviceStatus] {
        let rows = try Row.fetchAll(
            database,
            sql: """
                SELECT device, \(columns) FROM standings
                WHERE run = (SELECT started_ms FROM keeper) ORDER BY name, device
                """)
        return rows.compactMap(status)
    }

    static func keeper(in database: Database) throws -> GatewayStatus? {
        let row = try Row.fetchOne(database, sql: "SELECT \(keeperColumns) FROM keeper")
        guard let row, let pid = Int64.fromDatabaseValue(row[0]).flatMap({ Int32(exactly: $0) }),
            let started = Int64.fromDatabaseValue(row[1]), let seen = Int64.fromDatabaseValue(row[2]),
            let power = HistoryText.decode(row[6])
        else { return nil }
        var keeper = GatewayStatus(pid: pid, started: started, seen: seen, power: power)
        keeper.ended = Int64.fromDatabaseValue(row[3])
        keeper.outage = failure(row[4], row[5])
        if let count = Int64.fromDatabaseValue(row[7]) {
            keeper.missed = MissedLines(count: Int(count), isStalled: Int64.fromDatabaseValue(row[8]) == 1)
        }
        keeper.isOneOff = Int64.fromDatabaseValue(row[9]) == 1
        if let count = Int64.fromDatabaseValue(row[10]), let longest = Int64.fromDatabaseValue(row[11]),
            let last = Int64.fromDatabaseValue(row[12])
        {
            keeper.slow = SlowWrites(
                count: Int(clamping: count), longest: .milliseconds(max(0, min(longest, longestSilence))), last: last)
        }
        keeper.adapters = try adapters(ofRun: started, in: database)
        keeper.life = try life(in: database)
        return keeper
    }

    private static func life(in database: Database) throws -> SignOfLife? {
        let row = try Row.fetchOne(database, sql: "SELECT boot, boot_ns, awake_ns, time_ms, silence_ms FROM life")
        guard let row, let boot = String.fromDatabaseValue(row[0]), let sinceBoot = Int64.fromDatabaseValue(row[1]),
            let awake = Int64.fromDatabaseValue(row[2]), let time = Int64.fromDatabaseValue(row[3]),
            let silence = Int64.fromDatabaseValue(row[4]), (0...longestSilence).contains(silence)
        else { return nil }
        let clocks = ClockReading(
            boot: boot, sinceBoot: .nanoseconds(sinceBoot), awake: .nanoseconds(awake), time: time)
        return SignOfLife(clocks: clocks, silence: .milliseconds(silence))
    }

    /// The longest time that a poller announces, in milliseconds: one day.
    private static let longestSilence: Int64 = 86_400_000

    private static let entryColumns = """
        device, number, phase, code, message, remedy, first_ms, last_ms, count, pause_ms
        """

    private static func entry(_ row: Row, _ statuses: [DeviceStatus]) -> LedgerEntry? {
        guard let device = HistoryText.decode(row[0]), let number = Int64.fromDatabaseValue(row[1]),
            let phase = HistoryText.decode(row[2]), let first = Int64.fromDatabaseValue(row[6]),
            let last = Int64.fromDatabaseValue(row[7]), let count = Int64.fromDatabaseValue(row[8])
        else { return nil }
        let id = DeviceID(device)
        if id == nil, !device.isEmpty { return nil }
        let entry = LedgerEntry(
            device: id, number: number, phase: OpenEnum(rawValue: phase), failure: failure(row[3], row[4]),
            remedy: HistoryText.decode(row[5]).map { OpenEnum(rawValue: $0) }, first: first, last: last, count: count,
            pause: Int64.fromDatabaseValue(row[9]).map { .milliseconds($0) })
        return entry.continued(by: statuses.first { $0.id == id })
    }

    private static func status(_ row: Row) -> DeviceStatus? {
        guard let id = HistoryText.decode(row[0]).flatMap({ DeviceID($0) }),
            let address = HistoryText.decode(row[1]).flatMap({ BluetoothAddress($0) }),
            let name = HistoryText.decode(row[2]),
            let state = HistoryText.decode(row["state"]).flatMap(DeviceCondition.State.init),
            let since = Int64.fromDatabaseValue(row["since_ms"]),
            let entries = Int64.fromDatabaseValue(row["entries"])
        else { return nil }
        var status = DeviceStatus(
            id: id, address: address, name: name, condition: condition(state, row), since: since)
        status.lastValue = Int64.fromDatabaseValue(row["last_value_ms"])
        status.entries = entries
        status.lastCount = Int64.fromDatabaseValue(row["last_count"]) ?? 0
        status.lastEnd = Int64.fromDatabaseValue(row["last_end_ms"]) ?? 0
        status.next = Int64.fromDatabaseValue(row["next_ms"])
        status.interval = Int64.fromDatabaseValue(row["interval_ms"]).map { .milliseconds($0) }
        status.intervalReason = HistoryText.decode(row["interval_reason"]) ?? ""
        status.link = HistoryText.decode(row["link"]).flatMap(DeviceStatus.Link.init) ?? .none
        status.rssi = Int64.fromDatabaseValue(row["rssi"]).flatMap { Int(exactly: $0) }
        status.thinned.thinned = Int64.fromDatabaseValue(row["thinned"]).flatMap { Int(exactly: $0) } ?? 0
        status.thinned.total = Int64.fromDatabaseValue(row["thinned_of"]).flatMap { Int(exactly: $0) } ?? 0
        status.pause = Int64.fromDatabaseValue(row["paused_until_ms"]).map { $0 == 0 ? .untilResumed : .until($0) }
        status.identity = HistoryText.decode(row["identity"]).flatMap { BroadcastIdentity($0) }
        return status
    }

    private static func condition(_ state: DeviceCondition.State, _ row: Row) -> DeviceCondition {
        let count = Int64.fromDatabaseValue(row[state == .good ? "good_in_a_row" : "failed_in_a_row"])
        return DeviceCondition(
            state, inARow: count ?? 0, phase: HistoryText.decode(row["phase"]).flatMap(Attempt.Phase.init) ?? .read,
            failure: failure(row["code"], row["message"]),
            remedy: HistoryText.decode(row["remedy"]).flatMap(Remedy.init))
    }

    private static func failure(_ code: DatabaseValue, _ message: DatabaseValue) -> ReadingFailure? {
        HistoryText.decode(code).map {
            ReadingFailure(code: OpenEnum(rawValue: $0), message: HistoryText.decode(message) ?? "")
        }
    }
}
