import Blekeep
import BlekeepRecords
import Foundation
import GRDB
import SampleHouse
import SampleReadings
import Testing

@testable import BlekeepHistory

/// Histories of releases, as SQL with a row in every table. Each later version opens them.
///
/// `RECORD_SNAPSHOTS=1 swift test --filter MigrationTests` writes that of this version, until its section in `CHANGELOG.md` has
/// a date.
@Suite(.serialized) struct MigrationTests {
    private static let fixtures = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Fixtures")
    private static let releases = ((try? FileManager.default.contentsOfDirectory(atPath: fixtures.path)) ?? []).sorted()

    private let folder: TemporaryFolder
    private let path: String

    init() throws {
        folder = try TemporaryFolder()
        path = folder.file("history.sqlite")
    }

    private func restore(_ release: String) throws {
        let sql = try String(contentsOf: Self.fixtures.appending(path: release), encoding: .utf8)
        let queue = try DatabaseQueue(path: path)
        try queue.write { try $0.execute(sql: sql) }
        try queue.close()
    }

    private func read<T>(_ value: (GRDB.Database) throws -> T) throws -> T {
        let queue = try DatabaseQueue(path: path)
        defer { try? queue.close() }
        return try queue.read(value)
    }

    /// What makes the tables, without comments and layout.
    private func tables() throws -> [String] {
        try read { try String.fetchAll($0, sql: "SELECT sql FROM sqlite_master WHERE sql IS NOT NULL ORDER BY name") }
            .map { $0.replacing(/--.*/, with: "").split(whereSeparator: \.isWhitespace).joined(separator: " ") }
    }

    private func emptyTables() throws -> [String] {
        try read { database in
            try String.fetchAll(database, sql: "SELECT name FROM sqlite_master WHERE type = 'table'")
                .filter { try Int.fetchOne(database, sql: "SELECT count(*) FROM \"\($0)\"") == 0 }
        }
    }

    @Test(arguments: releases) func aHistoryOfAReleaseIsReadAndGoesOn(release: String) throws {
        try restore(release)
        #expect(try emptyTables() == [])
        let (count, last) = try read { database in
            try (
                Int.fetchOne(database, sql: "SELECT count(*) FROM measurements"),
                Int64.fetchOne(database, sql: "SELECT max(seq) FROM measurements")
            )
        }
        let history = try History(path: path)
        #expect(try history.lastKnown().statuses.count == 6)
        #expect(try history.append([try makeReading()], durable: true).map(\.sequence) == [(last ?? 0) + 1])
        let reader = try HistoryReader(path: path)
        var sequences: [Int64] = []
        try reader.readings { sequences.append($0.sequence) }
        #expect(sequences.count == (count ?? 0) + 1)
        #expect(try reader.rules().isEmpty == false && reader.sinks().isEmpty == false)
        #expect(try read { try Int32.fetchOne($0, sql: "PRAGMA user_version") } == HistorySchema.version)
    }

