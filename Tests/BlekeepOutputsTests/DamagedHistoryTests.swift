import Blekeep
import Foundation
import GRDB
import Synchronization
import Testing

@testable import BlekeepOutputs

/// Histories on disks that are full, read-only or worn out.
@Suite struct DamagedHistoryTests {
    let folder: TemporaryFolder
    let path: String

    init() throws {
        folder = try TemporaryFolder()
        path = folder.file("history.sqlite")
    }

    private final class Told: Sendable {
        let lines = Mutex<[String]>([])
        var all: [String] { lines.withLock { $0 } }
    }

    private func history(_ told: Told = Told()) throws -> History {
        try History(path: path) { line in told.lines.withLock { $0.append(line) } }
    }

    private func sequences() throws -> [Int64] {
        var all: [Int64] = []
        try HistoryReader(path: path).readings { all.append($0.sequence) }
        return all
    }

    private var aside: [String] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
        return names.filter { $0.contains(".corrupt.") && !$0.hasSuffix("-wal") }
    }

    private func overwrite(at offset: UInt64, count: Int, with octet: UInt8 = 0xA5) throws {
        let file = try FileHandle(forUpdating: URL(fileURLWithPath: path))
        try file.seek(toOffset: offset)
        try file.write(contentsOf: Data(repeating: octet, count: count))
        try file.close()
    }

    @Test func aFullDiskLosesNothingAndIsOverWhenThereIsRoom() throws {
        let history = try history()
        let batch = try (0..<200).map { try makeReading(makeFailure(String(repeating: "x", count: 100)), tick: $0) }
        _ = try history.append(batch, durable: true)
        try history.limit(toMorePages: 1)
        for _ in 0..<3 {
            #expect(throws: HistoryError.diskFull(path: path)) { _ = try history.append(batch, durable: true) }
        }
        #expect(try sequences() == Array(1...200))
        try history.limit(toMorePages: nil)
        _ = try history.append(batch, durable: true)
        #expect(try sequences() == Array(1...400))
    }

    /// Whether we may mount a file system: as the superuser only, and not in every container.
    private static let mayMount: Bool = {
        guard let folder = try? TemporaryFolder(), mount("tmpfs", folder.path, "tmpfs", 0, "size=64k") == 0 else {
            return false
        }
        return umount2(folder.path, 2) == 0
    }()

    /// A file system that is really full.
    @Test(.enabled(if: mayMount)) func aFullFileSystemLosesNothing() throws {
        let place = folder.file("small")
        try FileManager.default.createDirectory(atPath: place, withIntermediateDirectories: false)
        try #require(mount("tmpfs", place, "tmpfs", 0, "size=512k") == 0)
        defer { umount2(place, 2) }
        let history = try History(path: "\(place)/history.sqlite")
        let batch = try (0..<200).map { try makeReading(makeFailure(String(repeating: "x", count: 100)), tick: $0) }
        var kept = 0
        var error: HistoryError?
        for _ in 0..<100 where error == nil {
            do { kept += try history.append(batch, durable: true).count } catch let failure as HistoryError {
                error = failure
            }
        }
        #expect(error == .diskFull(path: "\(place)/history.sqlite"))
        #expect(mount("tmpfs", place, "tmpfs", UInt(MS_REMOUNT), "size=4m") == 0)
        kept += try history.append(batch, durable: true).count
        var read = 0
        try HistoryReader(path: "\(place)/history.sqlite").readings { _ in read += 1 }
        #expect(read == kept)
    }

    @Test func aDamagedHistoryIsMovedAsideAndANewOneBegins() throws {
        do {
            let first = try history()
            _ = try first.append(try (0..<2000).map { try makeReading(tick: $0) }, durable: true)
        }
        try overwrite(at: 8192, count: 40_000)
        let told = Told()
        let second = try history(told)
        let stored = try second.append([try makeReading()], durable: true)
        #expect(aside.count == 1)
        #expect(told.all.count == 1)
        #expect(told.all.first?.contains(".corrupt.") == true)
        // Numbers never go back, whoever has read them.
        #expect(stored.first?.sequence ?? 0 > 2000)
        #expect(try sequences() == stored.map(\.sequence))
    }

    @Test func aSmashedHeaderIsDamageWhereAHistoryWas() throws {
        try history().close()
        try overwrite(at: 0, count: 100)
        let told = Told()
        _ = try history(told).append([try makeReading()], durable: true)
        #expect(told.all.count == 1)
        #expect(aside.count == 1)
    }

    @Test func anotherProgramsFileIsLeftAlone() throws {
        try DatabaseQueue(path: path).write { try $0.execute(sql: "CREATE TABLE other (x)") }
        for _ in 0..<2 { #expect(throws: HistoryError.notAHistory(path: path)) { _ = try history() } }
        #expect(aside.isEmpty)
    }

    @Test func damageFoundWhileItRunsIsRepairedAtOnce() throws {
        let told = Told()
        let history = try history(told)
        _ = try history.append(try (0..<10).map { try makeReading(tick: $0) }, durable: true)
        for round in 1...3 {
            try breakSchema()
            let stored = try history.append([try makeReading()], durable: true)
            #expect(stored.first?.sequence == 10 + Int64(round))
            #expect(told.all.count == round)
        }
        // A card that damages everything is not written to without end.
        try breakSchema()
        #expect(throws: HistoryError.damaged(path: path)) { _ = try history.append([try makeReading()], durable: true) }
        #expect(aside.count == 1)
    }

    /// SQLite appends for years to a file whose older pages are nonsense.
    @Test(arguments: [10, 25, 45]) func damageOfWhatNobodyReadsIsFoundWithinADay(place: Int) throws {
        let told = Told()
        let history = try history(told)
        _ = try history.append(try (0..<6000).map { try makeReading(tick: $0) }, durable: false)
        try history.forgetPages()
        try overwrite(at: UInt64(place * 4096), count: 4096)
        var appends = 0
        while told.all.isEmpty, appends < 20 {
            // What is kept all the time is not looked at.
            _ = try history.append([try makeReading(tick: 1)], durable: false)
            #expect(told.all.isEmpty)
            #expect(try history.append([try makeReading(tick: 2)], durable: true).count == 1)
            appends += 1
        }
        #expect(told.all.count == 1)
        #expect((1...6).contains(appends))
        #expect(aside.count == 1)
        #expect(try sequences().count == 1)
    }

    @Test func aSoundHistoryIsFoundSound() throws {
        let told = Told()
        let history = try history(told)
        for round in 0..<30 {
            _ = try history.append(try (0..<400).map { try makeReading(tick: round * 400 + $0) }, durable: true)
        }
        #expect(told.all.isEmpty)
        #expect(try sequences() == Array(1...12_000))
    }

    /// Who removes the file, or moves it away, does not make blekeep write into the void.
    @Test func aHistoryThatIsMovedAwayIsBegunAnew() throws {
        let told = Told()
        let history = try history(told)
        _ = try history.append(try (0..<10).map { try makeReading(tick: $0) }, durable: true)
        try history.forgetPages()
        try FileManager.default.moveItem(atPath: path, toPath: path + ".mine")
        #expect(try history.append([try makeReading()], durable: true).first?.sequence == 11)
        #expect(told.all.count == 1)
        #expect(try sequences() == [11])
        // It may come back, whatever the one was that was in its place: that one's log is not its own.
        try FileManager.default.removeItem(atPath: path)
        try FileManager.default.moveItem(atPath: path + ".mine", toPath: path)
        #expect(try history.append([try makeReading()], durable: true).first?.sequence == 12)
        #expect(try sequences() == Array(1...10) + [12])
    }

    /// Lets a table begin on a page that there is not.
    private func breakSchema() throws {
        var configuration = GRDB.Configuration()
        configuration.busyMode = .timeout(1)
        try DatabaseQueue(path: path, configuration: configuration).writeWithoutTransaction { database in
            try database.execute(
                sql: """
                    PRAGMA writable_schema = ON;
                    UPDATE sqlite_master SET rootpage = 9999 WHERE name = 'measurements';
                    PRAGMA schema_version = 999;
                    """)
        }
    }

    @Test func whereverAFileIsDamagedItGoesOn() throws {
        do {
            let first = try history()
            _ = try first.append(try (0..<1500).map { try makeReading(tick: $0) }, durable: true)
        }
        let good = try Data(contentsOf: URL(fileURLWithPath: path))
        for page in 0..<good.count / 4096 {
            try good.write(to: URL(fileURLWithPath: path))
            for suffix in ["-wal", "-shm"] { unlink(path + suffix) }
            try overwrite(at: UInt64(page * 4096), count: 200)
            let history = try history()
            _ = try history.append([try makeReading()], durable: true)
            #expect(try !sequences().isEmpty)
            history.close()
        }
    }

    @Test func aTornLogCostsWhatWasNotDurableAndNothingElse() throws {
        let history = try history()
        _ = try history.append(try (0..<50).map { try makeReading(tick: $0) }, durable: true)
        let durable = try size("-wal")
        _ = try history.append(try (0..<50).map { try makeReading(tick: $0) }, durable: false)
        let all = try size("-wal")
        let (file, log) = (try Data(contentsOf: URL(fileURLWithPath: path)), try Data(contentsOf: walURL))
        for length in stride(from: durable, through: all, by: 397) {
            let copy = folder.file("copy-\(length).sqlite")
            try file.write(to: URL(fileURLWithPath: copy))
            try log.prefix(length).write(to: URL(fileURLWithPath: "\(copy)-wal"))
            let again = try History(path: copy)
            let stored = try again.append([try makeReading()], durable: true)
            #expect([51, 101].contains(stored.first?.sequence))
        }
    }

    private var walURL: URL { URL(fileURLWithPath: "\(path)-wal") }

    private func size(_ suffix: String) throws -> Int {
        try #require(try FileManager.default.attributesOfItem(atPath: path + suffix)[.size] as? Int)
    }
}
