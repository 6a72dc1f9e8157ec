import BlekeepRecords
import BusBench
import DBus
import RunLoop
import Testing

@testable import BlekeepSimulation

/// Discovery and temporary devices, as the real bluetoothd 5.66 does them (field notes 4, 5, 7, 8).
struct DiscoveryTests {
    private func simulate<Success: Sendable>(
        _ scenario: Scenario = .fresh, seed: UInt64 = 1,
        _ body: @escaping @Sendable (Client, World) async throws -> Success
    ) async throws -> Success {
        try await Bench.run(.virtual, scenario, seed: seed) { bench, world in
            try await body(try await Client.make(bench), world)
        }
    }

    @Test func hearsEverybodySoonAfterTheStart() async throws {
        try await simulate { client, _ in
            try await client.startDiscovery()
            for peripheral in Scenario.fresh.peripherals {
                let note = try await client.wait { $0.adds(client.device(peripheral.address.description)) }
                #expect(((Duration.milliseconds(100))...(.milliseconds(300))).contains(note.at.sinceStart))
            }
            #expect(try await client.object(client.adapter).get(Adapter1.discovering, within: .seconds(1)))
        }
    }

    @Test func tellsWhatItHeard() async throws {
        try await simulate { client, _ in
            try await client.startDiscovery()
            let device = client.device(ConnectTests.living)
            try await client.wait { $0.adds(device) }
            let properties = try #require(try await client.objects()[device]?[Device1.name.text])
            let strength = try #require(properties["RSSI"].flatMap { Int16($0.content) })
            #expect((-58...(-52)).contains(strength))
            #expect(properties["ManufacturerData"] == Variant([UInt16(0xFFFF): Variant([UInt8](1...3))]))
            #expect(properties["UUIDs"] == Variant([0x181A, 0x180F].map { BluetoothUUID($0).full }))
            #expect(properties["Connected"] == Variant(false))
        }
    }

    @Test func tellsTheStrengthAtMostOnceASecond() async throws {
        try await simulate { client, _ in
            try await client.startDiscovery()
            try await client.pause(.seconds(20))
            let device = client.device(ConnectTests.living)
            let moments = client.notes.filter { $0.names(Device1.rssi, at: device) }.map(\.at)
            #expect((5...20).contains(moments.count))
            #expect(zip(moments, moments.dropFirst()).allSatisfy { $1 - $0 >= .seconds(1) })
        }
    }

    @Test func forgetsTheStrengthWhenDiscoveryEnds() async throws {
        try await simulate(.house) { client, _ in
            let device = client.device(ConnectTests.living)
            #expect(try await client.objects()[device]?[Device1.name.text]?["RSSI"] == nil)
            try await client.startDiscovery()
            try await client.wait { $0.names(Device1.rssi, at: device) }
            try await client.stopDiscovery()
            try await client.wait { $0.says(Device1.rssi, nil, at: device) }
            try await client.wait { $0.says(Adapter1.discovering, false, at: client.adapter) }
            let properties = try await client.objects()[device]?[Device1.name.text]
            #expect(properties?["RSSI"] == nil)
            #expect(properties?["ManufacturerData"] != nil)
        }
    }

    @Test func forgetsUnknownDevicesThirtySecondsAfterTheyWereHeard() async throws {
        try await simulate { client, _ in
            try await client.startDiscovery()
            let device = client.device(ConnectTests.living)
            try await client.wait { $0.adds(device) }
            try await client.pause(.seconds(100))
            #expect(!client.notes.contains { $0.removes(device) })
            try await client.stopDiscovery()
            let start = client.loop.now
            let removed = try await client.wait { $0.removes(device) }
            #expect((Duration.seconds(29)...(.seconds(30))).contains(removed.at - start))
        }
    }

    @Test func forgetsUnknownDevicesThirtySecondsAfterTheyWereDisconnected() async throws {
        try await simulate { client, _ in
            let device = client.device(ConnectTests.living)
            try await client.startDiscovery()
            try await client.wait { $0.adds(device) }
            try await client.stopDiscovery()
            try await client.open(device)
            try await client.pause(.seconds(300))
            try await client.disconnect(device)
            let start = client.loop.now
            let service = try #require(device.child("service000e"))
            try await client.wait { $0.removes(service) }
            let removed = try await client.wait { $0.removes(device) }
            #expect(removed.at - start == .seconds(30))
            #expect(try await client.objects().keys.filter { $0.isAt(orBelow: device) }.isEmpty)
        }
    }

