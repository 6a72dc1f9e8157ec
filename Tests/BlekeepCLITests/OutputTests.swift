import Blekeep
import BlekeepSimulation
import BusBench
import DBus
import Logging
import RunLoop
import Testing

@testable import BlekeepCLI

@Suite struct OutputTests {
    private static let probe = "F0:00:00:00:00:04"

    @Test func gattReadsTheOthersAfterAValueThatNeedsPairing() async throws {
        let tree = try await run(["gatt", "F0:00:04:00:00:01"], in: .passkey).output
        #expect(tree.contains("the device must be paired") && tree.contains("87 %"), "\(tree)")
    }

    @Test(arguments: [
        ("adapters", ["adapters"]), ("adapters-json", ["adapters", "--json"]),
        ("scan", ["scan", "--timeout", "3s"]),
        ("scan-json", ["scan", "--timeout", "3s", "--json", "--service", "battery"]),
        ("devices", ["devices"]), ("devices-json", ["devices", "--json"]),
        ("info", ["info", "F0:00:00:00:00:01"]), ("info-json", ["info", "F0:00:00:00:00:01", "--json"]),
        ("gatt", ["gatt", probe]), ("gatt-json", ["gatt", probe, "--json"]),
        ("read", ["read", "F0:00:00:00:00:01", "temperature", "2a6f", "battery-level", "0x001c"]),
        ("add", ["add", probe, "--alias", "oven", "--print"]),
    ])
    func printsAsItWasLookedAt(name: String, arguments: [String]) async throws {
        let outcome = try await run(arguments)
        #expect(outcome.failure == nil, "\(outcome.failure?.message ?? "")")
        try expectSnapshot(name, outcome.output)
    }

    @Test func readsInEveryForm() async throws {
        #expect(try await run(["read", "F0:00:00:00:00:01", "2a19", "--hex"]).output == "57\n")
        let json = try await run(["read", "F0:00:00:00:00:01", "180f/2a19", "--json"]).output
        #expect(json.contains("\"field\":\"battery_level\"") || json.contains("\"value\":87"))
        #expect(json.contains("\"raw\":\"57\""))
    }

    @Test func writesAndReadsBack() async throws {
        let setting = "b1e00003-6b65-4570-9a3e-2f0c5d81a7c4"
        let outcome = try await run(["write", Self.probe, setting, "u16:90"])
        #expect(outcome.failure == nil)
        #expect(outcome.output.hasSuffix("wrote 5a00\n"))
    }

    @Test func stopsAfterTheCountOfNotifications() async throws {
        let outcome = try await run(["notify", "00:1B:DC:00:00:03", "heart-rate-measurement", "--count", "3", "--json"])
        #expect(outcome.failure == nil)
        #expect(outcome.lines.count == 6)
        #expect(outcome.lines.last?.contains("\"field\":\"heart_rate\"") == true)
    }

    @Test func findsWhatIsNotKnownYet() async throws {
        #expect(try await run(["read", "F0:00:00:00:00:01", "2a19", "--hex"], in: .fresh).output == "57\n")
    }

    @Test(arguments: [
        ("scan-beacons", ["scan", "--timeout", "3s"]), ("scan-beacons-json", ["scan", "--timeout", "3s", "--json"]),
    ])
    func tellsWhatIsAdvertised(name: String, arguments: [String]) async throws {
        let outcome = try await run(arguments, in: .beacons)
        #expect(outcome.failure == nil)
        try expectSnapshot(name, outcome.output)
    }

    @Test func scanKeepsToItsFilters() async throws {
        // A header, and a line or two for each device.
        #expect(try await run(["scan", "--timeout", "3s", "--name", "Fr*"]).lines.count == 3)
        let near = try await run(["scan", "--timeout", "3s", "--rssi", "-60"]).lines
        #expect(near.count == 3, "\(near)")
        #expect(try await run(["scan", "--timeout", "3s", "--name", "nobody"]).output == "")
        let watched = try await run(["scan", "--timeout", "5s", "--watch", "--json", "--name", "Freezer"])
        #expect(watched.lines.count > 2)
    }

    @Test func anEmptyListSaysSo() async throws {
        let outcome = try await run(["devices", "--paired"])
        #expect(outcome.failure == nil && outcome.output.isEmpty)
        #expect(outcome.log == ["notice: no device matches; 'blekeep scan' lists nearby devices"])
        #expect(try await run(["devices", "--paired", "--json"]).log.isEmpty)
    }

