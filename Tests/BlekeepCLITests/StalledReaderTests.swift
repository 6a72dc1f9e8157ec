import Blekeep
import BlekeepHistory
import BlekeepOutputs
import BlekeepSimulation
import BusBench
import DBus
import FoundationEssentials
import Logging
import RunLoop
import Testing

@testable import BlekeepCLI

/// A poller in virtual time that writes to a real pipe.
@Suite struct StalledReaderTests {
    private struct Result: Sendable {
        var afterAnHour: GatewayStatus?
        var atTheEnd: GatewayStatus?
        var readings: Int
        var lines: Int
        var stalls: Int
        var missed: [Int]
    }

    /// For an hour no program reads, for another hour one does.
    private func poll() async throws -> Result {
        try await Bench.run(.virtual, .house) { bench, world in
            let loop = bench.loop
            let folder = "/tmp/blekeep-stalled-\(UInt64.random(in: 0 ... .max))"
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
            defer { try? FileManager.default.removeItem(atPath: folder) }
            let path = "\(folder)/history.sqlite"
            let pipe = try FullPipe()
            let output = OutputWriter(pipe.writing)
            nonisolated(unsafe) var result = Result(readings: 0, lines: 0, stalls: 0, missed: [])
            output.onStall = { result.stalls += 1 }
            output.onResume = { result.missed.append($0) }
            output.attach(to: loop, limit: 20_000)
            let configuration = PollConfiguration(
                devices: world.scenario.peripherals.prefix(2).map {
                    DeviceConfiguration(alias: $0.name, address: $0.address)
                })
            let poller = Poller(
                configuration, on: loop, store: try History(path: path),
                sinks: [LineSink(to: output, writer: JSONLineWriter())],
                log: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() },
                wallTime: { loop.now.nanoseconds / 1_000_000 }, supply: { SupplyFacts(state: .unknown) }
            ) { () async throws(BusError) in try await bench.connect() }
            return try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { _ = await poller.run() }
                try await loop.sleep(until: .start + .seconds(3600))
                result.afterAnHour = try Self.lastRun(path)
                for second in 1...3600 {
                    pipe.read()
                    try await loop.sleep(until: .start + .seconds(3600 + second))
                }
                poller.stop()
                try await group.waitForAll()
                pipe.read()
                result.atTheEnd = try Self.lastRun(path)
                result.readings = try Self.count(path)
                result.lines = pipe.lines.count
                return result
            }
        }
    }

    private static func lastRun(_ path: String) throws -> GatewayStatus? {
        try HistoryReader(path: path).lastRun()?.poller
    }

    private static func count(_ path: String) throws -> Int {
        var count = 0
        try HistoryReader(path: path).readings { _ in count += 1 }
        return count
    }

    @Test func pollsOnReportsTheStallOnceAndContinuesWhenTheReaderReads() async throws {
        let result = try await poll()
        #expect(result.afterAnHour?.missed?.isStalled == true)
        #expect(result.stalls == 1)
        let missed = try #require(result.missed.first)
        #expect(result.missed == [missed])
        #expect(result.atTheEnd?.missed == MissedLines(count: missed, isStalled: false))
        #expect(result.readings > 1000)
        #expect(result.lines == result.readings - missed)
    }
}
