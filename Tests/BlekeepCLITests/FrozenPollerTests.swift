import Blekeep
import BlekeepSimulation
import BusBench
import DBus
import Foundation
import Logging
import RunLoop
import Testing

@testable import BlekeepCLI
@testable import BlekeepConfiguration
@testable import BlekeepHistory

/// The output of `status` for a poller that is silent for too long, and for an idle one.
@Suite struct FrozenPollerTests {
    private static let day: Int64 = 1_795_230_000_000

    /// A machine that was started an hour before the world.
    private static func clocks(_ bench: Bench, later: Duration = .zero, asleep: Duration = .zero) -> ClockReading {
        let awake = bench.loop.now.sinceStart + .seconds(3600) + later
        return ClockReading(boot: "this", sinceBoot: awake + asleep, awake: awake, time: day)
    }

    private struct Scene: Sendable {
        let bench: Bench
        let world: World
        let file: String
        let history: String

        /// Returns the output of `status`, as if the poller hadn't run for this long.
        func status(
            frozenFor silence: Duration = .zero, asleep: Duration = .zero
        ) async throws -> BlekeepCLITests.Outcome {
            let command = try #require(
                try BlekeepCLI.Blekeep.parse(["status", "-c", file]) as? any ContextCommand)
            let output = Collected()
            let context = CommandContext(
                on: bench.loop, command.options, output: output, terminal: .none,
                log: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }, environment: [:],
                wallTime: { [bench] in FrozenPollerTests.day + bench.loop.now.nanoseconds / 1_000_000 },
                clocks: { [bench] in FrozenPollerTests.clocks(bench, later: silence, asleep: asleep) }
            ) { () async throws(BusError) in throw .disconnected }
            do { try await context.run(command) } catch {
                return Outcome(output: output.text, log: [], failure: try #require(error as? Failure))
            }
            return Outcome(output: output.text, log: [], failure: nil)
        }
    }

    /// Polls the house, and calls `body` after this many seconds.
    private func poll(
        every interval: String, for seconds: Int,
        _ body: @escaping @Sendable (Scene) async throws -> Void
    ) async throws {
        try await Bench.run(.virtual, .house) { bench, world in
            let loop = bench.loop
            let folder = NSTemporaryDirectory() + "blekeep-frozen-\(UInt64.random(in: 0 ... .max))"
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
            defer { try? FileManager.default.removeItem(atPath: folder) }
            try """
            interval: \(interval)
            history: \(folder)/history.sqlite
            devices:
              - {address: "F0:00:00:00:00:01", alias: living}
              - {address: "F0:00:00:00:00:02", alias: freezer}
            """.write(toFile: "\(folder)/config.yaml", atomically: true, encoding: .utf8)
            let loader = ConfigurationLoader(
                file: "\(folder)/config.yaml", environment: [:], names: Composition.characteristicNames)
            let configuration = try #require(try loader.load()?.configuration)
            let history = try History(path: "\(folder)/history.sqlite")
            let poller = Poller(
                configuration.poll, on: loop, store: history, sinks: [],
                log: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() },
                wallTime: { Self.day + loop.now.nanoseconds / 1_000_000 }, clocks: { Self.clocks(bench) },
                supply: { SupplyFacts(state: .unknown) }
            ) { () async throws(BusError) in try await bench.connect() }
            let scene = Scene(
                bench: bench, world: world, file: "\(folder)/config.yaml", history: "\(folder)/history.sqlite")
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { _ = await poller.run() }
                try await loop.sleep(until: .start + .seconds(seconds))
                do { try await body(scene) } catch { Issue.record(error) }
                poller.stop()
                try await group.waitForAll()
            }
        }
    }

    @Test func aPollerThatIsFrozenFor45SecondsIsSaidToBeSo() async throws {
        try await poll(every: "5s", for: 63) { scene in
            let well = try await scene.status()
            #expect(well.code == 0, "\(well.output)")
            let frozen = try await scene.status(frozenFor: .seconds(45))
            #expect(frozen.code == 6)
            let line = frozen.lines.first ?? ""
            #expect(line.hasPrefix("poll isn't working: process \(getpid()) hasn't written for "), "\(line)")
            #expect(line.contains("it should write at least every 25s"))
            // A machine that sleeps is not frozen.
            #expect(try await scene.status(frozenFor: .seconds(5), asleep: .seconds(36_000)).code == 0)
        }
    }

    @Test func aPollerWithLittleToDoIsWell() async throws {
        try await poll(every: "15m", for: 2000) { scene in
            for silence in [0, 45, 300, 700] {
                let outcome = try await scene.status(frozenFor: .seconds(silence))
                #expect(outcome.code == 0, "\(silence): \(outcome.output)")
            }
            #expect(try await scene.status(frozenFor: .seconds(1000)).code == 6)
        }
    }

    /// Whatever its devices do.
    @Test(arguments: ["5s", "30s", "15m"]) func aPollerThatRunsIsNeverCalledFrozen(interval: String) async throws {
        try await poll(every: interval, for: 20) { scene in
            for step in 0..<450 {
                switch step {
                case 50: scene.world.hide("Living Room")
                case 100: scene.world.mute("Freezer")
                case 200: scene.world.power(on: false)
                case 300: scene.world.stop()
                default: break
                }
                try await scene.bench.loop.sleep(until: scene.bench.loop.now + .seconds(4))
                let life = try Self.life(scene.history)
                #expect(!life.isOverdue(at: Self.clocks(scene.bench)), "after \(step * 4) s: \(life)")
            }
        }
    }

    private static func life(_ path: String) throws -> SignOfLife {
        try #require(try HistoryReader(path: path).lastRun()?.poller.life)
    }

    @Test func saysWhyItIsSilentAndWhatWasPutAside() throws {
        let clocks = ClockReading(boot: "a", sinceBoot: .seconds(900), awake: .seconds(900), time: 0)
        var poller = GatewayStatus(pid: 42, started: 0, seen: 0)
        poller.adapters = [.init(name: "hci0", isOn: true)]
        poller.life = SignOfLife(
            clocks: ClockReading(boot: "a", sinceBoot: .seconds(60), awake: .seconds(60), time: 0),
            silence: .seconds(45))
        var report = StatusReport(poller: poller, devices: [], pid: 42, now: 840_000, clocks: clocks)
        func line() -> String { report.lines(width: nil, on: .none)[0] }
        #expect(
            line().hasSuffix(
                "hasn't written for 14m; it should write at least every 45s: it hangs, or can't write "
                    + "the history; see its log"))
        #expect(report.exitCode == .allFailed)
        #expect(report.json.contains(#""silent":true"#))
        report.isDiskFull = true
        #expect(line().hasSuffix("the disk is full; make room"))
        report.isStopped = true
        #expect(line().hasSuffix("it is stopped; resume it with 'kill -CONT 42'"))
        report.copies = [HistoryCopy(path: "/x/h.sqlite.corrupt.1", size: 5000, isDamaged: true)]
        #expect(report.lines(width: nil, on: .none).last == "  /x/h.sqlite.corrupt.1 (damaged history, 5 KiB)")
        // Before it is silent.
        report = StatusReport(poller: poller, devices: [], pid: 42, now: 20_000, isDiskFull: true)
        #expect(line() == "the disk with the history is full; make room")
        // One that has just started, or can't write: nothing is known of it.
        poller.ended = 100_000
        report = StatusReport(poller: poller, devices: [], pid: 43, now: 840_000, clocks: clocks, isDiskFull: true)
        #expect(
            line() == "poll runs as process 43, but hasn't written anything since it started: the disk is full; "
                + "make room")
        #expect(report.exitCode == .allFailed)
        poller.ended = nil
        report = StatusReport(poller: poller, devices: [], pid: nil, now: 840_000, clocks: clocks, isDiskFull: true)
        #expect(line().hasSuffix("the disk is full, so a new poll can't write"))
    }
}
