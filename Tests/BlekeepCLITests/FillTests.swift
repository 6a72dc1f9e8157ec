import Blekeep
import BlekeepHistory
import BlekeepOutputs
import BlekeepSimulation
import BusBench
import DBus
import Foundation
import Logging
import RunLoop
import SampleReadings
import Testing

@testable import BlekeepCLI
@testable import BlekeepLog

/// `fill`, on simulated tags that remember.
@Suite final class FillTests {
    private let folder = NSTemporaryDirectory() + "blekeep-fill-\(UUID().uuidString.prefix(8))"
    private var history: String { folder + "/history.sqlite" }
    private static let address = BluetoothAddress(bits: 0xF000_0000_0901)
    /// When the simulation starts: milliseconds since 1970.
    private static let start: Int64 = 1_795_694_400_000
    private static let minute: Int64 = 60_000

    init() throws { try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true) }
    deinit { try? FileManager.default.removeItem(atPath: folder) }

    private static func scenario(
        _ memory: SimulatedMemory, change: (inout PeripheralBehavior) -> Void = { _ in }
    ) -> Scenario {
        Scenario(
            "fill", "a tag that remembers",
            peripherals: [
                SimulatedPeripheral.ruuviTag("Attic", address: address, temperature: 1650...1910, memory: memory)
                    .behaving(change)
            ])
    }

    /// Stores a live value of the tag, this long before the simulation starts.
    private func hear(minutesAgo: [Int64], name: String = "Ruuvi", field: String = "temperature") throws {
        let history = try History(path: history)
        defer { history.close() }
        let readings: [Reading] = minutesAgo.flatMap { ago -> [Reading] in
            [(field, "°C"), ("humidity", "%"), ("pressure", "Pa")].map { field, unit -> Reading in
                Reading(
                    time: Self.start - ago * Self.minute, tick: 0, device: "attic", address: Self.address, service: nil,
                    characteristic: nil, name: name,
                    outcome: .value(Measurement(field: field, value: .number(1), unit: unit), raw: [5]))
            }
        }
        _ = try history.append(readings, durable: false)
    }

    private func run(
        _ arguments: [String] = ["attic"], in scenario: Scenario, device: String = "",
        elsewhere: Duration? = nil, supply: SimulatedPower.Supply = .none
    ) async throws -> Outcome {
        let text = """
            history: {path: \(history)}
            devices: [{address: "\(Self.address)", alias: attic, mode: passive\(device)}]
            """
        return try await withConfiguration(text) { file in
            try await Bench.run(.virtual, scenario) { bench, _ in
                let (output, log) = (Collected(), Lines())
                let command = try #require(try BlekeepCLI.Blekeep.parse(["fill", "-c", file] + arguments) as? Fill)
                let loop = bench.loop
                let now: @Sendable () -> Int64 = { Self.start + loop.now.sinceStart.wholeMilliseconds }
                let context = CommandContext(
                    on: bench.loop, command.options, output: output, terminal: .none,
                    log: Logger(label: "test") { _ in
                        StandardErrorLog(level: .notice, isJournal: false, write: log.add)
                    }, environment: [:], wallTime: now,
                    clocks: {
                        ClockReading(boot: "", sinceBoot: .zero, awake: .zero, time: now(), isSynchronized: true)
                    }
                ) { () async throws(BusError) in try await bench.connect() }
                // Without UPower, the kernel says what this machine's battery has.
                let power = SimulatedPower(supply) { () async throws(BusError) in try await bench.connect() }
                try await power.start()
                defer { power.stop() }
                var other: Central?
                if let elsewhere { other = try await Self.download(on: bench, for: elsewhere) }
                defer { other?.close() }
                do {
                    try await context.run(command)
                    return Outcome(output: output.text, log: log.all, failure: nil)
                } catch {
                    return Outcome(output: output.text, log: log.all, failure: try #require(error as? Failure))
                }
            }
        }
    }

    /// Lets another program ask the tag for all that it has, and keep the connection.
    private static func download(on bench: Bench, for time: Duration) async throws -> Central {
        let central = try await Central.open(nil, on: bench.loop) { () async throws(BusError) in
            try await bench.connect()
        }
        let asked = Gate(bench.loop)
        Task(executorPreference: bench.loop) {
            for await state in central.peripheral(address).keepConnected() {
                guard case .connected(let link) = state,
                    let uuid = BluetoothUUID("6e400002-b5a3-f393-e0a9-e50e24dcca9e")
                else { continue }
                let target = try await link.characteristic(uuid)
                try await link.write([0x3A, 0x3A, 0x11, 0x6B, 0, 0, 0, 0, 0, 0, 0], to: target)
                asked.open()
            }
        }
        await asked.wait()
        // Its end comes in the middle of what the next program asks for.
        try await bench.loop.sleep(until: bench.loop.now + time)
        return central
    }

    /// The logged times of a field, in minutes before the simulation.
    private func logged(_ field: String = "temperature") throws -> [Double] {
        var times: [Double] = []
        try HistoryReader(path: history).joined { live in
            guard live.reading.isLogged, live.reading.key.field == field else { return }
            times.append(Double(Self.start - live.reading.time) / Double(Self.minute))
        }
        return times
    }

    /// Whether each record that the tag has is there once: live, or logged within half an interval.
    private func expectAll(of memory: SimulatedMemory, minutesAgo: ClosedRange<Double>, live: [Int64]) throws {
        let records = memory.records(at: .zero).map { -($0.moment / .seconds(60)) }.filter { minutesAgo.contains($0) }
        let all = try logged() + live.map(Double.init)
        #expect(!records.isEmpty)
        for record in records { #expect(all.contains { abs($0 - record) <= 2.52 }, "\(record) min ago") }
        let times = try logged().sorted()
        #expect(zip(times, times.dropFirst()).allSatisfy { $1 - $0 > 2.5 })
    }

    // MARK: Filling

    @Test func aNightWithoutTheGatewayIsFilledOnce() async throws {
        let live = Array(stride(from: Int64(1200), through: 540, by: -1)) + [0]
        try hear(minutesAgo: live)
        let memory = SimulatedMemory()
        let done = try await run(["attic", "--since", "20h"], in: Self.scenario(memory))
        #expect(done.failure == nil)
        #expect(done.output.hasPrefix("attic: filled ") && done.output.contains(" values since "), "\(done.output)")
        try expectAll(of: memory, minutesAgo: 2...1200, live: live)
        #expect(try logged().allSatisfy { $0 < 540 } && logged().count >= 105)
        #expect(try logged("humidity").count == logged().count && logged("pressure").count == logged().count)
        let reader = try HistoryReader(path: history)
        #expect(try reader.latest().allSatisfy { $0.reading.time == Self.start && !$0.reading.isLogged })
        let before = try logged()
        // The request reaches beyond the last record. Nothing of it is asked for again.
        let again = try await run(["attic", "--since", "20h"], in: Self.scenario(memory))
        #expect(again.output.hasPrefix("attic: nothing is missing since "), "\(again.output)")
        #expect(try logged() == before)
    }

    @Test func valuesAreThoseOfTheirTimesAndCorrected() async throws {
        try hear(minutesAgo: [400, 0])
        let memory = SimulatedMemory(age: .seconds(36_000))
        let done = try await run(
            ["attic", "--json"], in: Self.scenario(memory),
            device: ", fields: [temperature], calibration: [{name: temperature, offset: 100}]")
        #expect(done.failure == nil && done.output.contains(#""state":"filled""#), "\(done)")
        #expect(try logged("humidity") == [])
        var values: [Double] = []
        try HistoryReader(path: history).joined { live in
            guard live.reading.isLogged, case .value(let measurement, _) = live.reading.outcome,
                case .number(let number)? = measurement.value
            else { return }
            values.append(number)
        }
        #expect(values.count > 100 && values.allSatisfy { (116.5...119.1).contains($0) } && Set(values).count > 50)
    }

    @Test(arguments: [0, 1, 2, 3])
    func damageDoesNotKeepRecordsAway(kind: Int) async throws {
        try hear(minutesAgo: [700, 0])
        var memory = SimulatedMemory(age: .seconds(14 * 3600))
        (memory.drift, memory.loses) = (20, kind == 0 ? 50 : nil)
        (memory.doubles, memory.cuts) = (kind == 1 ? 3 : nil, kind == 2 ? 70 : nil)
        memory.givesUpAfter = kind == 3 ? 150 : nil
        let done = try await run(["attic", "--since", "12h"], in: Self.scenario(memory))
        #expect(kind == 3 || done.failure == nil, "\(String(describing: done.failure))")
        for _ in 0..<3 { _ = try await run(["attic", "--since", "12h"], in: Self.scenario(memory)) }
        try expectAll(of: memory, minutesAgo: 3...690, live: [700, 0])
        for field in ["humidity", "pressure"] { #expect(try logged(field).count == logged().count) }
    }

    /// The tag's newer pages come before the older ones.
    @Test func aRingThatWrappedIsWhole() async throws {
        try hear(minutesAgo: [17_000, 0])
        var memory = SimulatedMemory(age: .seconds(30 * 86_400))
        (memory.pageSize, memory.pages) = (20, 14)
        let done = try await run(in: Self.scenario(memory))
        #expect(done.failure == nil, "\(String(describing: done.failure))")
        try expectAll(of: memory, minutesAgo: 3...12 * 1440 - 6, live: [17_000, 0])
    }

    @Test func aTagThatStartedAgainHasOnlyWhatCameSince() async throws {
        try hear(minutesAgo: [600, 0])
        _ = try await run(["attic", "--since", "10h"], in: Self.scenario(SimulatedMemory()))
        let before = try logged().count
        var restarted = SimulatedMemory()
        restarted.starts.append(.seconds(-7000))
        let done = try await run(["attic", "--since", "10h"], in: Self.scenario(restarted))
        #expect(done.output.hasPrefix("attic: nothing is missing"))
        #expect(try logged().count == before)
    }

    /// A program that was killed leaves its connection, and the tag goes on to send. Its end isn't that of this download.
    /// By one packet or two, it comes between two records.
    @Test(arguments: 0..<3)
    func theRestOfAnotherProgramsDownloadIsNotTakenForThisOne(packets: Int) async throws {
        try hear(minutesAgo: [700, 0])
        var memory = SimulatedMemory(age: .seconds(14 * 3600))
        memory.pace = .milliseconds(20)
        let done = try await run(
            ["attic", "--since", "12h"], in: Self.scenario(memory), elsewhere: .milliseconds(7000 + 20 * packets))
        #expect(done.failure == nil, "\(done)")
        try expectAll(of: memory, minutesAgo: 3...690, live: [700, 0])
    }

    // MARK: By the configuration

    @Test func dueDevicesAreFilledAfterAGapThatTheyHave() async throws {
        try hear(minutesAgo: [400, 0])
        let memory = SimulatedMemory(age: .seconds(14 * 3600))
        let off = try await run(["--due"], in: Self.scenario(memory))
        #expect(
            off.failure == nil && off.output.isEmpty && off.log == ["notice: no device has the key 'log'"], "\(off)")
        let done = try await run(["--due"], in: Self.scenario(memory), device: ", log: fill")
        #expect(done.failure == nil && done.output.hasPrefix("attic: filled "), "\(done)")
        try expectAll(of: memory, minutesAgo: 3...397, live: [400, 0])
        // Not what was before the first value.
        #expect(try logged().allSatisfy { $0 < 420 })
        let again = try await run(["--due"], in: Self.scenario(memory), device: ", log: fill")
        #expect(again.failure == nil && again.output.isEmpty && again.log.isEmpty, "\(again)")
        _ = try await run(["--due"], in: Self.scenario(memory), device: ", log: all")
        try expectAll(of: memory, minutesAgo: 3...830, live: [400, 0])
    }

    @Test func aDueDeviceThatIsAwayIsNoFailure() async throws {
        try hear(minutesAgo: [400, 0])
        let done = try await run(
            ["--due"], in: Self.scenario(SimulatedMemory()) { $0.isInRange = false }, device: ", log: fill")
        #expect(done.failure == nil && done.output.isEmpty && done.log.count == 1, "\(done)")
    }

    @Test func nothingIsDueWithAnEmptyBattery() async throws {
        try hear(minutesAgo: [400, 0])
        let scenario = Self.scenario(SimulatedMemory(age: .seconds(14 * 3600)))
        let empty = try await run(["--due"], in: scenario, device: ", log: fill", supply: .battery(4))
        #expect(empty.failure == nil && empty.output.isEmpty, "\(empty)")
        #expect(empty.log == ["notice: the battery is almost empty, so nothing is filled"])
        let low = try await run(["--due"], in: scenario, device: ", log: fill", supply: .battery(30))
        #expect(low.failure == nil && low.output.hasPrefix("attic: filled "), "\(low)")
    }

    /// What isn't there at the end of a run is asked for by the next one.
    @Test func aRunEndsInTimeAndTheNextOneGoesOn() async throws {
        try hear(minutesAgo: [700, 0])
        var memory = SimulatedMemory(age: .seconds(14 * 3600))
        // More than ten minutes for all.
        memory.pace = .milliseconds(1500)
        let first = try await run(["--due"], in: Self.scenario(memory), device: ", log: fill")
        #expect(first.failure == nil && first.log.isEmpty, "\(first)")
        #expect(
            first.output.contains("; the rest comes with a later run: ")
                && first.output.split(separator: "\n").count == 1)
        let count = try logged().count
        #expect((30...60).contains(count), "\(count)")
        for _ in 0..<4 { _ = try await run(["--due"], in: Self.scenario(memory), device: ", log: fill") }
        try expectAll(of: memory, minutesAgo: 3...690, live: [700, 0])
    }

    @Test func aDeviceOrDueIsNeeded() async throws {
        for arguments in [[], ["attic", "--due"], ["--due", "--since", "2d"]] {
            let failure = BlekeepCLI.Blekeep.usage(
                try #require(throws: (any Error).self) { try BlekeepCLI.Blekeep.parse(["fill"] + arguments) })
            #expect(failure?.code == .usage)
        }
    }

    // MARK: Minutes

    private static func scenario(_ memory: SimulatedMinutes, name: String = "GVH5075 0901") -> Scenario {
        Scenario(
            "fill", "a thermometer that remembers",
            peripherals: [.goveeThermometer(name, address: address, temperature: -1650...1910, memory: memory)])
    }

    /// Whether each record is there once, within half a minute.
    private func expectAll(of memory: SimulatedMinutes, minutesAgo: ClosedRange<Double>, live: [Int64]) throws {
        let times = try logged().sorted()
        let all = (times + live.map(Double.init)).sorted()
        let records = memory.records(at: .seconds(10)).map { -($0 / .seconds(60)) }.filter { minutesAgo.contains($0) }
        #expect(records.count > 300)
        for record in records { #expect(all.contains { abs($0 - record) <= 0.51 }, "\(record) min ago") }
        #expect(zip(times, times.dropFirst()).allSatisfy { $1 - $0 > 0.5 })
        #expect(try logged("humidity").count == times.count)
    }

    /// The thermometer stops after 75 packets, if nothing lets it go on.
    @Test(arguments: [0, 1, 2])
    func minutesThatAreCountedBackAreFilledOnce(kind: Int) async throws {
        let live = Array(stride(from: Int64(2000), through: 1500, by: -1)) + [0]
        try hear(minutesAgo: live, name: "Govee")
        var memory = SimulatedMinutes(age: .seconds(5 * 86_400 + 17))
        (memory.loses, memory.hurries) = (kind == 1 ? 90 : nil, kind == 2 ? 7 : nil)
        let done = try await run(["attic", "--since", "33h"], in: Self.scenario(memory))
        #expect((done.failure == nil) == (kind != 1), "\(done)")
        #expect(done.output.hasPrefix("attic: filled "), "\(done.output)")
        guard kind != 1 else { return }
        try expectAll(of: memory, minutesAgo: 2...1980, live: live)
        let before = try logged()
        let again = try await run(["attic", "--since", "33h"], in: Self.scenario(memory))
        #expect(again.output.hasPrefix("attic: nothing is missing since "), "\(again.output)")
        #expect(try logged() == before)
    }

    @Test func anotherModelIsNotAsked() async throws {
        try hear(minutesAgo: [400, 0], name: "Govee")
        let done = try await run(in: Self.scenario(SimulatedMinutes(), name: "GVH5183 0901"))
        #expect(
            done.failure?.message
                == "attic calls itself GVH5183 0901, and blekeep knows only how to ask other models with its format")
        #expect(try logged() == [])
    }

    // MARK: What can't be filled

    @Test func aTagOutOfRangeLeavesTheGap() async throws {
        try hear(minutesAgo: [400, 0])
        let done = try await run(in: Self.scenario(SimulatedMemory()) { $0.isInRange = false })
        #expect(done.failure != nil && done.output.isEmpty)
        #expect(try logged() == [])
        #expect(try await run(in: Self.scenario(SimulatedMemory())).failure == nil)
        #expect(try !logged().isEmpty)
    }

    @Test func aConnectionThatEndsLeavesWhatCameAndItsHole() async throws {
        try hear(minutesAgo: [700, 0])
        var memory = SimulatedMemory(age: .seconds(14 * 3600))
        memory.pace = .milliseconds(100)
        let cut = try await run(["attic", "--since", "12h"], in: Self.scenario(memory) { $0.dropsAfter = .seconds(4) })
        #expect(cut.failure?.code == .someFailed && cut.output.contains("filled"), "\(cut)")
        #expect(try !logged().isEmpty)
        #expect(try await run(["attic", "--since", "12h"], in: Self.scenario(memory)).failure == nil)
        try expectAll(of: memory, minutesAgo: 3...690, live: [700, 0])
    }

    @Test func aDeviceWithoutAMemoryHasASentence() async throws {
        try hear(minutesAgo: [400, 0], name: "ThermoPro")
        let done = try await run(in: Self.scenario(SimulatedMemory()))
        #expect(
            done.failure?.message
                == "blekeep knows no memory that attic (ThermoPro) could be asked for; it knows that of RuuviTag, Govee thermometer"
        )
    }

    /// Where several are chosen, those with a memory are filled, and nothing is said of the others.
    @Test func ofSeveralDevicesThoseWithAMemoryAreFilled() async throws {
        try hear(minutesAgo: [400, 0])
        let done = try await run(
            ["all"], in: Self.scenario(SimulatedMemory()),
            device: "}, {address: \"F0:00:00:00:09:02\", format: thermopro, mode: passive")
        #expect(done.failure == nil, "\(done)")
        #expect(done.output.hasPrefix("attic: filled "), "\(done)")
    }

    @Test func aDeviceThatWasNeverHeardHasASentence() async throws {
        try History(path: history).close()
        let done = try await run(in: Self.scenario(SimulatedMemory()))
        #expect(done.failure?.message == "the history has no value of attic: let 'blekeep poll' hear it first")
    }
}
