import BlekeepHistory
import BlekeepSimulation
import BusBench
import GRDB
import Glibc

/// A folder with a history, gone when this is.
final class TrialFolder {
    let path: String

    var history: String { "\(path)/h.sqlite" }

    init() throws {
        var template = Array("/tmp/blekeep-killing-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { throw PrivateBusError("no temporary directory (errno \(errno))") }
        path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    deinit {
        guard let directory = opendir(path) else { return }
        while let entry = readdir(directory) {
            let name = withUnsafeBytes(of: entry.pointee.d_name) {
                String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
            }
            unlink("\(path)/\(name)")
        }
        closedir(directory)
        rmdir(path)
    }

    /// How far a history is.
    enum State {
        /// It has no tables yet.
        case unmade
        /// Times are being corrected; readings come into the rollups; the oldest have begun to make room.
        case correcting, rolling, trimming
        case quiet
    }

    func state() throws -> State {
        guard access(history, F_OK) == 0 else { return .unmade }
        var configuration = Configuration()
        configuration.readonly = true
        do {
            return try DatabaseQueue(path: history, configuration: configuration).read(Self.state)
        } catch let error as DatabaseError where error.resultCode == .SQLITE_READONLY {
            // It was killed while the file got its first page, and before that can be a log's: only a writer mends that.
            return .unmade
        }
    }

    private static func state(_ database: Database) throws -> State {
        guard try database.tableExists("upkeep") else { return .unmade }
        func isTrue(_ sql: String) throws -> Bool { try Bool.fetchOne(database, sql: "SELECT \(sql)") ?? false }
        if try isTrue("EXISTS (SELECT 1 FROM clocks WHERE state = 2)") { return .correcting }
        if try isTrue("min(seq) > 1 FROM measurements") { return .trimming }
        return try isTrue("(SELECT max(seq) FROM measurements) > (SELECT rolled FROM upkeep)") ? .rolling : .quiet
    }

    func newest() throws -> Int64 {
        var newest: Int64 = 0
        try HistoryReader(path: history).readings(limit: 1) { newest = $0.sequence }
        return newest
    }
}
