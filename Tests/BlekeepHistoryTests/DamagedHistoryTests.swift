import BlekeepRecords
import BusBench
import Foundation
import GRDB
import HistoryTrials
import SampleReadings
import Synchronization
import Testing

@testable import BlekeepHistory

/// Histories on disks that are full, read-only or worn out.
@Suite struct DamagedHistoryTests {
    let folder: TemporaryFolder
    let path: String

    init() throws {
        folder = try TemporaryFolder()
        path = folder.file("history.sqlite")
    }

    private final class Notices: Sendable {
        let lines = Mutex<[String]>([])
        var all: [String] { lines.withLock { $0 } }
    }

    private func history(_ notices: Notices = Notices()) throws -> History {
        try History(path: path) { line in notices.lines.withLock { $0.append(line) } }
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

    private func overwrite(at offset: UInt64, count: Int, with byte: UInt8 = 0xA5) throws {
        let file = try FileHandle(forUpdating: URL(fileURLWithPath: path))
        try file.seek(toOffset: offset)
        try file.write(contentsOf: Data(repeating: byte, count: count))
        try file.close()
    }

    /// A start and an upkeep copy for a limited time, which a slow machine spends before all is copied.
    private func copyAll(_ history: History) throws {
        while history.isCopying { try history.upkeep() }
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
    @Test(.enabled(if: mayMount, "only root may mount")) func aFullFileSystemLosesNothing() throws {
        let place = folder.file("small")
        try FileManager.default.createDirectory(atPath: place, withIntermediateDirectories: false)
        let isMounted = mount("tmpfs", place, "tmpfs", 0, "size=512k") == 0
        try #require(isMounted)
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
        try overwrite(at: 163_840, count: 8192)
        let notices = Notices()
        let second = try history(notices)
        let stored = try second.append([try makeReading()], durable: true)
        try copyAll(second)
        #expect(aside.count == 1)
        #expect(notices.all.count == 2)
        #expect(notices.all.first?.contains(".corrupt.") == true)
        #expect(notices.all.last?.contains("2 of its") == true)
        // New numbers are higher. Readings of undamaged pages keep their numbers.
        #expect(stored.first?.sequence ?? 0 > 2000)
        let kept = try sequences()
        #expect(kept.last == stored.first?.sequence)
        #expect(kept.count > 1600)
        #expect(kept.count < 2000)
        #expect(kept.dropLast().allSatisfy { $0 <= 2000 })
    }

    @Test func aSmashedHeaderIsDamageWhereAHistoryWas() throws {
        try history().close()
        try overwrite(at: 0, count: 100)
        // For readers, too.
        #expect(throws: HistoryError.damaged(path: path)) { _ = try HistoryReader(path: path) }
        #expect(
            HistoryError.damaged(path: "/x").description
                == "the history /x is damaged; check the disk, then start or restart 'blekeep poll': it keeps the damaged "
                + "file under another name, and copies what it can read to a new one")
        let notices = Notices()
        let second = try history(notices)
        _ = try second.append([try makeReading()], durable: true)
        try copyAll(second)
        #expect(notices.all.count == 2)
        #expect(aside.count == 1)
    }

    @Test func anotherProgramsFileIsLeftAlone() throws {
        try DatabaseQueue(path: path).write { try $0.execute(sql: "CREATE TABLE other (x)") }
        for _ in 0..<2 { #expect(throws: HistoryError.notAHistory(path: path)) { _ = try history() } }
        #expect(aside.isEmpty)
    }

    @Test func damageFoundWhileItRunsIsRepairedAtOnce() throws {
        let notices = Notices()
        let history = try history(notices)
        _ = try history.append(try (0..<10).map { try makeReading(tick: $0) }, durable: true)
        for round in 1...HistoryCopies.most {
            try breakSchema()
            let stored = try history.append([try makeReading(tick: 10 + round)], durable: true)
            #expect(stored.first?.sequence == 10 + Int64(round))
            #expect(notices.all.count { $0.contains("was damaged") } == round)
            // Each time everything comes back: the pages are sound.
            while history.needsUpkeep { try history.upkeep() }
            #expect(try sequences() == Array(1...10 + Int64(round)))
            #expect(aside.count == round)
        }
        // blekeep deletes no damaged history. The newest readings wait in memory until the user acts.
        try breakSchema()
        let copies = HistoryCopies.all(of: path).map(\.path)
        #expect(copies.count == HistoryCopies.most)
        for _ in 0..<2 {
            #expect(throws: HistoryError.notReplaced(path: path, copies: copies)) {
                _ = try history.append([try makeReading(tick: 20)], durable: true)
            }
        }
        #expect(aside.count == HistoryCopies.most)
        for copy in copies { #expect(FileManager.default.fileExists(atPath: copy)) }
        unlink(copies[0])
        #expect(try history.append([try makeReading(tick: 20)], durable: true).first?.sequence == 14)
        while history.needsUpkeep { try history.upkeep() }
        #expect(try sequences() == Array(1...14))
    }

    /// What was written beside the readings comes back as well.
    @Test func theLedgerAndTheHeartbeatsAreSalvagedToo() throws {
        let address = try #require(BluetoothAddress("F0:00:00:00:00:01"))
        var status = DeviceStatus(address: address, name: "greenhouse", since: 5)
        status.entries = 2
        status.dropped.count = 3
        status.dropped.total = 40
        status.pause = .untilResumed
        let entry = LedgerEntry(
            device: DeviceID(address), number: 2, phase: .known(.connect),
            failure: ReadingFailure(code: .other("x"), message: "y"),
            remedy: nil, first: 6, last: 6)
        var poller = GatewayStatus(pid: 1, started: 7, seen: 9, power: .init(mode: .normal, reason: ""))
        poller.adapters = [.init(name: "hci0", isOn: false, trouble: .cycling)]
        var activity = DeviceActivity(device: "greenhouse", address: address)
        activity.good = 3
        let clocks = ClockReading(boot: "b", sinceBoot: .seconds(9), awake: .seconds(8), time: 7)
        let beat = Heartbeat(
            clocks: clocks, percentage: 20, activities: [activity],
            downtime: Downtime(cause: .suspend, from: clocks, to: clocks, length: .seconds(3)))
        let changes = LedgerChanges(entries: [entry], statuses: [status], poller: poller)
        let notice = GivenNotice(
            time: 9, event: .known(.deviceLost), device: DeviceID(address), message: "not heard")
        do {
            let first = try history()
            for tick in 0..<30 {
                _ = try first.append(try (0..<50).map { try makeReading(tick: tick * 50 + $0) }, durable: false)
            }
            _ = try first.append([try makeReading(tick: 1500)], beat, changes, durable: true)
            let known = try first.lastKnown()
            #expect(known.entries.count == 1)
            try NoticeLog.append([notice], path: path)
        }
        try overwrite(at: 0, count: 4096)
        let second = try history()
        try copyAll(second)
        #expect(aside.count == 1)
        #expect(try sequences() == Array(1...1501))
        #expect(try second.lastKnown().statuses == [status])
        #expect(try second.lastKnown().entries.map(\.number) == [2])
        #expect(try second.lastAdapters() == poller.adapters)
        #expect(try second.lastHeartbeat()?.clocks == clocks)
        let report = try HistoryReader(path: path).report(since: .seconds(60), now: clocks)
        #expect(report?.devices.map(\.good) == [3])
        let gaps = try DatabaseQueue(path: path).read {
            try Int.fetchAll($0, sql: "SELECT length_ms FROM downtimes")
        }
        #expect(gaps == [3000])
        #expect(try HistoryReader(path: path).notices(in: 0...10, limit: 10) == [notice])
    }

    /// Little by little, while readings are kept.
    @Test func aLargeHistoryIsSalvagedBesideTheNewReadings() throws {
        let notices = Notices()
        let history = try history(notices)
        let count: Int64 = 30_000
        _ = try history.append(try (0..<Int(count)).map { try makeReading(tick: $0) }, durable: true)
        try history.forgetPages()
        try breakSchema()
        var pieces = 0
        var new: [Int64] = []
        repeat {
            new += try history.append([try makeReading(tick: 99_999)], durable: false).map(\.sequence)
            if history.needsUpkeep { try history.upkeep() }
            pieces += 1
        } while history.needsUpkeep
        #expect(pieces > 2)
        #expect(new == Array(count + 1...count + Int64(pieces)))
        #expect(try sequences() == Array(1...count) + new)
        #expect(notices.all.last?.hasPrefix("copied 30000 readings") == true)
    }

    /// blekeep may end before it has copied all: the next start goes on.
    @Test func theNextStartGoesOnWithWhatWasNotCopied() throws {
        let history = try history()
        _ = try history.append(try (0..<9000).map { try makeReading(tick: $0) }, durable: true)
        try history.forgetPages()
        try breakSchema()
        _ = try history.append([try makeReading(tick: 1)], durable: true)
        try history.upkeep()
        #expect(history.needsUpkeep)
        history.close()
        let next = try self.history()
        while next.needsUpkeep { try next.upkeep() }
        #expect(try sequences() == Array(1...9001))
    }

    /// Also of a table that nothing reads while blekeep runs.
    @Test(arguments: ["parts", "firings", "notices", "owned"]) func damageOfASmallTableIsFoundWithinADay(
        table: String
    ) throws {
        let notices = Notices()
        let history = try history(notices)
        _ = try history.append(try (0..<100).map { try makeReading(tick: $0) }, durable: true)
        let page = try DatabaseQueue(path: path).read {
            try UInt64.fetchOne($0, sql: "SELECT rootpage FROM sqlite_master WHERE name = ?", arguments: [table])
        }
        try history.forgetPages()
        try overwrite(at: (try #require(page) - 1) * 4096, count: 4096)
        var appends = 0
        while notices.all.isEmpty, appends < 40 {
            _ = try history.append([try makeReading(tick: appends)], durable: true)
            appends += 1
        }
        #expect(notices.all.count == 1 && aside.count == 1)
        while history.needsUpkeep { try history.upkeep() }
        #expect(try sequences().count >= 100)
    }

    /// SQLite appends for years to a file whose older pages are nonsense.
    @Test(arguments: [40, 60, 80]) func damageOfUnreadPagesIsFoundWithinADay(place: Int) throws {
        let notices = Notices()
        let history = try history(notices)
        _ = try history.append(try (0..<6000).map { try makeReading(tick: $0) }, durable: false)
        try history.forgetPages()
        try overwrite(at: UInt64(place * 4096), count: 4096)
        var appends = 0
        while notices.all.isEmpty, appends < 20 {
            // What is kept all the time is not looked at.
            _ = try history.append([try makeReading(tick: 1)], durable: false)
            #expect(notices.all.isEmpty)
            #expect(try history.append([try makeReading(tick: 2)], durable: true).count == 1)
            appends += 1
        }
        #expect(notices.all.count == 1)
        #expect((1...6).contains(appends))
        #expect(aside.count == 1)
        while history.needsUpkeep { try history.upkeep() }
        let kept = try sequences().count
        #expect(kept > 5800)
        #expect(kept <= 6000 + 2 * appends)
    }

    @Test func aSoundHistoryIsFoundSound() throws {
        let notices = Notices()
        let history = try history(notices)
        for round in 0..<30 {
            _ = try history.append(try (0..<400).map { try makeReading(tick: round * 400 + $0) }, durable: true)
        }
        #expect(notices.all.isEmpty)
        #expect(try sequences() == Array(1...12_000))
    }

    /// Who removes the file, or moves it away, does not make blekeep write into the void.
    @Test func aMovedHistoryIsReplacedByANewOne() throws {
        let notices = Notices()
        let history = try history(notices)
        _ = try history.append(try (0..<10).map { try makeReading(tick: $0) }, durable: true)
        try history.forgetPages()
        try FileManager.default.moveItem(atPath: path, toPath: path + ".mine")
        #expect(try history.append([try makeReading()], durable: true).first?.sequence == 11)
        #expect(notices.all.count == 1)
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

    @Test(arguments: [[], [0], [1, 0], [3, 1], [0x80, 1], [2, 10], [2, 15, 0xFF]] as [[UInt8]])
    func anUnsoundRecordIsDamage(bytes: [UInt8]) {
        #expect(throws: PageDamage.self) { try DamagedFile.values(bytes[...]) }
    }

    /// Otherwise rows of one would come back as rows of the other.
    @Test func noTwoTablesLookTheSame() throws {
        let history = try history()
        defer { history.close() }
        let shapes = try DatabaseQueue(path: path).read { try RowShapes(of: $0).all }
        #expect(shapes.count > 15)
        func mayBeOne(_ one: RowShapes.Kind, _ other: RowShapes.Kind) -> Bool {
            one == other || one == .any || other == .any || [one, other].allSatisfy { $0 == .integer || $0 == .real }
        }
        for (index, one) in shapes.enumerated() {
            for other in shapes[(index + 1)...] where one.columns.count == other.columns.count {
                let differs = zip(one.columns, other.columns).contains { one, other in
                    !mayBeOne(one.kind, other.kind) && !(one.isOptional && other.isOptional)
                }
                #expect(differs || one.hasNumbers != other.hasNumbers, "\(one.table) and \(other.table)")
            }
        }
    }

    @Test func whereverAFileIsDamagedItGoesOn() throws {
        do {
            let first = try history()
            _ = try first.append(try (0..<1500).map { try makeReading(tick: $0) }, durable: true)
        }
        let good = try Data(contentsOf: URL(fileURLWithPath: path))
        var found = 0
        for page in stride(from: 0, to: good.count / 4096, by: TestLength.of(2, atNight: 1)) {
            try good.write(to: URL(fileURLWithPath: path))
            for suffix in ["-wal", "-shm"] { unlink(path + suffix) }
            try overwrite(at: UInt64(page * 4096), count: 200)
            let notices = Notices()
            let history = try history(notices)
            _ = try history.append([try makeReading()], durable: true)
            try copyAll(history)
            history.close()
            found += aside.count
            // A damaged page costs what is on it.
            if !aside.isEmpty { #expect(try sequences().count > 1500 - 130, "page \(page): \(notices.all)") }
            for name in aside { unlink(folder.file(name)) }
        }
        #expect(found > TestLength.of(5, atNight: 10))
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
