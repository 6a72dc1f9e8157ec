import Blekeep
import BlekeepHistory
import BlekeepOutputs
import Foundation
import GRDB

extension Subject {
    /// Rows of a history's upkeep that something else has written, or a failing card; read.
    package static let upkeepRows = Subject(name: "upkeep rows", feed: { UpkeepFile.feed(&$0, read) }, share: 20)

    /// The same under a history that is opened, and goes on.
    package static let openedRows = Subject(name: "opened upkeep rows", feed: { UpkeepFile.feed(&$0, open) }, share: 40)

    private static func read(_ dice: inout Dice, _ path: String) -> String? {
        let times: [Int64?] = [nil, .min, .max, 0, UpkeepFile.time]
        let query = HistoryQuery(
            device: dice.pick([nil, nil, DeviceID("x"), DeviceID("f00000000001")]), since: dice.pick(times),
            until: dice.pick(times))
        guard let reader = try? HistoryReader(path: path) else { return "it can't be opened" }
        func attempt(_ body: () throws -> Void) -> String? {
            do { try body() } catch is HistoryError { return nil } catch { return "\(error)" }
            return nil
        }
        var bytes: [UInt8] = []
        return attempt { try reader.readings(query) { JSONLineWriter().append($0, to: &bytes) } }
            ?? attempt { try reader.readings(query, limit: 2) { _ in } }
            ?? attempt { for reading in try reader.latest(query) { JSONLineWriter().append(reading, to: &bytes) } }
            ?? attempt { try reader.summaries(query, every: .hour) { _ in } }
            ?? attempt { try reader.summaries(query, every: .fiveMinutes) { _ in } }
            ?? attempt { try plot(&dice, reader) }
    }

    /// Draws any time of a device.
    private static func plot(_ dice: inout Dice, _ reader: HistoryReader) throws {
        let moments: [Int64] = [.min, .max, 0, UpkeepFile.time, UpkeepFile.time + 1]
        let (one, other) = (dice.pick(moments), dice.pick(moments))
        let plot = try reader.plotted(
            PlotSelection(
                device: dice.pick([DeviceID("x"), DeviceID("f00000000001")]) ?? DeviceID(anyAddress),
                time: min(one, other)...max(one, other),
                columns: dice.pick([0, 1, 80, .max]), isFitted: dice.below(2) == 0))
        _ = PlotLines.json(plot)
    }

    private static func open(_ dice: inout Dice, _ path: String) -> String? {
        guard let address = BluetoothAddress("F0:00:00:00:00:01") else { return nil }
        var limits = HistoryLimits(HistoryConfiguration(reserve: 0))
        if dice.below(2) == 0 { limits.size = 1 << 16 }
        if dice.below(2) == 0 { limits.rollups = 0 }
        do {
            let history = try History(path: path, limits: limits)
            for isSet in [dice.pick([true, false]), true] {
                var changes = LedgerChanges()
                changes.clocks = ClockReading(
                    boot: "this", sinceBoot: .seconds(dice.below(1 << 20)), awake: .zero, time: UpkeepFile.time,
                    isSynchronized: isSet)
                let reading = Reading(
                    time: UpkeepFile.time, tick: 1, device: "x", address: address, service: BluetoothUUID(0x181A),
                    characteristic: BluetoothUUID(0x2A6E), name: "T",
                    outcome: .value(Measurement(field: "temperature", value: .number(1), unit: "°C"), raw: []))
                let stored = try history.append([reading], nil, changes, durable: false)
                guard stored.allSatisfy({ $0.sequence > 0 }) else { return "the number \(stored) was given" }
                var steps = 0
                // A step ends after some milliseconds, and so does less on a busy machine.
                while history.needsUpkeep, steps < 10_000 {
                    try history.upkeep()
                    steps += 1
                }
                if steps == 10_000 { return "its upkeep never ends" }
            }
        } catch is HistoryError { return nil } catch { return "\(error)" }
        return read(&dice, path)
    }
}

/// A history in memory's file system with a few rows of any values.
private enum UpkeepFile {
    /// 2026-11-21T03:18:00.123Z
    static let time: Int64 = 1_795_231_080_123

    private static let path: String = {
        atexit { UpkeepFile.remove() }
        return "\(Subject.folderInMemory)/blekeep-fuzz-upkeep-\(getpid()).sqlite"
    }()

    private static func remove() {
        for copy in HistoryCopies.all(of: path) { for suffix in ["", "-wal", "-shm"] { unlink(copy.path + suffix) } }
        for suffix in ["", "-wal", "-shm", ".lock"] { unlink(path + suffix) }
    }

