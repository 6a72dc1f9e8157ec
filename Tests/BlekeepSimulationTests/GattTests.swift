import BlekeepRecords
import BusBench
import DBus
import RunLoop
import Testing

@testable import BlekeepSimulation

/// Reads, writes and notifications, as the real bluetoothd 5.66 does them (field notes 1, 8, 9, 10).
struct GattTests {
    /// Runs in virtual time with an open connection to one peripheral of the house.
    private func simulate<Success: Sendable>(
        _ address: String = ConnectTests.living, _ scenario: Scenario = .house,
        _ body: @escaping @Sendable (Client, World, ObjectPath) async throws -> Success
    ) async throws -> Success {
        try await Bench.run(.virtual, scenario) { bench, world in
            let client = try await Client.make(bench)
            let device = client.device(address)
            try await client.open(device)
            return try await body(client, world, device)
        }
    }

    private static let probe = "F0:00:00:00:00:04"

    @Test func tellsTheValueBeforeTheReply() async throws {
        try await simulate { client, _, device in
            let path = try await client.characteristic(0x2A6E, of: device)
            let start = client.loop.now
            let value = try await client.read(path)
            #expect(client.loop.now - start == .milliseconds(20))
            #expect(client.notes.last?.says(GattCharacteristic1.value, value, at: path) == true)
            #expect(try await client.object(path).get(GattCharacteristic1.value, within: .seconds(1)) == value)
        }
    }

    @Test func servesOneRequestAtATime() async throws {
        try await simulate { client, _, device in
            let paths = [
                try await client.characteristic(0x2A6E, of: device),
                try await client.characteristic(0x2A6F, of: device),
                try await client.characteristic(0x2A19, of: device),
            ]
            let start = client.loop.now
            try await withThrowingTaskGroup(of: Void.self) { group in
                for path in paths { group.addTask { _ = try await client.read(path) } }
                try await group.waitForAll()
            }
            #expect(client.loop.now - start == .milliseconds(60))
        }
    }

    @Test func readersOfOneCharacteristicShareARequest() async throws {
        try await simulate { client, _, device in
            let path = try await client.characteristic(0x2A6E, of: device)
            let start = client.loop.now
            async let one = client.read(path)
            async let other = client.read(path)
            #expect(try await one == other)
            #expect(client.loop.now - start == .milliseconds(20))
        }
    }

    @Test func refusesWhenDisconnected() async throws {
        try await simulate { client, _, device in
            let path = try await client.characteristic(0x2A6E, of: device)
            try await client.disconnect(device)
            let error = await failure { () throws(BusError) in _ = try await client.read(path) }
            #expect(error == .bluez("Failed", "Not connected"))
        }
    }

    @Test func failsWithUnlikelyErrorWhenTheConnectionDrops() async throws {
        try await simulate { client, world, device in
            let path = try await client.characteristic(0x2A6E, of: device)
            world.slow("Living Room", by: .seconds(3))
            async let failed = failure { () throws(BusError) in _ = try await client.read(path) }
            try await client.pause(.seconds(1))
            world.drop("Living Room")
            #expect(await failed == .bluez("Failed", "Operation failed with ATT error: 0x0e"))
            try await client.wait { $0.says(Device1.connected, false, at: device) }
        }
    }

    @Test func endsWhenThePeripheralGoesOutOfRange() async throws {
        try await simulate { client, world, device in
            let path = try await client.characteristic(0x2A6E, of: device)
            let start = client.loop.now
            world.hide("Living Room")
            let error = await failure { () throws(BusError) in _ = try await client.read(path) }
            #expect(error == .bluez("Failed", "Operation failed with ATT error: 0x0e"))
            #expect(client.loop.now - start == .seconds(2))
        }
    }

    @Test func dropsTheConnectionOfAMutePeripheral() async throws {
        try await simulate { client, world, device in
            let path = try await client.characteristic(0x2A6E, of: device)
            world.mute("Living Room")
            let start = client.loop.now
            let error = await failure { () throws(BusError) in _ = try await client.read(path) }
            #expect(error == .bluez("Failed", "Operation failed with ATT error: 0x0e"))
            #expect(client.loop.now - start == .seconds(29))
            try await client.wait { $0.says(Device1.connected, false, at: device) }
        }
    }

