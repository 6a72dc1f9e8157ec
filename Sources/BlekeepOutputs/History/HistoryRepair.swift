internal import GRDB
import Glibc

/// What is done about a damaged history: it is kept for whoever can read it, and a new one begins.
enum HistoryRepair {
    /// Larger ones are not read through at the start: that would take longer than a person waits.
    private static let mostChecked: Int64 = 32 << 20

    /// - Parameter wasOurs: whether a history of ours lay there; what never was one is left alone.
    static func helps(against error: HistoryError, wasOurs: Bool) -> Bool {
        switch error {
        case .damaged: true
        case .notAHistory(let path): wasOurs && hasLostItsHead(path)
        default: false
        }
    }

    /// Whether the file is no database at all any more; another program's database is.
    private static func hasLostItsHead(_ path: String) -> Bool {
        guard let head = FileHead.octets(of: path, 16) else { return false }
        return head != Array("SQLite format 3\0".utf8)
    }

    /// - Throws: `HistoryError.damaged` when the database's pages do not fit each other.
    static func check(_ queue: DatabaseQueue, path: String) throws {
        try queue.read { database in
            let pages = try Int64.fetchOne(database, sql: "PRAGMA page_count") ?? 0
            guard pages <= mostChecked / 4096 else { return }
            let verdict = try String.fetchOne(database, sql: "PRAGMA quick_check(1)")
            if verdict != "ok" { throw HistoryError.damaged(path: path) }
        }
    }

    /// Renames the database and its log; of those that were moved before the last one stays.
    ///
    /// - Returns: where it lies now.
    static func moveAside(_ file: String) throws(HistoryError) -> String {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        let place = "\(file).corrupt.\(time.tv_sec)"
        for old in earlier(file) where old != place { for suffix in ["", "-wal"] { unlink(old + suffix) } }
        if rename(file, place) != 0, errno != ENOENT { throw HistoryError(system: errno, path: file) }
        _ = rename("\(file)-wal", "\(place)-wal")
        unlink("\(file)-shm")
        return place
    }

    /// Closes a database that lies elsewhere now, or nowhere. What its log holds goes into it, wherever it lies; neither
    /// the log nor the log's index may come into the database that has its place now.
    ///
    /// - Throws: `HistoryError.busy` when another program already uses that database, and with it perhaps these files.
    static func leave(_ state: inout HistoryState, _ file: String, path: String) throws(HistoryError) {
        if HistoryFile.isOpenElsewhere(file) { throw .busy(path: path) }
        try? state.queue?.writeWithoutTransaction { _ = try $0.checkpoint(.truncate) }
        let (log, index) = (state.log, state.index)
        state.drop()
        if let log, let now = HistoryFile("\(file)-wal"), now.isSame(as: log) {
            if now.size == 0 { unlink("\(file)-wal") } else { putLogAway(of: file) }
        }
        if let index, let now = HistoryFile("\(file)-shm"), now.isSame(as: index) { unlink("\(file)-shm") }
    }

    /// Renames the log of a database that has gone to `PATH.lost-wal`, for whoever has the database: SQLite would
    /// delete it.
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

    private static func earlier(_ file: String) -> [String] {
        let slash = file.lastIndex(of: "/")
        let folder = slash.map { String(file[...$0]) } ?? "./"
        let prefix = file[(slash.map(file.index(after:)) ?? file.startIndex)...] + ".corrupt."
        guard let directory = opendir(folder) else { return [] }
        defer { closedir(directory) }
        var found: [String] = []
        while let entry = readdir(directory) {
            let name = withUnsafeBytes(of: entry.pointee.d_name) { buffer in
                String(decoding: buffer.prefix { $0 != 0 }, as: UTF8.self)
            }
            if name.hasPrefix(prefix), name.dropFirst(prefix.count).allSatisfy(\.isNumber) {
                found.append(folder + name)
            }
        }
        return found
    }

    /// Moves what is damaged out of the way and begins anew.
    static func replace(
        _ file: String, path: String, after last: Int64, _ notify: (String) -> Void
    ) throws(HistoryError) -> DatabaseQueue {
        let place = try moveAside(file)
        notify("the history \(path) was damaged: it lies in \(place) now, and a new one begins")
        do { return try History.open(file, path: path, isChecked: false, after: last) } catch {
            throw HistoryError(error, path: path)
        }
    }

    /// Lets the sequence numbers of a new database go on above those that were given; where nobody knows them, but a
    /// damaged history lies beside it, above the milliseconds since 1970, which no history has reached by counting.
    ///
    /// - Returns: whether the database did not know of them.
    static func goOn(in queue: DatabaseQueue, _ file: String, after last: Int64) throws -> Bool {
        try queue.writeWithoutTransaction { database in
            let given = try Int64.fetchOne(
                database, sql: "SELECT seq FROM sqlite_sequence WHERE name = 'measurements'")
            guard given ?? 0 < last || given == nil && !earlier(file).isEmpty else { return false }
            var time = timespec()
            clock_gettime(CLOCK_REALTIME, &time)
            let start = last > 0 ? last : Int64(time.tv_sec) &* 1000
            try database.execute(sql: "DELETE FROM sqlite_sequence WHERE name = 'measurements'")
            try database.execute(
                sql: "INSERT INTO sqlite_sequence (name, seq) VALUES ('measurements', ?)", arguments: [start])
            return true
        }
    }
}

/// At most so many new beginnings a day: a card that damages everything would otherwise be worn out for nothing.
struct RepairBudget {
    static let most = 3
    private var days: [Int] = []

    mutating func take() -> Bool {
        var time = timespec()
        clock_gettime(CLOCK_BOOTTIME, &time)
        let day = time.tv_sec / 86_400
        days.removeAll { $0 != day }
        guard days.count < Self.most else { return false }
        days.append(day)
        return true
    }
}

/// The first octets of a file.
enum FileHead {
    static func octets(of path: String, _ count: Int) -> [UInt8]? {
        let file = open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { return nil }
        defer { close(file) }
        var buffer = [UInt8](repeating: 0, count: count)
        let got = read(file, &buffer, count)
        return got < 0 ? nil : Array(buffer.prefix(got))
    }
}