    @Test func scansPassively() async throws {
        var scenario = Scenario.fresh
        scenario.adapters[0].offersMonitors = true
        #expect(try await run(["scan", "--passive", "--timeout", "3s"], in: scenario).lines.count == 6)
        let refused = try await run(["scan", "--passive", "--timeout", "3s"], in: .fresh)
        #expect(refused.code == 6 && refused.output.isEmpty)
        #expect(refused.failure?.message.hasPrefix("this bluetoothd doesn't support passive scanning") == true)
    }

    /// In virtual time nothing but our own waiting takes time.
    @Test func showsADeviceAsSoonAsBlueZKnowsIt() async throws {
        let (known, shown) = try await Bench.run(.virtual, .fresh) { bench, _ in
            let watcher = try await bench.connect()
            let known = Moment()
            try await watcher.listen(Bluez.service, for: [SignalMatch(interface: ObjectManager.name)])
            try await watcher.follow(Bluez.service) { event in
                guard case .signal(let signal) = event, signal.member == ObjectManager.interfacesAdded.name else {
                    return
                }
                known.note(bench.loop.now)
            }
            let output = TimedOutput(bench.loop)
            let options = try globalOptions(["-c", emptyConfiguration])
            let context = CommandContext(
                on: bench.loop, options, output: output, terminal: .none,
                log: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }, environment: [:]
            ) { () async throws(BusError) in try await bench.connect() }
            let scan = try #require(try BlekeepCLI.Blekeep.parse(["scan", "--timeout", "3s"]) as? Scan)
            try await context.run(scan)
            return (known.first, output.moment.first)
        }
        #expect(try #require(shown) - #require(known) <= .milliseconds(500))
    }

    @Test func exitsWithTheCodeOfTheFailure() async throws {
        #expect(try await run(["scan"], in: .empty).code == 4)
        #expect(try await run(["scan"], in: .off).code == 4)
        #expect(try await run(["read", "F0:00:00:00:00:01", "2a19", "-a", "hci7"]).code == 4)
        #expect(try await run(["read", "F0:00:00:00:00:99", "2a19"]).code == 5)
        #expect(try await run(["info", "F0:00:00:00:00:99"]).code == 5)
        #expect(try await run(["read", "F0:00:00:00:00:01", "2aff"]).code == 5)
        #expect(try await run(["read", "F0:00:00:00:00:01", "2a19", "2a05"]).code == 1)
        #expect(try await run(["read", "F0:00:00:00:00:01", "2a05"]).code == 6)
        let locked = "b1e00004-6b65-4570-9a3e-2f0c5d81a7c4"
        let refused = try await run(["read", Self.probe, locked])
        #expect(refused.code == 7)
        #expect(refused.log.last?.hasSuffix("must be paired: run 'blekeep pair \(Self.probe)'") == true)
        let object = try await run(["read", Self.probe, locked, "--json"])
        #expect(object.output.contains("run 'blekeep pair \(Self.probe)'"))
        #expect(try await run(["write", "F0:00:00:00:00:01", "2a19", "00"]).code == 6)
        #expect(try await run(["notify", "F0:00:00:00:00:01", "2a29"]).code == 6)
        #expect(try await run(["read", "F0:00:00:00:00:99", "2a19", "--timeout", "3s"]).code == 124)
        #expect(try await run(["doctor"], in: .off).code == 4)
    }

    @Test func aGroupIsReadDeviceByDevice() async throws {
        let text = """
            devices:
              - {address: F0:00:00:00:00:01, alias: living, tags: [warm, all]}
              - {address: F0:00:00:00:00:02, alias: freezer, tags: [all]}
              - {address: F0:00:00:00:00:03, alias: off, enabled: false, tags: [all]}
              - {address: F0:00:00:00:00:99, alias: lost, tags: [warm]}
            """
        try await withConfiguration(text) { file in
            let all = try await run(["read", "tag:all", "temperature", "-c", file])
            #expect(all.code == 0 && all.lines.count == 2, "\(all)")
            #expect(all.lines.first?.hasPrefix("living  Temperature  ") == true)
            #expect(all.lines.last?.hasPrefix("freezer  Temperature  ") == true)
            let table = try await run(["read", "tag:all", "temperature", "--csv", "-c", file])
            #expect(table.lines.map { $0.hasPrefix("time,") } == [true, false, false])
            #expect(table.lines.dropFirst().map { $0.split(separator: ",")[1] } == ["1", "2"])
            let warm = try await run(["read", "tag:warm", "temperature", "-c", file])
            #expect(warm.code == 1 && warm.lines.count == 1)
            #expect(warm.log.last?.contains("lost: ") == true, "\(warm)")
        }
    }

    @Test func devicesOfAnotherGatewayAreReadOnlyWhenTheyAreNamed() async throws {
        let text = """
            gateway: cellar
            devices:
              - {address: F0:00:00:00:00:01, alias: living, tags: [all], gateways: [attic]}
              - {address: F0:00:00:00:00:02, alias: freezer, tags: [all], gateways: [cellar]}
            """
        try await withConfiguration(text) { file in
            let all = try await run(["read", "tag:all", "temperature", "-c", file])
            // The freezer's.
            #expect(all.lines.count == 1 && all.lines[0].contains(" -1"), "\(all)")
            #expect(try await run(["read", "living", "temperature", "-c", file]).lines.count == 1)
        }
        try await withConfiguration(text.replacing("gateway: cellar", with: "gateway: shed")) { file in
            let outcome = try await run(["poll", "-c", file])
            #expect(outcome.code == 2)
            #expect(outcome.failure?.message.hasPrefix("other gateways than this one, shed, read the devices") == true)
        }
    }

    @Test func aMissingAdapterHasItsAdvice() async throws {
        let outcome = try await run(["adapters"], in: .empty)
        #expect(outcome.code == 4)
        #expect(
            outcome.failure?.message
                == "there is no Bluetooth adapter; try 'blekeep doctor', or 'blekeep poll --simulate'")
        let other = try await run(["adapters", "-a", "hci9"])
        #expect(other.code == 4)
        #expect(other.failure?.message.hasPrefix("there is no Bluetooth adapter hci9; there is hci0") == true)
    }

    @Test(arguments: [
        ["read", "greenhouse", "temperature"], ["info", "greenhouse"], ["add", "F0:00:00:00:00:01"], ["notices"],
    ])
    func aCommandThatNeedsTheConfigurationSaysItsMistakesOnly(arguments: [String]) async throws {
        let outcome = try await withConfiguration("devices:\n  - adress: x\n") { file in
            try await run(arguments + ["-c", file])
        }
        #expect(outcome.code == 78 && outcome.log.isEmpty, "\(outcome)")
        #expect(outcome.failure?.message.contains(".yaml:2:5: a device has no key `adress`") == true)
    }

    @Test func anUnknownOptionComesBeforeAWordThatFollowsIt() async throws {
        let outcome = try await run(["plot", "living", "--csv"])
        #expect(outcome.failure?.message.contains("Unknown option '--csv'") == true)
    }

    @Test func refusesAmbiguousNamesWithTheChoices() async throws {
        let twins = SimulatedPeripheral(
            "Twins", try #require(BluetoothAddress("F0:00:00:00:00:21")),
            services: [.battery(10), .battery(20), .deviceInformation(model: "T", serial: "1")])
        let scenario = Scenario("twins", "two batteries", peripherals: [twins])
        let refused = try await run(["read", "F0:00:00:00:00:21", "2a19"], in: scenario)
        #expect(refused.code == 2)
        #expect(refused.failure?.message.contains("2a19#2: 2a19 0x") == true)
        #expect(try await run(["read", "F0:00:00:00:00:21", "2a19#2", "--hex"], in: scenario).output == "14\n")
        #expect(try await run(["read", "F0:00:00:00:00:21", "2a19#3", "--hex"], in: scenario).code == 5)
    }
}

/// When something happened first.
private final class Moment: @unchecked Sendable {
    private(set) var first: Uptime?

    func note(_ now: Uptime) { first = first ?? now }
}

private final class TimedOutput: Output, @unchecked Sendable {
    let moment = Moment()
    private let loop: RunLoop

    init(_ loop: RunLoop) { self.loop = loop }

    func write(_ text: String) { moment.note(loop.now) }
}
