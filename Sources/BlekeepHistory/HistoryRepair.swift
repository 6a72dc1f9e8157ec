import BlekeepRecords
internal import GRDB
import Glibc
import RunLoop

/// Replaces a damaged history by a new one, and keeps the damaged files.
enum HistoryRepair {
    /// The largest database that a start checks completely, in bytes. A larger one would delay the start.
    private static let maxChecked: Int64 = 32 << 20

    /// - Parameter wasOurs: whether the file was blekeep's history. Other files stay as they are.
    static func helps(against error: HistoryError, wasOurs: Bool) -> Bool {
        switch error {
        case .damaged: true
        case .notAHistory(let path): wasOurs && hasLostItsHead(path)
        default: false
        }
    }

    /// Whether the file lacks SQLite's header. Another program's database has it.
    private static func hasLostItsHead(_ path: String) -> Bool {
        guard let head = SystemFile.bytes(of: path, atMost: 16) else { return false }
        return head != Array("SQLite format 3\0".utf8)
    }

    /// - Throws: `HistoryError.damaged` when the database's pages do not fit each other.
    static func check(_ queue: DatabaseQueue, path: String) throws {
        try queue.read { database in
            let pages = try Int64.fetchOne(database, sql: "PRAGMA page_count") ?? 0
            guard pages <= maxChecked / 4096 else { return }
            let verdict = try String.fetchOne(database, sql: "PRAGMA quick_check(1)")
            if verdict != "ok" { throw HistoryError.damaged(path: path) }
        }
    }

    /// Renames the database and the files beside it.
    ///
    /// - Returns: the new path.
    /// - Throws: `HistoryError.notReplaced` when there are too many damaged histories.
    private static func moveAside(_ file: String, path: String) throws(HistoryError) -> String {
        let copies = HistoryCopies.damaged(of: file)
        guard copies.count < HistoryCopies.most else { throw .notReplaced(path: path, copies: copies) }
        let place = HistoryCopies.place(for: file)
        // The log first: SQLite would delete it where it finds no database.
        for suffix in ["-wal", "-shm", ""] where rename(file + suffix, place + suffix) != 0 && errno != ENOENT {
            throw HistoryError(system: errno, path: path)
        }
        return place
    }

    /// Closes a database that was moved or deleted. First writes its log into it, so that SQLite doesn't apply the log to
    /// the file that has its path now.
    ///
    /// - Throws: `HistoryError.busy` when another program already uses that database, and with it perhaps these files.
    static func leave(_ writer: inout HistoryWriter, file: String, path: String) throws(HistoryError) {
        if HistoryFile.isOpenElsewhere(file) { throw .busy(path: path) }
        try? writer.queue?.writeWithoutTransaction { _ = try $0.checkpoint(.truncate) }
        let (log, index) = (writer.log, writer.index)
        writer.drop()
        if let log, let now = HistoryFile("\(file)-wal"), now.isSame(as: log) {
            if now.size == 0 { unlink("\(file)-wal") } else { putLogAway(of: file) }
        }
        if let index, let now = HistoryFile("\(file)-shm"), now.isSame(as: index) { unlink("\(file)-shm") }
    }

    /// Renames the log of a missing database to `PATH.lost-wal`. SQLite would delete it, and the user may still have the
    /// database elsewhere.
    static func putLogAway(of file: String) {
        guard let log = HistoryFile("\(file)-wal"), log.size > 0 else { return }
        var place = "\(file).lost-wal"
        var number = 1
        while HistoryFile(place) != nil {
            number += 1
            place = "\(file).lost-wal.\(number)"
        }
        _ = rename("\(file)-wal", place)
    }

