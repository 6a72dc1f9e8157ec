import Blekeep
import BusBench
import DBus
import Foundation
import Logging
import RunLoop
import Swarming
import Testing

@testable import BlekeepHistory
@testable import BlekeepOutputs
@testable import BlekeepSimulation

/// A whole poller with sinks, on a real history, in virtual time.
@Suite struct SinkStoryTests {
    /// Records the readings.
    private final class Screen: Sink {
        let delivery = SinkDelivery.liveOnly
        let name = "screen"
        var sequences: [Int64?] = []
        func send(_ readings: [LiveReading], isLive: Bool, key: Int?) { sequences += readings.map(\.sequence) }
    }

    private final class Lines: @unchecked Sendable {
        var all: [String] = []
    }

    /// Polls for this long, while `script` runs, and ends.
    private func keep(
        _ folder: String, _ screen: Screen, _ log: Lines, for seconds: Int,
        _ script: @escaping @Sendable (_ at: @Sendable (Int) async throws -> Void) async throws -> Void = { _ in }
    ) async throws {
        nonisolated(unsafe) let screen = screen
        try await Bench.run(.virtual, .house) { bench, world in
            let history = try History(path: "\(folder)/history.sqlite")
            defer { history.close() }
            let loop = bench.loop
            let file = FileSink(.init(path: "\(folder)/sub/readings.ndjson", size: 30_000, keep: 100))
            let poller = Poller(
                PollConfiguration(
                    interval: .seconds(10),
                    devices: world.scenario.peripherals.map {
                        DeviceConfiguration(alias: $0.name, address: $0.address)
                    }),
                on: loop, store: history, sinks: [file, screen],
                log: Logger(label: "sinks") { _ in LogTap { if $0.contains("the sink") { log.all.append($0) } } },
                wallTime: { loop.now.nanoseconds / 1_000_000 },
                clocks: {
                    ClockReading(
                        boot: "this", sinceBoot: loop.now.sinceStart, awake: loop.now.sinceStart,
                        time: loop.now.nanoseconds / 1_000_000)
                }, supply: { SupplyFacts(state: .unknown) }
            ) { () async throws(BusError) in try await bench.connect() }
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { _ = await poller.run() }
                let at: @Sendable (Int) async throws -> Void = { try await loop.sleep(until: .start + .seconds($0)) }
                try await script(at)
                try await at(seconds)
                poller.stop()
                try await group.waitForAll()
            }
        }
    }

    /// The file's folder is missing for ten minutes of twenty; beside it another sink gets everything at once.
    @Test func aFailingSinkDelaysNoOther() async throws {
        let folder = NSTemporaryDirectory() + "blekeep-sinks-\(UInt64.random(in: 0 ... .max))"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let path = "\(folder)/history.sqlite"
        let file = "\(folder)/sub/readings.ndjson"
        nonisolated(unsafe) let screen = Screen()
        let log = Lines()
        try await keep(folder, screen, log, for: 1200) { at in
            try await at(600)
            let sinks = try Self.sinks(path)
            #expect(sinks.map(\.name) == ["file", "screen"])
            #expect(sinks[0].failure == "can't write \(file): there is no such folder; make it")
            #expect(sinks[0].position == 0 && sinks[0].backlog > 500 && sinks[0].nextTry ?? 0 > 590_000)
            #expect(sinks[1].failure == nil && sinks[1].position == nil)
            #expect(Int64(screen.sequences.count) >= sinks[0].backlog)
            try FileManager.default.createDirectory(atPath: "\(folder)/sub", withIntermediateDirectories: true)
            try await at(1190)
            #expect(try Self.sinks(path)[0].failure == nil)
        }
        // Another run goes on where this one has ended.
        try await keep(folder, screen, log, for: 60)
        let count = Int64(screen.sequences.count)
        #expect(screen.sequences == (1...count).map { $0 })
        let older = (1...100).filter { FileManager.default.fileExists(atPath: "\(file).\($0)") }.reversed()
        #expect(older.count > 2)
        var written: [Int64] = []
        for place in older.map({ "\(file).\($0)" }) + [file] {
            for line in try String(contentsOfFile: place, encoding: .utf8).split(separator: "\n") {
                written.append(try #require(FileSink.number(in: Array(line.utf8)[...])))
            }
        }
        #expect(written.count == Int(count) && written == written.sorted() && Set(written).count == written.count)
        #expect(log.all.count == 2, "\(log.all)")
    }

    /// A synchronous function, because in a task Swift chooses GRDB's async overloads, which start threads.
    private static func sinks(_ path: String) throws -> [SinkStatus] { try HistoryReader(path: path).sinks() }
}