    @Test(
        arguments: [
            (0x02, "NotPermitted", "Read not permitted"), (0x06, "NotSupported", "Operation is not supported"),
            (0x08, "NotAuthorized", "Operation Not Authorized"), (0x07, "InvalidArguments", "Invalid offset"),
            (0x0E, "Failed", "Operation failed with ATT error: 0x0e"),
            (0x80, "Failed", "Operation failed with ATT error: 0x80"),
        ] as [(UInt8, String, String)])
    func namesAttErrors(_ code: UInt8, _ name: String, _ message: String) async throws {
        try await simulate { client, world, device in
            world.error("Living Room", code: code)
            let path = try await client.characteristic(0x2A6E, of: device)
            let error = await failure { () throws(BusError) in _ = try await client.read(path) }
            #expect(error == .bluez(name, message))
        }
    }

    @Test func refusesToReadWhatOnlyNotifies() async throws {
        try await simulate("00:1B:DC:00:00:03") { client, _, device in
            let path = try await client.characteristic(0x2A37, of: device)
            let error = await failure { () throws(BusError) in _ = try await client.read(path) }
            #expect(error == .bluez("NotPermitted", "Read not permitted"))
        }
    }

    // MARK: Encryption

    @Test func neverAnswersAnEncryptedReadWithoutAnAgent() async throws {
        try await simulate(Self.probe) { client, _, device in
            let path = try await client.characteristic(SimulatedPeripheral.Vendor.secret, of: device)
            let error = await failure { () throws(BusError) in
                _ = try await client.read(path, within: .seconds(90))
            }
            #expect(error == .timedOut)
        }
    }

    @Test func anEncryptedReadWithoutAnAgentCostsAnUnknownDevice() async throws {
        try await Bench.run(.virtual, .fresh) { bench, _ in
            let client = try await Client.make(bench)
            let device = client.device(Self.probe)
            try await client.startDiscovery()
            try await client.wait { $0.adds(device) }
            try await client.stopDiscovery()
            try await client.open(device)
            let path = try await client.characteristic(SimulatedPeripheral.Vendor.secret, of: device)
            let start = client.loop.now
            let error = await failure { () throws(BusError) in
                _ = try await client.read(path, within: .seconds(90))
            }
            #expect(error == .timedOut)
            let removed = try await client.wait { $0.removes(device) }
            #expect((Duration.seconds(29)...(.seconds(30))).contains(removed.at - start))
        }
    }

    @Test func oneClientHasOneAgent() async throws {
        try await simulate(Self.probe) { client, _, _ in
            let manager = client.object(Bluez.root)
            _ = try await manager.call(
                AgentManager1.registerAgent, "/agent", "NoInputNoOutput", within: .seconds(1))
            let again = await failure { () throws(BusError) in
                _ = try await manager.call(
                    AgentManager1.registerAgent, "/other", "DisplayOnly", within: .seconds(1))
            }
            #expect(again == .bluez("AlreadyExists", "Already Exists"))
        }
    }

    @Test func answersAnEncryptedReadWhenBonded() async throws {
        var scenario = Scenario.house
        scenario.peripherals = scenario.peripherals.map { $0.known(.bonded) }
        try await simulate(Self.probe, scenario) { client, _, device in
            let path = try await client.characteristic(SimulatedPeripheral.Vendor.secret, of: device)
            #expect(try await client.read(path) == [0x2A])
        }
    }

    // MARK: Writing and descriptors

    @Test func keepsWhatIsWritten() async throws {
        try await simulate(Self.probe) { client, _, device in
            let path = try await client.characteristic(SimulatedPeripheral.Vendor.interval, of: device)
            #expect(try await client.read(path) == [60, 0])
            _ = try await client.object(path).call(
                GattCharacteristic1.writeValue, [30, 0], [:], within: .seconds(1))
            #expect(try await client.read(path) == [30, 0])
            let temperature = try await client.characteristic(SimulatedPeripheral.Vendor.temperature, of: device)
            let error = await failure { () throws(BusError) in
                _ = try await client.object(temperature).call(
                    GattCharacteristic1.writeValue, [1], [:], within: .seconds(1))
            }
            #expect(error == .bluez("NotSupported", "Operation is not supported"))
        }
    }

