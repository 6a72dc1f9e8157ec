import BlekeepRecords
import BusBench
import DBus
import RunLoop
import Testing

@testable import BlekeepSimulation

/// Adapters that are switched, pulled out and put back, and bluetoothd's own end (field notes 8, 11, 12).
struct AdapterTests {
    private func simulate<Success: Sendable>(
        _ scenario: Scenario = .house, _ body: @escaping @Sendable (Client, World) async throws -> Success
    ) async throws -> Success {
        try await Bench.run(.virtual, scenario) { bench, world in try await body(try await Client.make(bench), world) }
    }

    @Test func powerOffCutsConnectionsAndDiscovery() async throws {
        try await simulate { client, world in
            let device = client.device(ConnectTests.living)
            try await client.open(device)
            try await client.startDiscovery()
            async let failed = failure { () throws(BusError) in
                try await client.connect(client.device("F0:00:00:00:00:02"))
            }
            try await client.pause(.seconds(1))
            let adapter = client.object(client.adapter)
            try await adapter.set(Adapter1.powered, to: false, within: .seconds(1))
            #expect(await failed == .bluez("Failed", "br-connection-canceled"))
            try await client.wait { $0.says(Device1.connected, false, at: device) }
            try await client.wait { $0.says(Adapter1.discovering, false, at: client.adapter) }
            try await client.wait { $0.says(Adapter1.powered, false, at: client.adapter) }
            world.power(on: true)
            try await client.wait { $0.says(Adapter1.powered, true, at: client.adapter) }
            try await client.open(device)
        }
    }

    @Test func propertiesCanBeSet() async throws {
        try await simulate { client, _ in
            let adapter = client.object(client.adapter)
            try await adapter.set(Adapter1.alias, to: "gateway", within: .seconds(1))
            try await adapter.set(Adapter1.pairable, to: false, within: .seconds(1))
            try await adapter.set(Adapter1.discoverable, to: true, within: .seconds(1))
            #expect(try await adapter.get(Adapter1.alias, within: .seconds(1)) == "gateway")
            #expect(try await adapter.get(Adapter1.discoverable, within: .seconds(1)))
            try await client.wait { $0.says(Adapter1.pairable, false, at: client.adapter) }
            let error = await failure { () throws(BusError) in
                try await adapter.set(Adapter1.discovering, to: true, within: .seconds(1))
            }
            #expect(error?.name == "org.freedesktop.DBus.Error.PropertyReadOnly")
        }
    }

    @Test func unpluggedAdaptersDisappearWithTheirDevices() async throws {
        try await simulate { client, world in
            try await client.open(client.device(ConnectTests.living))
            world.unplug()
            try await client.wait { $0.removes(client.adapter) }
            #expect(try await client.objects().keys.filter { $0.isAt(orBelow: client.adapter) }.isEmpty)
            let error = await failure { () throws(BusError) in try await client.startDiscovery() }
            #expect(error?.name == "org.freedesktop.DBus.Error.UnknownObject")
            world.plug(as: 1)
            try await client.wait { $0.adds("/org/bluez/hci1") }
            try await client.wait { $0.adds("/org/bluez/hci1/dev_F0_00_00_00_00_01") }
        }
    }

    @Test func removedDevicesAreForgotten() async throws {
        try await simulate { client, _ in
            let device = client.device(ConnectTests.living)
            try await client.open(device)
            let adapter = client.object(client.adapter)
            _ = try await adapter.call(Adapter1.removeDevice, device, within: .seconds(5))
            try await client.wait { $0.removes(device) }
            let error = await failure { () throws(BusError) in
                _ = try await adapter.call(Adapter1.removeDevice, device, within: .seconds(5))
            }
            #expect(error == .bluez("DoesNotExist", "Does Not Exist"))
            try await client.startDiscovery()
            let start = client.notes.count
            try await client.wait(from: start) { $0.adds(device) }
        }
    }

    @Test func startsWithoutAnAdapter() async throws {
        let paths = try await simulate(.empty) { client, _ in try await client.objects().keys.sorted() }
        #expect(paths == ["/org/bluez"])
    }

    // MARK: bluetoothd

    @Test(arguments: Bench.Kind.allCases)
    func restartAnswersNoCallAndKeepsStoredData(_ kind: Bench.Kind) async throws {
        try await Bench.run(kind, .house) { bench, world in
            let client = try await Client.make(bench)
            let device = client.device(ConnectTests.living)
            let object = client.object(device)
            try await object.set(Device1.trusted, to: true, within: .seconds(60))
            try await client.open(device)
            world.mute("Living Room")
            let path = try await client.characteristic(0x2A6E, of: device)
            async let failed = failure { () throws(BusError) in _ = try await client.read(path) }
            try await client.pause(.milliseconds(50))
            world.stop()
            #expect(await failed?.name == "org.freedesktop.DBus.Error.NoReply")
            let early = await failure { () throws(BusError) in try await client.connect(device) }
            #expect(early?.name == "org.freedesktop.DBus.Error.NameHasNoOwner" || early?.name == serviceUnknown)
            world.heal("Living Room")
            world.restartBluez(after: .milliseconds(10))
            while !world.isRunning { try await client.pause(.milliseconds(10)) }
            try await client.wait { $0.adds(client.adapter) }
            #expect(try await object.get(Device1.trusted, within: .seconds(60)))
            #expect(try await !object.get(Device1.connected, within: .seconds(60)))
            try await client.open(device)
        }
    }

    private let serviceUnknown = "org.freedesktop.DBus.Error.ServiceUnknown"

    @Test func restartForgetsTemporaryDevices() async throws {
        try await simulate(.fresh) { client, world in
            try await client.startDiscovery()
            try await client.pause(.seconds(1))
            world.restartBluez(after: .seconds(1))
            try await client.pause(.seconds(2))
            #expect(try await client.objects().keys.sorted() == ["/org/bluez", client.adapter])
            #expect(try await !client.object(client.adapter).get(Adapter1.discovering, within: .seconds(1)))
        }
    }

    @Test(arguments: Bench.Kind.allCases)
    func comesBackWithTheBus(_ kind: Bench.Kind) async throws {
        try await Bench.run(kind, .house) { bench, _ in
            let first = try await Client.make(bench)
            bench.killBus()
            let error = await failure { () throws(BusError) in _ = try await first.objects() }
            #expect(error == .disconnected)
            try bench.startBus()
            let second = try await Client.make(bench)
            while await failure({ () throws(BusError) in try await second.connect(second.device(ConnectTests.living)) })
                != nil
            {
                try await second.pause(.milliseconds(100))
            }
        }
    }

    @Test func eventsHappenInTime() async throws {
        var scenario = Scenario.house
        scenario.events = [
            Scenario.Event(after: .seconds(3)) { $0.power(on: false) },
            Scenario.Event(after: .seconds(5)) { $0.restartBluez(after: .seconds(1)) },
        ]
        try await simulate(scenario) { client, world in
            let off = try await client.wait { $0.says(Adapter1.powered, false, at: client.adapter) }
            #expect(off.at.sinceStart == .seconds(3))
            try await client.pause(.seconds(2))
            #expect(!world.isRunning)
            try await client.pause(.seconds(2))
            #expect(world.isRunning)
        }
    }
}
