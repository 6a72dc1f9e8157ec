import Blekeep
import BlekeepHistory
import BlekeepOutputs
import BlekeepSimulation
import BusBench
import DBus
import Foundation
import Logging
import RunLoop

/// Repeatedly kills a poller that appends to a file. Afterwards, the file and the older files beside it must have each
/// reading of the history once, in order, in whole lines.
package struct SinkTrial {
    /// The result.
    package struct Outcome: Sendable {
        package var kills = 0
        package var readings = 0
        package var files = 0
        package var problems: [String] = []
    }

    private static let scenario: Scenario = {
        var scenario = Scenario.house
        scenario.timing = .instant
        return scenario
    }()

    /// The other process: a poller in virtual time, as fast as possible, on real files.
    ///
    /// - Parameters:
    ///   - length: how long it polls, in virtual time.
    ///   - begun: called when the first readings are stored.
    static func play(_ folder: String, _ length: Duration, begun: @escaping @Sendable () -> Void) async throws {
        _ = try await Bench.run(.virtual, scenario) { bench, world in
            let history = try History(path: "\(folder)/h.sqlite")
            let sink = FileSink(.init(path: "\(folder)/readings.ndjson", size: 20_000, keep: 1000))
            let loop = bench.loop
            let poller = Poller(
                PollConfiguration(
                    interval: .seconds(5),
                    devices: world.scenario.peripherals.map {
                        DeviceConfiguration(alias: $0.name, address: $0.address)
                    }),
                on: loop, store: history, sinks: [sink],
                log: Logger(label: "killing") { _ in SwiftLogNoOpLogHandler() },
                clocks: {
                    ClockReading(
                        boot: "this", sinceBoot: loop.now.sinceStart, awake: loop.now.sinceStart,
                        time: loop.now.nanoseconds / 1_000_000)
                }, supply: { SupplyFacts(state: .unknown) }
            ) { () async throws(BusError) in try await bench.connect() }
            loop.schedule(at: loop.now + min(.seconds(12), length), begun)
            loop.schedule(at: loop.now + length) { poller.stop() }
            return await poller.run()
        }
    }

    /// - Parameter seed: makes the times of the kills.
    package static func run(kills: Int, seed: UInt64, program: String) throws -> Outcome {
        let place = access("/dev/shm", W_OK) == 0 ? "/dev/shm/" : NSTemporaryDirectory()
        let folder = place + "blekeep-sink-\(UInt64.random(in: 0 ... .max))"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        var random = SplitMix64(seed: seed)
        let pauses = (0..<kills).map { _ in Int64.random(in: 0...80_000, using: &random) }
        var outcome = Outcome()
        let loop = try RunLoop()
        try loop.run {
            for number in 0...kills {
                let isLast = number == kills
                let child = try Child(["sink", folder, isLast ? "20" : "1000000"], of: program, on: loop)
                if isLast {
                    _ = try await loop.wait(atMost: .seconds(60)) { child.isGone }
                } else {
                    _ = try await loop.wait(atMost: .seconds(60)) { child.lines.contains("polling") || child.isGone }
                    try await loop.sleep(until: loop.now + .microseconds(pauses[number]))
                }
                child.kill()
            }
        }
        outcome.kills = kills
        try check(folder, &outcome)
        return outcome
    }

    private static func check(_ folder: String, _ outcome: inout Outcome) throws {
        var stored: [Int64] = []
        try HistoryReader(path: "\(folder)/h.sqlite").readings { stored.append($0.sequence) }
        let path = "\(folder)/readings.ndjson"
        let older = (1...1000).filter { access("\(path).\($0)", F_OK) == 0 }.reversed()
        var written: [Int64] = []
        for file in older.map({ "\(path).\($0)" }) + [path] {
            let text = try String(contentsOfFile: file, encoding: .utf8)
            if !text.hasSuffix("\n") { outcome.problems.append("\(file) ends in the midst of a line") }
            for line in text.split(separator: "\n") {
                let object = try? JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
                guard let sequence = (object?["seq"] as? NSNumber)?.int64Value else {
                    outcome.problems.append("a line of \(file) is torn: \(line)")
                    continue
                }
                written.append(sequence)
            }
            outcome.files += 1
        }
        outcome.readings = stored.count
        if stored != Array(1...Int64(max(1, stored.count))) { outcome.problems.append("the history lacks readings") }
        if written != stored {
            let missing = Set(stored).subtracting(written).sorted().prefix(5)
            outcome.problems.append(
                "\(written.count) lines of \(stored.count) readings, \(Set(written).count) of them different; missing: \(missing)"
            )
        }
    }
}
