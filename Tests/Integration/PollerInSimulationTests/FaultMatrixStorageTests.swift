import Blekeep
import BlekeepSimulation
import BusBench
import DBus
import Foundation
import HistoryTrials
import Logging
import RunLoop
import Swarming
import Synchronization
import Testing

@testable import BlekeepHistory

/// The fault matrix's rows of the disk: a whole poller on a real history, in virtual time.
@Suite struct FaultMatrixStorageTests {
    private struct Story: Sendable {
        var ticks: [Int]
        var aside: Int
        var log: [String]
        var lastGood: Int64?
    }

    /// Lets `fault` do something to the history after 95 s and `heal` undo it after 400 s, and ends after 470 s.
    private func tell(
        before: @escaping @Sendable (String) throws -> Void = { _ in },
        fault: @escaping @Sendable (History, String) throws -> Void,
        heal: @escaping @Sendable (History, String) throws -> Void
    ) async throws -> Story {
        try await Bench.run(.virtual, .house) { bench, world in
            let folder = NSTemporaryDirectory() + "blekeep-storage-\(UInt64.random(in: 0 ... .max))"
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
            defer { try? FileManager.default.removeItem(atPath: folder) }
            let path = "\(folder)/history.sqlite"
            let lines = LogLines()
            let log = Logger(label: "storage") { _ in LogTap { lines.all.append($0) } }
            try before(path)
            let history = try History(path: path, waits: true) { log.warning("\($0)") }
            let loop = bench.loop
            let configuration = PollConfiguration(
                interval: .seconds(10),
                devices: world.scenario.peripherals.map { DeviceConfiguration(alias: $0.name, address: $0.address) })
            let poller = Poller(
                configuration, on: loop, store: history, sinks: [], log: log,
                wallTime: { loop.now.nanoseconds / 1_000_000 }, supply: { SupplyFacts(state: .unknown) }
            ) { () async throws(BusError) in try await bench.connect() }
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { _ = await poller.run() }
                try await loop.sleep(until: loop.now + .seconds(95))
                try fault(history, path)
                try await loop.sleep(until: loop.now + .seconds(305))
                try heal(history, path)
                try await loop.sleep(until: loop.now + .seconds(70))
                poller.stop()
                try await group.waitForAll()
            }
            history.close()
            return try Self.story(path, folder, lines)
        }
    }

    /// A synchronous function, because in a task Swift chooses GRDB's async overloads, which start threads.
    private static func story(_ path: String, _ folder: String, _ lines: LogLines) throws -> Story {
        let reader = try HistoryReader(path: path)
        var ticks: [Int] = []
        try reader.readings(HistoryQuery(device: HistoryDevice.resolve("Freezer", among: [], in: reader))) { stored in
            if stored.reading.characteristic == BluetoothUUID(0x2A6E), case .value = stored.reading.outcome {
                ticks.append(stored.reading.tick)
            }
        }
        let names = try FileManager.default.contentsOfDirectory(atPath: folder)
        let last = try reader.lastRun()?.devices.first { $0.name == "Freezer" }?.lastValue
        return Story(
            ticks: ticks, aside: names.count { $0.contains(".corrupt.") && !$0.hasSuffix("-wal") },
            log: lines.all, lastGood: last)
    }

    @Test func aFullDiskLosesNoReadingAndIsReportedTwice() async throws {
        let story = try await tell { history, _ in
            try history.limit(toMorePages: 0)
        } heal: { history, _ in
            try history.limit(toMorePages: nil)
        }
        // Readings of the five minutes without room waited in memory. blekeep writes again within a minute.
        #expect(story.ticks == Array(1...47))
        #expect(story.log.filter { $0.contains("can't write readings") }.count == 1)
        #expect(story.log.filter { $0.contains("writing to the history again") }.count == 1)
        #expect(story.lastGood ?? 0 > 455_000)
    }

    /// A disk that fails, becomes read-only or is full, and a limit of file sizes.
    @Test(arguments: [(EIO, true), (EROFS, false), (ENOSPC, false), (EFBIG, false)] as [(Int32, Bool)])
    func aFailingDiskLosesNoReadingAndIsReportedTwice(code: Int32, reads: Bool) async throws {
        let disk = Mutex<FailingDisk?>(nil)
        let story = try await tell { _, path in
            let failing = FailingDisk(folder: URL(fileURLWithPath: path).deletingLastPathComponent().path)
            failing.fail(code, reads: reads)
            disk.withLock { $0 = failing }
        } heal: { _, _ in
            #expect(disk.withLock { $0 }?.heal() ?? 0 > 0)
        }
        #expect(story.ticks == Array(1...47))
        #expect(story.aside == 0)
        let told = story.log.filter { $0.contains("can't write readings") }
        #expect(told.count == 1)
        #expect(told.first?.contains(code == ENOSPC ? "the disk is full" : "the disk fails") == true)
        #expect(story.log.filter { $0.contains("writing to the history again") }.count == 1)
        #expect(story.lastGood ?? 0 > 455_000)
    }

    /// The disk fails from the start. The poller loads an earlier run's records when it can read them.
    @Test(arguments: [(EIO, true), (ENOSPC, false)] as [(Int32, Bool)])
    func aDiskThatFailsAtTheStartLosesNoReadingAndNoRecord(code: Int32, reads: Bool) async throws {
        let disk = Mutex<FailingDisk?>(nil)
        let address = Scenario.house.peripherals[1].address
        let story = try await tell { path in
            var status = DeviceStatus(address: address, name: "Freezer", since: -900_000)
            status.entries = 7
            let entry = LedgerEntry(
                device: DeviceID(address), number: 7, phase: .known(.search), failure: ReadingFailure(.notFound, "x"),
                remedy: nil, first: -900_000, last: -800_000)
            let first = try History(path: path)
            _ = try first.append([], nil, LedgerChanges(entries: [entry], statuses: [status]), durable: true)
            first.close()
            let failing = FailingDisk(folder: URL(fileURLWithPath: path).deletingLastPathComponent().path)
            failing.fail(code, reads: reads)
            disk.withLock { $0 = failing }
        } fault: { _, path in
            #expect(disk.withLock { $0 }?.heal() ?? 0 > 0)
        } heal: { _, path in
            let entries = try HistoryReader(path: path).attempts(of: DeviceID(address), limit: 100)
            let numbers = entries.filter { $0.device != nil }.map(\.number)
            #expect(numbers.contains(7))
            #expect(entries.contains { $0.number > 7 })
        }
        #expect(story.ticks == Array(1...47))
        #expect(story.aside == 0)
        #expect(story.log.filter { $0.contains("can't write readings") }.count == 1)
        #expect(story.log.filter { $0.contains("writing to the history again") }.count == 1)
    }

    enum Damage: CaseIterable {
        case pages, header, emptied, removed

        func strike(_ path: String) throws {
            let file = try Foundation.FileHandle(forUpdating: URL(fileURLWithPath: path))
            defer { try? file.close() }
            switch self {
            case .pages:
                try file.seek(toOffset: 4096)
                try file.write(contentsOf: Data(repeating: 0xA5, count: 16 * 4096))
            case .header: try file.write(contentsOf: Data(repeating: 0xA5, count: 4096))
            case .emptied: try file.truncate(atOffset: 0)
            case .removed: try FileManager.default.removeItem(atPath: path)
            }
        }
    }

    @Test(arguments: Damage.allCases) func aHistoryThatIsDamagedUnderneathIsReplacedAtOnce(
        damage: Damage
    ) async throws {
        let story = try await tell { history, path in
            // From now on, the file has nonsense, and its log is gone.
            try history.forgetPages()
            try damage.strike(path)
        } heal: { _, _ in
        }
        #expect(story.aside == ([.removed, .emptied].contains(damage) ? 0 : 1))
        // The new history has all salvaged readings, and all later ones from the tick that found the damage.
        #expect(story.ticks == Array((damage == .header ? 1 : 11)...47))
        let words = ["was damaged", "was removed", "has lost readings"]
        let told = story.log.filter { line in words.contains { line.contains($0) } }
        #expect(told.count == 1, "\(told)")
        #expect(story.lastGood ?? 0 > 455_000)
    }
}

/// The lines of the log from `info` on. One thread at a time uses it.
private final class LogLines: @unchecked Sendable {
    var all: [String] = []
}