    @Test func describesAVendorsValue() async throws {
        try await simulate(Self.probe) { client, _, device in
            let path = try await client.characteristic(SimulatedPeripheral.Vendor.temperature, of: device)
            let descriptors = try await client.objects().filter { $0.key.isAt(orBelow: path) && $0.key != path }
            var values: [BluetoothUUID: [UInt8]] = [:]
            for (path, object) in descriptors {
                let uuid = object[GattDescriptor1.name.text]?["UUID"].flatMap { String($0.content) }
                values[try #require(uuid.flatMap { BluetoothUUID($0) })] = try await client.object(path).call(
                    GattDescriptor1.readValue, [:], within: .seconds(1))
            }
            #expect(values[BluetoothUUID(0x2904)] == [0x0E, 0xFF, 0x2F, 0x27, 1, 0, 0])
            #expect(values[BluetoothUUID(0x2901)] == Array("Probe temperature".utf8))
            #expect(values[BluetoothUUID(0x2902)] == [0, 0])
        }
    }

    // MARK: Notifying

    @Test func notifiesSubscribersEverySecond() async throws {
        try await simulate("00:1B:DC:00:00:03") { client, world, device in
            let path = try await client.characteristic(0x2A37, of: device)
            let object = client.object(path)
            _ = try await object.call(GattCharacteristic1.startNotify, within: .seconds(1))
            #expect(try await object.get(GattCharacteristic1.notifying, within: .seconds(1)))
            try await client.pause(.milliseconds(5500))
            let values = client.notes.filter { $0.names(GattCharacteristic1.value, at: path) }
            #expect(values.count == 5)
            _ = try await object.call(GattCharacteristic1.stopNotify, within: .seconds(1))
            try await client.pause(.seconds(5))
            #expect(client.notes.filter { $0.names(GattCharacteristic1.value, at: path) }.count == 5)
            #expect(try await !object.get(GattCharacteristic1.notifying, within: .seconds(1)))
            let error = await failure { () throws(BusError) in
                _ = try await object.call(GattCharacteristic1.stopNotify, within: .seconds(1))
            }
            #expect(error == .bluez("Failed", "No notify session started"))
        }
    }

    @Test func subscriptionsOutliveAConnectionButNotTheirClient() async throws {
        try await Bench.run(.virtual, .house) { bench, world in
            let client = try await Client.make(bench)
            let device = client.device("00:1B:DC:00:00:03")
            try await client.open(device)
            let path = try await client.characteristic(0x2A37, of: device)
            let other = try await bench.connect()
            _ = try await other.object(Bluez.service, at: path).call(
                GattCharacteristic1.startNotify, within: .seconds(1))
            world.drop("Heart Strap")
            try await client.open(device)
            let start = client.notes.count
            try await client.wait(from: start) { $0.names(GattCharacteristic1.value, at: path) }
            other.close()
            try await client.wait(from: start) { $0.says(GattCharacteristic1.notifying, false, at: path) }
        }
    }

    @Test func refusesToNotifyWhatCannot() async throws {
        try await simulate { client, _, device in
            let path = try await client.characteristic(0x2A6F, of: device)
            let error = await failure { () throws(BusError) in
                _ = try await client.object(path).call(GattCharacteristic1.startNotify, within: .seconds(1))
            }
            #expect(error == .bluez("NotSupported", "Operation is not supported"))
        }
    }

    @Test func lendsASocketToOneClient() async throws {
        try await simulate("00:1B:DC:00:00:03") { client, world, device in
            let path = try await client.characteristic(0x2A37, of: device)
            let object = client.object(path)
            #expect(try await !object.get(GattCharacteristic1.notifyAcquired, within: .seconds(1)))
            let acquired = try await object.call(GattCharacteristic1.acquireNotify, [:], within: .seconds(1))
            #expect(acquired.second == 517)
            #expect(try await object.get(GattCharacteristic1.notifyAcquired, within: .seconds(1)))
            let start = client.notes.count
            let first = await failure { () throws(BusError) in
                _ = try await object.call(GattCharacteristic1.startNotify, within: .seconds(1))
            }
            #expect(first == .bluez("NotPermitted", "Notify acquired"))
            let second = await failure { () throws(BusError) in
                _ = try await object.call(GattCharacteristic1.acquireNotify, [:], within: .seconds(1))
            }
            #expect(second == .bluez("NotPermitted", "Notify acquired"))
            try await client.pause(.seconds(3))
            #expect(!client.notes.dropFirst(start).contains { $0.names(GattCharacteristic1.value, at: path) })
            world.drop("Heart Strap")
            try await client.wait(from: start) { $0.says(GattCharacteristic1.notifyAcquired, false, at: path) }
            withExtendedLifetime(acquired.first) {}
        }
    }
}
