import Blekeep
import BusBench
import DBus
import Foundation
import GRDBSQLite
import Logging
import RunLoop
import Swarming
import Testing

@testable import BlekeepHistory
@testable import BlekeepOutputs
@testable import BlekeepSimulation

/// Days in which a disk, a reader, another program, a bus and bluetoothd disturb the poller.
@Suite struct HostileWeekTests {
    private static let interval = Duration.seconds(600)
    /// Two days have each fault three times; a week has them in other orders.
    private static let hours = TestLength.of(48, atNight: 168)

    private static let scenario: Scenario = {
        func deaf(_ number: Int) -> SimulatedPeripheral {
            .environmentalSensor("Deaf \(number)", address: Scenario.numbered(number, group: 7), temperature: 0...50)
                .known(.none).behaving { $0.connecting = .deaf }
        }
        return Scenario(
            "week", "a good sensor beside two that BlueZ never answers for and one that needs pairing",
            peripherals: [
                .environmentalSensor("Good", address: Scenario.numbered(1, group: 7), temperature: 1900...2100),
                deaf(2), deaf(3),
                Scenario.passkey.peripherals[0],
            ])
    }()

    private static let configuration = PollConfiguration(
        interval: interval,
        devices: scenario.peripherals.map { DeviceConfiguration(alias: $0.name, address: $0.address) })

    private struct Week: Sendable {
        /// The ticks of the good sensor that the history holds.
        var ticks: Set<Int> = []
        var good = 0
        /// Readings with uncorrected times.
        var unset = 0
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
        // While bluetoothd hangs, nothing can be read. Each hang may cost one tick's value.
        let missed = Set(1...Self.hours * 6).subtracting(week.ticks)
        #expect(missed.count <= Self.hangs.count, "\(missed.sorted())")
        #expect(week.sequences == Array(1...Int64(week.sequences.count)))
        #expect(week.read == week.read.sorted() && Set(week.read).isSubset(of: Set(week.sequences)))
        #expect(week.missed > 0 && week.failures > 0 && week.unkept > 0)
        #expect(week.read.count + week.unkept + week.missed == week.sequences.count)
        #expect(week.connections > Self.hours / 17)
    }

    /// The hours in which each goes wrong.
    private static let hangs = Array(stride(from: 5, to: hours, by: 11))
    private static let fullDisks = Array(stride(from: 3, to: hours - 8, by: 16))

