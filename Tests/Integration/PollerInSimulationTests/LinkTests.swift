import Blekeep
import BlekeepSimulation
import BusBench
import DBus
import RunLoop
import Testing

/// The services, the MTU and the writes of the library's links, in the simulated world.
@Suite struct LinkTests {
    private static let address = "F0:00:00:00:00:52"
    private static let control = BluetoothUUID(0xFFF1)

    private static func scenario(mtu: UInt16?) throws -> Scenario {
        let control = SimulatedCharacteristic(
            Self.control, [.read, .write, .writeWithoutResponse], constant: [],
            descriptors: [.presentation(format: 4, exponent: 0, unit: 0x2700), .userDescription("Control")])
        let value = SimulatedCharacteristic(BluetoothUUID(0xFFF2), [.read, .notify], constant: [1])
        var peripheral = SimulatedPeripheral(
            "Writer", try #require(BluetoothAddress(address)),
            services: [
                SimulatedService(BluetoothUUID(0xFFF0), [control, value]), SimulatedService(BluetoothUUID(0xFFF8), []),
                SimulatedService(BluetoothUUID(0xFFF0), [value]),
            ])
        peripheral.mtu = mtu
        return Scenario("writer", "one that is written to", peripherals: [peripheral])
    }

    private func run(
        _ kind: Bench.Kind = .virtual, mtu: UInt16? = 185,
        _ body: @escaping @Sendable (Link, Link.Characteristic, World) async throws -> Void
    ) async throws {
        let address = try #require(BluetoothAddress(Self.address))
        try await Bench.run(kind, Self.scenario(mtu: mtu)) { bench, world in
            let central = try await Central.open(nil, on: bench.loop) { () async throws(BusError) in
                try await bench.connect()
            }
            try await central.peripheral(address).withLink { link in
                try await body(link, try await link.characteristic(Self.control), world)
            }
            central.close()
        }
    }

    private func error(_ action: () async throws(BluetoothError) -> Void) async -> BluetoothError? {
        do throws(BluetoothError) {
            try await action()
            return nil
        } catch { return error }
    }

    /// BlueZ forgets a device after a while that it doesn't hear any more, and ends the attempt.
    @Test func saysWhatADeviceThatTakesNoConnectionMayBe() async throws {
        try await Bench.run(.virtual, .beacons) { bench, _ in
            let central = try await Central.open(nil, on: bench.loop) { () async throws(BusError) in
                try await bench.connect()
            }
            let tag = try #require(Scenario.beacons.peripherals.first { $0.name == "Attic" })
            let failure = await #expect(throws: BluetoothError.self) {
                try await central.peripheral(tag.address).withLink { _ in }
            }
            #expect(failure?.code == .link)
            #expect(failure?.description.hasSuffix("it may be out of range, or take no connections") == true)
            central.close()
        }
    }

    @Test(arguments: [Bench.Kind.virtual, .daemon])
    func listsServicesWithTheirCharacteristicsAndDescriptors(kind: Bench.Kind) async throws {
        try await run(kind) { link, _, _ in
            let services = await link.services
            // Generic Attribute comes first.
            let uuids: [UInt16] = [0x1801, 0xFFF0, 0xFFF8, 0xFFF0]
            #expect(services.map(\.uuid) == uuids.map { BluetoothUUID($0) })
            let allArePrimary = services.allSatisfy(\.isPrimary)
            #expect(allArePrimary)
            #expect(services.map(\.characteristics.count) == [3, 2, 0, 1])
            #expect(Set(services.map(\.handle)).count == 4)
            let control = try #require(services.dropFirst().first?.characteristics.first)
            #expect(control.flags == ["read", "write", "write-without-response"])
            #expect(control.descriptors.map(\.uuid) == [BluetoothUUID(0x2904), BluetoothUUID(0x2901)])
            #expect(services.flatMap(\.characteristics) == (await link.characteristics))
        }
    }

    @Test(arguments: [Bench.Kind.virtual, .daemon])
    func writesWithoutAResponseWhatFitsIntoAPacket(kind: Bench.Kind) async throws {
        try await run(kind) { link, control, _ in
            #expect(try await link.mtu == 185)
            let length = try await link.maxWriteLength(withResponse: false)
            #expect(length == 182)
            let bytes = (0..<length).map { UInt8(truncatingIfNeeded: $0) }
            try await link.write(bytes, to: control, withResponse: false)
            #expect(try await link.read(control) == bytes)
            let refused = await error { () async throws(BluetoothError) in
                try await link.write(bytes + [0], to: control, withResponse: false)
            }
            #expect(refused?.code == .characteristic)
            #expect(
                refused?.description
                    == "writing fff1: 183 bytes are too long for a write without a response, which has up to 182")
            #expect(try await link.maxWriteLength() == 512)
            try await link.write(bytes + bytes, to: control)
            #expect(try await link.read(control) == bytes + bytes)
        }
    }

    @Test(arguments: [(517, 517, 512), (23, 23, 20), (0, 23, 20)] as [(UInt16, Int, Int)])
    func theMTUHasBounds(served: UInt16, mtu: Int, length: Int) async throws {
        try await run(mtu: served) { link, _, _ in
            let found = (try await link.mtu, try await link.maxWriteLength(withResponse: false))
            #expect(found == (mtu, length))
        }
    }

    @Test func anOlderBluezDecidesByItselfWhatFits() async throws {
        try await run(mtu: nil) { link, control, _ in
            let missing = await error { () async throws(BluetoothError) in _ = try await link.mtu }
            #expect(missing?.code == .unsupported)
            try await link.write(Array(repeating: 7, count: 300), to: control, withResponse: false)
            #expect(try await link.read(control).count == 300)
        }
    }

    @Test func aConnectionThatEndedHasNoMTU() async throws {
        try await run { link, _, world in
            world.drop("Writer")
            let missing = await error { () async throws(BluetoothError) in _ = try await link.mtu }
            #expect(missing?.code == .link)
        }
    }

    @Test func theSignalStrengthIsThatOfAdvertisements() async throws {
        let address = try #require(BluetoothAddress(Self.address))
        try await Bench.run(.virtual, Self.scenario(mtu: 23)) { bench, _ in
            let central = try await Central.open(nil, on: bench.loop) { () async throws(BusError) in
                try await bench.connect()
            }
            let peripheral = central.peripheral(address)
            #expect(await peripheral.rssi == nil)
            for try await heard in central.scan(for: .seconds(5)) where heard.address == address {
                #expect(await peripheral.rssi == heard.rssi)
            }
            central.close()
        }
    }
}
