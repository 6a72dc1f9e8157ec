import Blekeep
import BlekeepSimulation
import BusBench
import DBus
import Foundation
import RunLoop
import Swarming
import Testing

/// On every kind of bus, the simulated bluetoothd's introspection equals the files.
struct SimulationContractTests {
    @Test(arguments: Bench.Kind.allCases)
    func introspectEqualsFiles(_ kind: Bench.Kind) async throws {
        var scenario = Scenario.house
        scenario.adapters[0].offersMonitors = true
        let found = try await Bench.run(kind, scenario) { bench, _ in try await Self.introspectResolved(bench) }
        for interface in found {
            let file = try Contract.file(interface.name)
            #expect(interface == file)
        }
        let names = Set(found.map(\.name))
        // This one only devices have that BlueZ takes for others than they are.
        #expect(names.isSuperset(of: Bluez.interfaces.map { $0.name.text }.filter { $0 != BearerLE1.name.text }))
    }

    @Test(arguments: Bench.Kind.allCases)
    func introspectOfPowerAndSleepEqualsFiles(_ kind: Bench.Kind) async throws {
        let found = try await Bench.run(kind, try #require(Scenario.named("unplugged"))) { bench, _ in
            let bus = try await bench.connect()
            var all: [InterfaceDescription] = []
            let services = [UPower.service, PowerProfiles.service, HadessPowerProfiles.service, Login1Manager.service]
            for service in services { all += try await Self.introspectAll(bus, service, .root) }
            return all
        }
        for interface in found { #expect(interface == (try Contract.file(interface.name))) }
        #expect(Set(found.map(\.name)).isSuperset(of: PowerServices.interfaces.map { $0.name.text }))
    }

    @Test func introspectOfABearerEqualsTheFile() async throws {
        let dual = Scenario.house.peripherals[0].mistaken(SimulatedDualMode(offersBearer: true))
        let scenario = Scenario("dual", "one that is taken for another", peripherals: [dual])
        let found = try await Bench.run(.virtual, scenario) { bench, _ in
            try await Self.introspectAll(try await bench.connect(), Bluez.service, .root)
        }
        let bearer = try #require(found.first { $0.name == BearerLE1.name.text })
        #expect(bearer == (try Contract.file(bearer.name)))
    }

    @Test(arguments: Bench.Kind.allCases)
    func introspectOfSystemdEqualsTheFile(_ kind: Bench.Kind) async throws {
        let found = try await Bench.run(kind, .house) { bench, world in
            let systemd = SimulatedSystemd(world) { () async throws(BusError) in try await bench.connect() }
            try await systemd.start()
            return try await Self.introspectAll(try await bench.connect(), SystemdManager.service, .root)
        }
        let manager = try #require(found.first { $0.name == SystemdManager.name.text })
        #expect(manager == (try Contract.file(manager.name)))
    }

    @Test func theBusDaemonHasEveryMemberThatWeCall() async throws {
        let found = try await Bench.run(.daemon) { bench in
            let xml = try await bench.connect().daemon.call(Introspectable.introspect, within: .seconds(5))
            return try InterfaceDescription.parse(xml).interfaces
        }
        let daemon = try #require(found.first { $0.name == BusDaemon.name.text })
        #expect(InterfaceDescription(BusDaemon.self).members.subtracting(daemon.members).isEmpty)
    }

    @Test func theCompiledBusConfigurationIsTheFile() throws {
        let file = try String(contentsOf: Contract.folder.appending(path: "test-bus.conf"), encoding: .utf8)
        #expect(PrivateBus.configuration == file)
    }

    private static func introspectResolved(_ bench: Bench) async throws -> [InterfaceDescription] {
        let bus = try await bench.connect()
        let device = bus.object(Bluez.service, at: "/org/bluez/hci0/dev_F0_00_00_00_00_01")
        _ = try await device.call(Device1.connect, within: .seconds(10))
        try await bus.loop.sleep(until: bus.loop.now + .milliseconds(300))
        return try await introspectAll(bus, Bluez.service, .root)
    }

    private static func introspectAll(
        _ bus: any Bus, _ service: BusName, _ path: ObjectPath
    ) async throws -> [InterfaceDescription] {
        let xml = try await bus.object(service, at: path).call(Introspectable.introspect, within: .seconds(5))
        let (interfaces, children) = try InterfaceDescription.parse(xml)
        var all = interfaces
        for child in children {
            if let below = path.child(child) { all += try await introspectAll(bus, service, below) }
        }
        return all
    }
}