    /// Otherwise a history of a release and a new one would have different tables under one version.
    @Test(arguments: releases) func aHistoryOfAReleaseGetsTheTablesOfANewOne(release: String) throws {
        let isLikeNew = try isLikeNew(release)
        #expect(
            isLikeNew,
            """
            the tables of 'HistorySchema' changed: add a migration; before the first release with these tables, record its \
            history again (RECORD_SNAPSHOTS=1)
            """)
    }

    private func isLikeNew(_ release: String) throws -> Bool {
        try restore(release)
        try History(path: path).close()
        let upgraded = try tables()
        remove()
        try History(path: path).close()
        defer { remove() }
        return try tables() == upgraded
    }

    private func remove() {
        for suffix in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: path + suffix) }
    }

    /// Rows that were written before a column came lack it in the file.
    @Test(arguments: releases) func aDamagedHistoryOfAReleaseIsSalvaged(release: String) throws {
        try History(path: path).close()
        remove()
        try restore(release)
        let count = try read { try Int.fetchOne($0, sql: "SELECT count(*) FROM measurements") }
        let file = try FileHandle(forUpdating: URL(fileURLWithPath: path))
        try file.write(contentsOf: Data(repeating: 0xA5, count: 100))
        try file.close()
        let history = try History(path: path)
        while history.isCopying { try history.upkeep() }
        #expect(try read { try Int.fetchOne($0, sql: "SELECT count(*) FROM measurements") } == count)
        #expect(try history.lastKnown().statuses.count == 6)
    }

    /// Another program may have changed the tables under the same version.
    @Test(arguments: ["sinks.logged", "sinks.position", "rules.phase", "poller.pid", "notices.device"])
    func aColumnThatIsMissingEndsNoReader(column: String) throws {
        try restore("0.1.0.sql")
        let parts = column.split(separator: ".")
        let queue = try DatabaseQueue(path: path)
        try queue.write { try $0.execute(sql: "ALTER TABLE \(parts[0]) DROP COLUMN \(parts[1])") }
        try queue.close()
        let reader = try HistoryReader(path: path)
        _ = try? reader.sinks()
        _ = try? reader.rules()
        _ = try? reader.lastRun()
        _ = try? reader.notices(in: 0...Int64.max, limit: 5)
        #expect(try reader.latest().isEmpty == false)
    }

    @Test func theNextMigrationIsDoneByThePollerAlone() throws {
        try History(path: path).close()
        let next = HistorySchema.version + 1
        _ = try read { database in
            #expect(throws: HistoryError.outdated(path: path)) {
                try HistorySchema.isMade(database, path: path, version: next)
            }
        }
        let queue = try DatabaseQueue(path: path)
        try HistorySchema.migrator(HistorySchema.migrations + ["CREATE TABLE later (x);"]).migrate(queue)
        #expect(
            try queue.read { database in
                try (Int32.fetchOne(database, sql: "PRAGMA user_version"), database.tableExists("later"))
            } == (next, true))
        try queue.close()
        #expect(throws: HistoryError.otherVersion(path: path)) { try History(path: path) }
    }

    // MARK: Recording

    private static let version = BlekeepVersion.text

    private static var mayRecord: Bool {
        let changes = fixtures.appending(path: "../../../.github/CHANGELOG.md").standardizedFileURL
        let text = (try? String(contentsOf: changes, encoding: .utf8)) ?? ""
        return ProcessInfo.processInfo.environment["RECORD_SNAPSHOTS"] != nil && text.contains("\n## \(version)\n")
    }

    @Test(.enabled(if: mayRecord)) func recordThisVersion() throws {
        let name = "\(Self.version).sql"
        // Times differ in each recording.
        if Self.releases.contains(name), try isLikeNew(name) { return }
        let now: Int64 = 1_796_000_000_000
        var house = SampleHouse(devices: 6, length: .seconds(4 * 3600))
        house.step = .seconds(1800)
        let history = try History(path: path)
        try house.write(to: history, now: now)
        while history.needsUpkeep { try history.upkeep() }
        history.close()
        let queue = try DatabaseQueue(path: path)
        try queue.writeWithoutTransaction { try $0.execute(sql: Self.rest) }
        try queue.close()
        #expect(try emptyTables() == [])
        try FileManager.default.createDirectory(at: Self.fixtures, withIntermediateDirectories: true)
        let text = try read(dump).replacing(ClockReading.now().boot, with: "a-boot")
        try text.write(to: Self.fixtures.appending(path: name), atomically: true, encoding: .utf8)
    }

    /// What a house doesn't have.
    private static let rest = """
        INSERT INTO logged (series, boot, slot, time_ms, kind, value) VALUES (1, 0, 1, 1795999000000, 2, 20.5);
        INSERT INTO asked (device, address, from_ms, to_ms) VALUES ('f00000000001', 'F0:00:00:00:00:01', 1, 2);
        INSERT INTO filled VALUES ('f00000000001', 1796000000000, 1795950000000, 12, 1);
        INSERT INTO clocks VALUES (1, 'a-boot', 1, 1795990000000, 1, 0, 0);
        INSERT INTO owned VALUES ('f00000000001');
        INSERT INTO server VALUES (1, '7000000000000000000', 1);
        UPDATE poller SET pid = 1;
        INSERT INTO life VALUES (1, 'a-boot', 1, 1, 1795990000000, 30000);
        INSERT INTO salvages VALUES ('history.sqlite.corrupt.1', 9, 17, 1);
        INSERT INTO downtimes (heartbeat, cause, from_boot, from_boot_ns, from_ms, to_boot, to_boot_ns, to_ms, length_ms)
            VALUES (1, 'suspend', 'a-boot', 1, 1795990000000, 'a-boot', 2, 1795990060000, 60000);
        """

    private func dump(_ database: GRDB.Database) throws -> String {
        var lines: [String] = []
        for name in ["application_id", "user_version"] {
            lines.append("PRAGMA \(name) = \(try Int.fetchOne(database, sql: "PRAGMA \(name)") ?? 0);")
        }
        let objects = try Row.fetchAll(
            database, sql: "SELECT type, name, sql FROM sqlite_master WHERE sql IS NOT NULL ORDER BY rowid")
        for row in objects where row["name"] != "sqlite_sequence" { lines.append("\(row["sql"] as String);") }
        for row in objects where row["type"] == "table" {
            let (name, columns) = (row["name"] as String, try database.columns(in: row["name"]).map(\.name))
            let values = columns.map { "quote(\"\($0)\")" }.joined(separator: " || ', ' || ")
            for row in try String.fetchAll(database, sql: "SELECT \(values) FROM \(name)") {
                lines.append("INSERT INTO \(name) VALUES (\(row));")
            }
        }
        return lines.joined(separator: "\n") + "\n"
    }
}
