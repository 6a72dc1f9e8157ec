import Blekeep
import BlekeepHistory
import BlekeepOutputs
import Foundation
import GRDB

extension Subject {
    /// Rows of a history that something else has written, or a failing card.
    package static let rows = Subject(
        name: "history rows",
        feed: { dice in
            rowFile.feed(
                &dice, table: "measurements",
                columns: "series, time_ms, tick, kind, value, state, raw, error_code, error_message"
            ) { reader in
                try reader.readings(limit: 3) { reading in
                    var bytes: [UInt8] = []
                    JSONLineWriter().append(reading, to: &bytes)
                    HumanLineWriter().append(reading, to: &bytes)
                }
            }
        }, share: 20)

    package static let ledgerRows = Subject(
        name: "ledger rows",
        feed: { dice in
            let table = dice.pick([
                (
                    "statuses",
                    """
                    device, run, address, name, \(DeviceStatus.fields.map(\.column).joined(separator: ", "))
                    """
                ),
                ("attempts", "device, number, phase, code, message, remedy, first_ms, last_ms, count, pause_ms"),
                (
                    "poller",
                    """
                    id, pid, started_ms, seen_ms, ended_ms, code, message, power_mode, power_reason, missed_lines, is_stalled, one_off, \
                    slow_writes, slowest_ms, slow_last_ms
                    """
                ),
                ("adapters", "name, run, is_on, trouble, since_ms, attempts, devices, need_ms, interval_ms, listening"),
            ])
            return rowFile.feed(&dice, table: table.0, columns: table.1) { reader in
                _ = try reader.lastRun()
                for entry in try reader.attempts(of: DeviceID(anyAddress), limit: 5) {
                    _ = AttemptMessages.sentence(entry)
                    _ = entry.next
                }
                if let status = try reader.status(of: DeviceID(anyAddress)) {
                    let remedy = status.condition.trouble?.remedy
                    _ = Advice.sentence(status.failure, remedy: remedy, of: status.name)
                }
            }
        }, share: 20)

    package static let heartbeatRows = Subject(
        name: "heartbeat rows",
        feed: { dice in
            let since: Duration = .seconds(dice.pick([1, 3600, 86_400, Int64.max / 4]))
            let now = ClockReading(
                boot: dice.pick(["this", ""]), sinceBoot: .seconds(dice.below(1 << 20)),
                awake: .seconds(dice.below(1 << 20)), time: Int64(truncatingIfNeeded: dice.next()))
            return rowFile.feedHeartbeats(&dice) { reader, last in
                if let last { _ = Downtime(since: last, until: now) }
                guard let report = try reader.report(since: since, now: now) else { return nil }
                let bands = ReportBands(report)
                let places = bands.bands.flatMap { [$0.start, $0.length] } + bands.charges.map(\.place)
                return places.allSatisfy(\.isFinite) ? nil : "a band of the report has no place"
            }
        }, share: 40)

    private nonisolated(unsafe) static let rowFile = RowFile()
}

/// A history in a memory file system, with rows that are overwritten with random values.
private final class RowFile {
    fileprivate let path: String
    fileprivate let history: History?
    fileprivate let queue: DatabaseQueue?
    fileprivate let reader: HistoryReader?

    init() {
        path = "\(Subject.folderInMemory)/blekeep-fuzz-\(getpid()).sqlite"
        history = try? History(path: path)
        queue = try? DatabaseQueue(path: path)
        reader = try? HistoryReader(path: path)
        atexit { for suffix in ["", "-wal", "-shm", ".lock"] { unlink("\(RowFile.latest)\(suffix)") } }
        RowFile.latest = path
        try? queue?.write { database in
            try database.execute(
                sql: """
                    PRAGMA synchronous = OFF;
                    INSERT INTO series VALUES
                        (1, 'f00000000001', 'F0:00:00:00:00:01', 'x', '181a', '2a6e', '', 'T', 'temperature', '°C', 1, 0, 0),
                        (2, '', 'nonsense', '', '', '', '', '', NULL, NULL, 1, 0, 0);
                    """)
        }
    }

    nonisolated(unsafe) static var latest = ""