    @Test func sessionsBelongToTheirClients() async throws {
        try await Bench.run(.virtual, .fresh) { bench, _ in
            let (client, other) = (try await Client.make(bench), try await Client.make(bench))
            let early = await failure { () throws(BusError) in try await client.stopDiscovery() }
            #expect(early == .bluez("Failed", "No discovery started"))
            try await client.startDiscovery()
            let twice = await failure { () throws(BusError) in try await client.startDiscovery() }
            #expect(twice == .bluez("InProgress", "Operation already in progress"))
            try await other.startDiscovery()
            try await client.stopDiscovery()
            #expect(try await client.object(client.adapter).get(Adapter1.discovering, within: .seconds(1)))
            other.bus.close()
            try await client.wait { $0.says(Adapter1.discovering, false, at: client.adapter) }
        }
    }

    @Test func filtersByServiceStrengthAndName() async throws {
        let filters: [Properties] = [
            ["UUIDs": Variant([BluetoothUUID(0x180D).full]), "Transport": Variant("le")],
            ["RSSI": Variant(Int16(-60))], ["Pattern": Variant("Fr")],
        ]
        var found: [[String]] = []
        for filter in filters {
            let names = try await simulate { client, _ in
                _ = try await client.object(client.adapter).call(
                    Adapter1.setDiscoveryFilter, filter, within: .seconds(1))
                try await client.startDiscovery()
                try await client.pause(.seconds(3))
                return try await client.objects().values.compactMap { $0[Device1.name.text]?["Name"] }
            }
            found.append(names.compactMap { String($0.content) }.sorted())
        }
        #expect(found == [["Heart Strap"], ["Freezer", "Living Room"], ["Freezer", "Front Door"]])
    }

    @Test func refusesAFilterThatItDoesNotKnow() async throws {
        try await simulate { client, _ in
            let error = await failure { () throws(BusError) in
                _ = try await client.object(client.adapter).call(
                    Adapter1.setDiscoveryFilter, ["Colour": Variant("red")], within: .seconds(1))
            }
            #expect(error == .bluez("InvalidArguments", "Invalid arguments in method call"))
        }
    }

    @Test func doesNotHearHiddenOrConnectedDevices() async throws {
        try await simulate { client, world in
            world.hide("Freezer")
            try await client.startDiscovery()
            try await client.pause(.seconds(3))
            let freezer = client.device("F0:00:00:00:00:02")
            #expect(try await client.objects()[freezer] == nil)
            world.show("Freezer")
            try await client.wait { $0.adds(freezer) }
            try await client.open(freezer)
            let start = client.notes.count
            try await client.pause(.seconds(10))
            #expect(!client.notes.dropFirst(start).contains { $0.names(Device1.rssi, at: freezer) })
        }
    }

    @Test func needsAnAdapterThatIsOn() async throws {
        try await simulate(.off) { client, _ in
            let error = await failure { () throws(BusError) in try await client.startDiscovery() }
            #expect(error == .bluez("NotReady", "Resource Not Ready"))
        }
    }

    @Test func napsAreSeenAsComingAndGoing() async throws {
        try await simulate(.flaky) { client, _ in
            try await client.startDiscovery()
            let device = client.device("F0:00:01:00:00:03")
            try await client.pause(.seconds(70))
            let heard = client.notes.filter { $0.names(Device1.rssi, at: device) }.map(\.at.sinceStart)
            let away = heard.filter { moment in
                ((Duration.seconds(15))...(.seconds(35))).contains(moment)
                    || ((Duration.seconds(50))...(.seconds(70))).contains(moment)
            }
            #expect(away.isEmpty)
            #expect(heard.contains { $0 > .seconds(35) })
        }
    }

    @Test func oneSeedIsOneWorld() async throws {
        func moments(_ seed: UInt64) async throws -> [Uptime] {
            try await simulate(seed: seed) { client, _ in
                try await client.startDiscovery()
                try await client.pause(.seconds(60))
                return client.notes.map(\.at)
            }
        }
        let (first, again, other) = (try await moments(7), try await moments(7), try await moments(8))
        #expect(first == again)
        #expect(first != other)
    }
}