    /// Renames the damaged database, and creates a new one.
    static func replace(
        _ file: String, path: String, after last: Int64, notify: (String) -> Void
    ) throws(HistoryError) -> DatabaseQueue {
        let place = try moveAside(file, path: path)
        notify("the history \(path) was damaged and is now \(place); blekeep copies what is readable into a new one")
        do {
            return try HistoryDatabase.open(file, path: path, isChecked: false, after: last, isReplacement: true)
        } catch {
            throw HistoryError(error, path: path)
        }
    }

    /// Makes the sequence numbers of a new database continue above earlier ones. If the last number is unknown because the
    /// history is damaged, they start above all numbers that can be read there, and above the milliseconds since 1970: no
    /// history counts that far.
    ///
    /// - Parameter isReplacement: whether the database replaces a damaged one.
    /// - Returns: whether the database's own numbers were too low.
    static func goOn(in queue: DatabaseQueue, _ file: String, after last: Int64, isReplacement: Bool) throws -> Bool {
        try queue.writeWithoutTransaction { database in
            let given = try History.lastSequence(in: database)
            let copies = isReplacement || given == nil && last == 0 ? HistoryCopies.damaged(of: file) : []
            guard given ?? 0 < last || !copies.isEmpty else { return false }
            let seen = DamagedNumbers(copies)
            let start = max(last > 0 ? last : WallClock.milliseconds(), given ?? 0, seen.measurements)
            try database.inTransaction(.immediate) {
                try database.execute(sql: "UPDATE upkeep SET given = ?", arguments: [start])
                // The earlier numbers belong to the parts of the damaged history.
                try database.execute(sql: "UPDATE parts SET first = ? WHERE first = 1", arguments: [start + 1])
                guard !copies.isEmpty else { return .commit }
                try setSequence(of: "heartbeats", to: seen.heartbeats ?? HeartbeatTables.maxRows, in: database)
                try setSequence(of: "downtimes", to: seen.downtimes ?? HeartbeatTables.maxRows, in: database)
                for copy in copies {
                    try database.execute(
                        sql: "INSERT OR IGNORE INTO salvages (copy, page, readings, done) VALUES (?, 1, 0, 0)",
                        arguments: [HistoryCopies.name(of: copy)])
                }
                return .commit
            }
            return true
        }
    }

    private static func setSequence(of table: String, to number: Int64, in database: Database) throws {
        try database.execute(sql: "DELETE FROM sqlite_sequence WHERE name = ?", arguments: [table])
        try database.execute(sql: "INSERT INTO sqlite_sequence (name, seq) VALUES (?, ?)", arguments: [table, number])
    }
}

private struct DamagedNumbers {
    var measurements: Int64 = 0
    var heartbeats: Int64?
    var downtimes: Int64?

    init(_ places: [String]) {
        for place in places { read(place) }
    }

    private mutating func read(_ place: String) {
        var configuration = GRDB.Configuration()
        configuration.busyMode = .timeout(0.1)
        guard let queue = try? DatabaseQueue(path: place, configuration: configuration) else { return }
        defer { queue.end() }
        // Write the log into the file, because `Salvage` reads only the file.
        _ = try? queue.writeWithoutTransaction { try $0.checkpoint(.truncate) }
        for sql in [
            "SELECT name, seq FROM sqlite_sequence", "SELECT 'measurements', given FROM upkeep",
            "SELECT 'measurements', max(seq) FROM measurements",
            "SELECT 'heartbeats', max(id) FROM heartbeats", "SELECT 'downtimes', max(id) FROM downtimes",
            "SELECT 'measurements', max(seq) FROM heartbeats",
        ] {
            for row in (try? queue.read { try Row.fetchAll($0, sql: sql) }) ?? [] {
                guard let number = Int64.stored(row[1]), (1...History.maxNumber).contains(number) else { continue }
                switch String.fromDatabaseValue(row[0]) {
                case "measurements": measurements = max(measurements, number)
                case "heartbeats": heartbeats = max(heartbeats ?? 0, number)
                case "downtimes": downtimes = max(downtimes ?? 0, number)
                default: break
                }
            }
        }
    }
}
