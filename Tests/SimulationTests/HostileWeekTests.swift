import Blekeep
import DBus
import Foundation
import GRDBSQLite
import Logging
import RunLoop
import Testing

@testable import BlekeepOutputs
@testable import BlekeepSimulation

/// A week in which a disk, a reader, another program, a bus and bluetoothd do what they can to stop the poller.
@Suite struct HostileWeekTests {
    private static let interval = Duration.seconds(300)
    private static let week = Duration.seconds(7 * 86_400)

    private static let scenario: Scenario = {
        func deaf(_ number: Int) -> SimulatedPeripheral {
            .environmentalSensor("Deaf \(number)", Scenario.numbered(number, 7), temperature: 0...50)
                .known(.none).behaving { $0.connecting = .deaf }
        }
        return Scenario(
            "week", "a good sensor beside two that BlueZ never answers for and one that needs pairing",
            peripherals: [
                .environmentalSensor("Good", Scenario.numbered(1, 7), temperature: 1900...2100), deaf(2), deaf(3),
                Scenario.passkey.peripherals[0],
            ])
    }()

    private struct Week: Sendable {
        /// The ticks of the good sensor that the history holds.
        var ticks: Set<Int> = []
        var sequences: [Int64] = []
        /// The sequence numbers of the lines that the reader got.
        var read: [Int64] = []
        /// Lines of readings that the history took later.
        var unkept = 0
        var missed = 0
        var connections = 0
        var failures = 0
    }

    @Test func everyGoodReadingIsKeptWhateverFails() async throws {
        let week = try await live()
        // While bluetoothd hangs nothing can be read: of each such time one tick may be without a value.
        let missed = Set(1...Int(Self.week / Self.interval)).subtracting(week.ticks)
        #expect(missed.count <= Self.hangs.count, "\(missed.sorted())")
        #expect(week.sequences == Array(1...Int64(week.sequences.count)))
        #expect(week.read == week.read.sorted() && Set(week.read).isSubset(of: Set(week.sequences)))
        #expect(week.missed > 0 && week.failures > 0 && week.unkept > 0)
        #expect(week.read.count + week.unkept + week.missed == week.sequences.count)
        #expect(week.connections > 10)
    }

    /// The hours in which each goes wrong.
    private static let hangs = Array(stride(from: 5, to: 168, by: 11))
    private static let fullDisks = Array(stride(from: 3, to: 160, by: 16))

    private func live() async throws -> Week {
        var limits = BusLimits()
        limits.replies = 40
        return try await Bench.run(.virtual, Self.scenario, limits: limits) { bench, world in
            let place = access("/dev/shm", W_OK) == 0 ? "/dev/shm/" : NSTemporaryDirectory()
            let folder = place + "blekeep-week-\(UInt64.random(in: 0 ... .max))"
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
            defer { try? FileManager.default.removeItem(atPath: folder) }
            let path = "\(folder)/history.sqlite"
            let disk = FailingDisk(folder: folder)
            let history = try History(path: path, waits: true) { _ in }
            let reader = try Reader()
            let output = OutputWriter(reader.writing)
            output.attach(to: bench.loop, limit: 20_000)
            nonisolated(unsafe) var connections = 0
            nonisolated(unsafe) var failures = 0
            let log = Logger(label: "week") { _ in
                LogTap { if $0.contains("takes no readings") { failures += 1 } }
            }
            let loop = bench.loop
            let keeper = Keeper(
                Configuration(
                    interval: Self.interval,
                    devices: world.scenario.peripherals.map {
                        DeviceConfiguration(alias: $0.name, address: $0.address)
                    }),
                on: loop, store: history, sinks: [LineSink(to: output, writer: JSONLineWriter())], log: log,
                wallTime: { loop.now.nanoseconds / 1_000_000 }, supply: { SupplyFacts(state: .unknown) }
            ) { () async throws(BusError) in
                connections += 1
                return try await bench.connect()
            }
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { _ = await keeper.run() }
                for hour in 0..<168 {
                    if Self.fullDisks.contains(hour) { disk.fail(ENOSPC, reads: false) }
                    if Self.fullDisks.contains(hour - 2) { disk.heal() }
                    if hour % 7 == 0 { vacuum(path) }
                    if Self.hangs.contains(hour) {
                        world.hangBluez(true)
                        loop.schedule(at: loop.now + .seconds(120)) { world.hangBluez(false) }
                    }
                    // For twelve hours no program reads, for the next twelve one does.
                    for minute in 1...60 {
                        try await loop.sleep(until: .start + .seconds(hour * 3600 + minute * 60))
                        if hour / 12 % 2 == 1 { reader.read() }
                    }
                }
                keeper.stop()
                for _ in 0..<10 {
                    try await loop.sleep(until: loop.now + .milliseconds(100))
                    reader.read()
                }
                try await group.waitForAll()
            }
            reader.read()
            history.close()
            var week = try Self.kept(path)
            week.read = reader.sequences.compactMap(\.self)
            week.unkept = reader.sequences.count - week.read.count
            week.missed = output.droppedLines
            (week.connections, week.failures) = (connections, failures)
            return week
        }
    }

    private static func kept(_ path: String) throws -> Week {
        var week = Week()
        try HistoryReader(path: path).readings { stored in
            week.sequences.append(stored.sequence)
            guard case .value = stored.reading.outcome, stored.reading.device == "Good" else { return }
            week.ticks.insert(stored.reading.tick)
        }
        return week
    }

    /// What another program does to the database.
    private func vacuum(_ path: String) {
        var database: OpaquePointer?
        guard sqlite3_open(path, &database) == SQLITE_OK else { return }
        sqlite3_exec(database, "VACUUM", nil, nil, nil)
        sqlite3_close(database)
    }

    /// A pipe of 4,096 bytes that is read now and then.
    private final class Reader: @unchecked Sendable {
        let writing: Int32
        private let reading: Int32
        private var bytes: [UInt8] = []

        init() throws {
            var ends: [Int32] = [-1, -1]
            try #require(pipe(&ends) == 0)
            (reading, writing) = (ends[0], ends[1])
            let setPipeSize: Int32 = 1031
            _ = fcntl(writing, setPipeSize, 4096)
            _ = fcntl(reading, F_SETFL, O_NONBLOCK)
        }

        deinit {
            close(reading)
            close(writing)
        }

        func read() {
            var buffer = [UInt8](repeating: 0, count: 65536)
            while true {
                let count = Glibc.read(reading, &buffer, buffer.count)
                guard count > 0 else { return }
                bytes += buffer.prefix(count)
            }
        }

        /// Of each line; `nil` for a reading that wasn't kept yet.
        var sequences: [Int64?] {
            String(decoding: bytes, as: UTF8.self).split(separator: "\n").map { line in
                let object = try? JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
                return (object?["seq"] as? NSNumber)?.int64Value
            }
        }
    }
}