    private func live() async throws -> Week {
        var limits = BusLimits()
        limits.replies = 40
        return try await Bench.run(.virtual, Self.scenario, limits: limits) { bench, world in
            let (folder, path) = try Self.makeFolder()
            defer { try? FileManager.default.removeItem(atPath: folder) }
            let disk = FailingDisk(folder: folder)
            let history = try History(path: path, waits: true) { _ in }
            let reader = try Reader()
            let output = OutputWriter(reader.writing)
            output.attach(to: bench.loop, limit: 20_000)
            nonisolated(unsafe) var connections = 0
            nonisolated(unsafe) var failures = 0
            let log = Logger(label: "week") { _ in
                LogTap { if $0.contains("can't write readings") { failures += 1 } }
            }
            let loop = bench.loop
            let poller = Poller(
                Self.configuration,
                on: loop, store: history, sinks: [LineSink(to: output, writer: JSONLineWriter())], log: log,
                wallTime: { loop.now.nanoseconds / 1_000_000 }, supply: { SupplyFacts(state: .unknown) }
            ) { () async throws(BusError) in
                connections += 1
                return try await bench.connect()
            }
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { _ = await poller.run() }
                for hour in 0..<Self.hours {
                    if Self.fullDisks.contains(hour) { disk.fail(ENOSPC, reads: false) }
                    if Self.fullDisks.contains(hour - 2) { disk.heal() }
                    if hour % 7 == 0 { vacuum(path) }
                    if Self.hangs.contains(hour) {
                        world.hangBluez(true)
                        loop.schedule(at: loop.now + .seconds(120)) { world.hangBluez(false) }
                    }
                    // For 12 hours, no program reads the output. For the next 12 hours, a program does.
                    for minute in 1...60 {
                        try await loop.sleep(until: .start + .seconds(hour * 3600 + minute * 60))
                        if hour / 12 % 2 == 1 { reader.read() }
                    }
                }
                poller.stop()
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

    /// The program is started again each hour, the clock is set again and again, and the machine starts once.
    @Test func numberedReadingsSurviveRestartsAndClockSteps() async throws {
        let week = try await Bench.run(.virtual, Self.scenario) { bench, _ in
            let (folder, path) = try Self.makeFolder()
            defer { try? FileManager.default.removeItem(atPath: folder) }
            let disk = FailingDisk(folder: folder)
            let reader = try Reader()
            let loop = bench.loop
            nonisolated(unsafe) var clock = SteppedClock()
            var refusals = 0
            for hour in 0..<Self.hours {
                clock.step(hour, at: loop.now)
                if Self.fullDisks.contains(hour) { disk.fail(ENOSPC, reads: false) }
                if Self.fullDisks.contains(hour - 2) { disk.heal() }
                if hour % 7 == 0 { vacuum(path) }
                let output = OutputWriter(reader.writing)
                output.attach(to: loop, limit: 20_000)
                guard let history = try? History(path: path, waits: true, notify: { _ in }) else {
                    refusals += 1
                    try await loop.sleep(until: .start + .seconds(hour * 3600 + 3600))
                    continue
                }
                let poller = Poller(
                    Self.configuration,
                    on: loop, store: history, sinks: [LineSink(to: output, writer: JSONLineWriter())],
                    log: Logger(label: "week") { _ in LogTap { _ in } }, wallTime: { clock.reading(loop.now).time },
                    clocks: { clock.reading(loop.now) }, supply: { SupplyFacts(state: .unknown) },
                    connect: { () async throws(BusError) in try await bench.connect() })
                try await withThrowingTaskGroup(of: Void.self) { group in
                    group.addTask { _ = await poller.run() }
                    for minute in 1...59 {
                        try await loop.sleep(until: .start + .seconds(hour * 3600 + minute * 60))
                        if minute == 30 { clock.drift(hour) }
                        if hour / 12 % 2 == 1 { reader.read() }
                    }
                    poller.stop()
                    try await group.waitForAll()
                }
                reader.read()
                history.close()
            }
            disk.heal()
            var week = try Self.kept(path)
            week.read = reader.sequences.compactMap(\.self)
            week.unkept = reader.sequences.count - week.read.count
            week.failures = refusals
            return week
        }
        #expect(week.sequences == Array(1...Int64(week.sequences.count)))
        #expect(Set(week.read).isSubset(of: Set(week.sequences)))
        #expect(Set(week.read).count == week.read.count)
        #expect(week.unkept > 0)
        #expect(week.read.count > week.sequences.count / 2)
        // Four values six times an hour, except while the disk was full.
        #expect(week.good >= (Self.hours - 2 * Self.fullDisks.count) * 6 * 4)
        #expect(week.failures == 0)
        #expect(week.unset == 0)
    }

    /// A clock that starts in the past, is set now and then, and jumps.
    private struct SteppedClock {
        private var boot = 1
        private var bootedAt = Uptime.start
        private var isSet = false
        private var ahead: Duration = .zero

        /// Returns the fault at the beginning of an hour.
        mutating func step(_ hour: Int, at now: Uptime) {
            switch hour {
            case hours / 2: (boot, bootedAt, isSet, ahead) = (2, now, false, .seconds(60))
            case 3, hours / 2 + 2: (isSet, ahead) = (true, .seconds(20 * 365 * 86_400))
            case _ where hour % 13 == 5: ahead -= .seconds(86_400)
            case _ where hour % 13 == 9: ahead += .seconds(90_000)
            default: break
            }
        }

        /// Returns the fault in the middle of an hour.
        mutating func drift(_ hour: Int) { if isSet, hour.isMultiple(of: 10) { ahead += .seconds(hour % 20 - 10) } }

        func reading(_ now: Uptime) -> ClockReading {
            ClockReading(
                boot: "boot \(boot)", sinceBoot: now - bootedAt, awake: now - bootedAt,
                time: (now.sinceStart + ahead).wholeMilliseconds, isSynchronized: isSet)
        }
    }

    private static func makeFolder() throws -> (folder: String, history: String) {
        let place = access("/dev/shm", W_OK) == 0 ? "/dev/shm/" : NSTemporaryDirectory()
        let folder = place + "blekeep-week-\(UInt64.random(in: 0 ... .max))"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        return (folder, "\(folder)/history.sqlite")
    }

    private static func kept(_ path: String) throws -> Week {
        var week = Week()
        try HistoryReader(path: path).readings { stored in
            week.sequences.append(stored.sequence)
            if !stored.reading.isClockSet { week.unset += 1 }
            guard case .value = stored.reading.outcome, stored.reading.device == "Good" else { return }
            week.ticks.insert(stored.reading.tick)
            week.good += 1
        }
        return week
    }

    /// Another program's access to the database.
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