    /// The bytes of a history with empty tables, which take any row.
    private static let empty: [UInt8]? = {
        remove()
        do {
            try History(path: path).close()
            let queue = try DatabaseQueue(path: path)
            try queue.inDatabase { database in
                try database.execute(sql: "DROP INDEX series_key; DELETE FROM upkeep")
                try database.checkpoint(.truncate)
            }
            try queue.close()
            return Array(try Data(contentsOf: URL(fileURLWithPath: path)))
        } catch { return nil }
    }()

    private static let tables = [
        (
            "series",
            "id, device, address, service, characteristic, recipe, name, field, unit, instance, last_seq, last_period"
        ),
        ("measurements", "seq, series, time_ms, tick, kind, value, state, raw, error_code, error_message"),
        ("rollups", "minutes, period, series, start, count, min, max, sum, kind, last, last_ms"),
        ("logged", "series, boot, slot, time_ms, kind, value"),
        ("spans", "first, last, from_ms, to_ms"),
        ("clocks", "first, boot, boot_ns, time_ms, state, shift_ms, fixed"),
        ("upkeep", "id, given, rolled, rollup_bytes, noticed"),
    ]

    /// Writes a few rows in place of all, most values of the right kind, and lets `body` work on them.
    static func feed(_ dice: inout Dice, _ body: (inout Dice, String) -> String?) -> String? {
        guard let empty else { return "no history at \(path)" }
        // Start each input with a new file.
        remove()
        guard Subject.write(empty, to: path) else { return "no file at \(path)" }
        do {
            let queue = try DatabaseQueue(path: path)
            try queue.inDatabase { database in
                try database.execute(sql: "PRAGMA synchronous = OFF")
                try database.inTransaction {
                    for (table, names) in tables { try fill(table, names, &dice, in: database) }
                    return .commit
                }
            }
            try queue.close()
        } catch { return "\(error)" }
        return body(&dice, path)
    }

    private static func fill(_ table: String, _ names: String, _ dice: inout Dice, in database: Database) throws {
        let columns = names.split(separator: ", ").map(String.init)
        let marks = [String](repeating: "?", count: columns.count).joined(separator: ", ")
        for number in 1...(table == "upkeep" ? 1 : 1 + dice.below(4)) {
            let wild = dice.below(10) == 0
            let values = columns.map { column in
                dice.below(wild ? 3 : 40) == 0 && column != "id"
                    ? dice.databaseValue() : dice.value(of: column, in: table, row: Int64(number))
            }
            // Skip values that the table itself refuses.
            try? database.execute(
                sql: "INSERT OR REPLACE INTO \(table) (\(names)) VALUES (\(marks))",
                arguments: StatementArguments(values))
        }
    }
}

extension Dice {
    /// Returns a random value for a column of a history's own tables.
    fileprivate mutating func value(of column: String, in table: String, row: Int64) -> DatabaseValue {
        let extremes: [Int64] = [.min, .min + 1, -1, 0, 1, .max - 1, .max, 1 << 52]
        func number(_ usual: Int64...) -> DatabaseValue {
            (below(12) == 0 ? pick(extremes) : usual.count == 1 ? usual[0] : pick(usual)).databaseValue
        }
        let hour = UpkeepFile.time / 3_600_000
        switch column {
        case "id": return row.databaseValue
        case "device": return "f00000000001".databaseValue
        case "alias": return "x".databaseValue
        case "address": return "F0:00:00:00:00:01".databaseValue
        case "service": return "181a".databaseValue
        case "characteristic": return "2a6e".databaseValue
        case "recipe": return "".databaseValue
        case "name": return "T".databaseValue
        case "field": return pick(["temperature", "temperature", "mode"]).databaseValue
        case "unit": return "°C".databaseValue
        case "boot": return pick(["this", "other"]).databaseValue
        case "minutes": return number(5, 60)
        case "period": return number(hour / 168, hour)
        case "start": return number(hour, hour * 12)
        case "min", "max", "sum", "value",
            "last" where table != "spans":
            return below(4) == 0 ? .null : (Double(below(400)) / 4).databaseValue
        case "time_ms", "from_ms", "to_ms": return number(UpkeepFile.time, UpkeepFile.time - 5000)
        case "given": return below(2) == 0 ? .null : number(0, 1, 5)
        case "raw": return Data([1]).databaseValue
        case "error_code", "error_message": return "timeout".databaseValue
        case "kind": return number(0, 1, 2, 2, 2, 3, 4, 5, 6)
        default: return number(0, 1, 2, 3, 4)
        }
    }
}
