import Blekeep
import BlekeepSimulation
import BusBench
import DBus
import Logging
import RunLoop
import Testing

@testable import BlekeepCLI

@Suite struct PollViewTests {
    /// The screen after 90 s in a house with one device out of range.
    private func screen(
        columns: Int, rows: Int, _ scenario: Scenario = .house, power: PowerScript? = nil
    ) async throws -> [String] {
        var scenario = scenario
        scenario.power = power
        return try await Bench.run(.virtual, scenario) { bench, world in
            let loop = bench.loop
            var devices = world.scenario.peripherals.map { DeviceConfiguration(alias: $0.name, address: $0.address) }
            devices.append(
                DeviceConfiguration(alias: "Attic", address: try #require(BluetoothAddress("F0:00:00:00:00:77"))))
            devices[0].interval = .seconds(10)
            let configuration = PollConfiguration(devices: devices)
            let options = try GlobalOptions.usual
            let log = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
            let context = CommandContext(
                on: loop, options, output: Collected(), terminal: .none, log: log, environment: [:]
            ) { () async throws(BusError) in try await bench.connect() }
            let time: @Sendable () -> Int64 = { loop.now.nanoseconds / 1_000_000 }
            let view = PollView(context, configuration: configuration, wallTime: time)
            let poller = Poller(
                configuration, on: loop, store: NumberingStore(), sinks: [view], log: log, wallTime: time
            ) { () async throws(BusError) in try await bench.connect() }
            view.status = { poller.status }
            let lines = Lines()
            loop.schedule(at: loop.now + .seconds(95)) {
                var scroll = Scroll()
                for line in scroll.lines(of: view.picture(columns: columns, rows: rows), columns: columns, height: rows)
                {
                    lines.add(line)
                }
                poller.stop()
            }
            _ = await poller.run()
            return lines.all
        }
    }

    @Test(arguments: [(40, 12), (80, 24), (200, 50), (60, 10)])
    func showsEverythingThatFits(columns: Int, rows: Int) async throws {
        let lines = try await screen(columns: columns, rows: rows)
        #expect(lines.count <= rows)
        for line in lines { #expect(DisplayWidth.of(line) <= columns) }
        try expectSnapshot("poll-\(columns)x\(rows)", lines.joined(separator: "\n") + "\n")
    }

    @Test(arguments: [true, false]) func saysThatTheAdapterIsOffOrMissing(isOff: Bool) async throws {
        let lines = try await screen(columns: 100, rows: 30, isOff ? .off : Scenario.empty)
        let off = "the adapter hci0 is off: turn it on with 'bluetoothctl power on'"
        #expect(lines[1] == (isOff ? off : "this machine has no Bluetooth adapter: plug one in"))
    }

    @Test func saysHowMuchIsSavedAndWhy() async throws {
        let lines = try await screen(columns: 100, rows: 30, power: PowerScript(start: .battery(14)))
        #expect(lines[1] == "low mode: low battery 14 %")
        #expect(lines.contains { $0.hasPrefix("Living Room") && $0.hasSuffix("10s → 5m") })
        #expect(lines.contains { $0.hasPrefix("Freezer") && $0.hasSuffix("30s → 5m") })
    }
}

/// A store that keeps nothing.
private final class NumberingStore: Store, @unchecked Sendable {
    private var last: Int64 = 0

    func append(_ readings: [Reading], durable: Bool) throws -> [StoredReading] {
        readings.map { reading in
            last += 1
            return StoredReading(sequence: last, reading: reading)
        }
    }
}