    /// Replaces all rows with one of random values, and reads the history.
    func feed(
        _ dice: inout Dice, table: String, columns: String, _ read: (HistoryReader) throws -> Void
    ) -> String? {
        guard let queue, let reader else { return "no history at \(path)" }
        let count = columns.split(separator: ",").count
        var values = (0..<count).map { _ in dice.databaseValue() }
        if dice.below(3) > 0 {
            values[0] = table == "measurements" ? 1.databaseValue : "f00000000001".databaseValue
        }
        if table == "poller" { values[0] = 1.databaseValue }
        let marks = [String](repeating: "?", count: count).joined(separator: ", ")
        let insert = "INSERT OR REPLACE INTO \(table) (\(columns)) VALUES (\(marks))"
        do {
            try queue.inDatabase { database in
                try database.execute(sql: "DELETE FROM \(table)")
                try database.execute(sql: insert, arguments: StatementArguments(values))
            }
        } catch { return nil }
        do { try read(reader) } catch is HistoryError { return nil } catch { return "\(error)" }
        return nil
    }
}

extension RowFile {
    private static let tables = [
        (
            "heartbeats",
            """
            id, boot, from_boot_ns, from_awake_ns, from_ms, to_boot_ns, to_awake_ns, to_ms, synchronized, seq, state, \
            mode, supply, from_percent, to_percent, scan_ms, packets
            """
        ), ("activity", "heartbeat, device, alias, address, good, failed, missed, samples, connects, air_ms"),
        (
            "downtimes",
            "id, heartbeat, cause, from_boot, from_boot_ns, from_ms, to_boot, to_boot_ns, to_ms, length_ms"
        ),
    ]

    /// Replaces all rows with a few of mostly valid types, and reads the history.
    func feedHeartbeats(_ dice: inout Dice, _ read: (HistoryReader, Heartbeat?) throws -> String?) -> String? {
        guard let queue, let reader, let history else { return "no history at \(path)" }
        var rows: [(sql: String, values: [DatabaseValue])] = []
        for (table, names) in Self.tables {
            let columns = names.split(separator: ",").map { $0.trimmingCharacters(in: .whitespacesAndNewlines) }
            let marks = [String](repeating: "?", count: columns.count).joined(separator: ", ")
            for number in 0...dice.below(3) {
                let values = columns.map { column in
                    column == "id" || column == "heartbeat"
                        ? Int64(number).databaseValue
                        : dice.below(12) == 0 ? dice.databaseValue() : dice.fitting(column)
                }
                rows.append(("INSERT OR REPLACE INTO \(table) (\(names)) VALUES (\(marks))", values))
            }
        }
        do {
            try queue.inDatabase { database in
                for (table, _) in Self.tables { try database.execute(sql: "DELETE FROM \(table)") }
                for (sql, values) in rows {
                    // Skip values that the table itself refuses.
                    try? database.execute(sql: sql, arguments: StatementArguments(values))
                }
            }
        } catch { return "\(error)" }
        do { return try read(reader, try history.lastHeartbeat()) } catch is HistoryError { return nil } catch {
            return "\(error)"
        }
    }
}

extension Dice {
    /// Returns a random value for a column of heartbeats.
    fileprivate mutating func fitting(_ column: String) -> DatabaseValue {
        switch column {
        case "boot", "from_boot", "to_boot": pick(["this", "other", ""]).databaseValue
        case "state": pick(["running", "asleep", "shutdown", "stopped"]).databaseValue
        case "mode": pick(["normal", "battery", "low", "critical"]).databaseValue
        case "supply": pick(["external", "battery", "unknown"]).databaseValue
        case "cause": pick(["crash", "suspend", "reboot", "power_off", "stopped"]).databaseValue
        case "device": pick(["f00000000001", "attic", text()]).databaseValue
        case "alias": text().databaseValue
        case "address": "F0:00:00:00:00:01".databaseValue
        case "from_percent", "to_percent": (Double(below(1200)) / 10 - 10).databaseValue
        default:
            pick([
                Int64(below(1 << 40)), Int64(below(1 << 40)), Int64(below(1000)), .min, .max, -1, 0,
                Int64(truncatingIfNeeded: next()),
            ]).databaseValue
        }
    }

    mutating func databaseValue() -> DatabaseValue {
        switch below(8) {
        case 0: .null
        case 1: pick([Int64.min, .max, 0, -1, 1 << 53]).databaseValue
        case 2: Int64(truncatingIfNeeded: next()).databaseValue
        case 3: Double(bitPattern: next()).databaseValue
        case 4: pick(["good", "lost", "held", "F0:00:00:00:00:01", "connect", "retry", "[1,2]", "[[[["]).databaseValue
        case 5: Data(bytes(upTo: 64)).databaseValue
        case 6: Int64(below(8)).databaseValue
        default: text().databaseValue
        }
    }
}
