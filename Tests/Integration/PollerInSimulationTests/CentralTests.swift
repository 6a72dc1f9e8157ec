import Blekeep
import BlekeepSimulation
import BusBench
import DBus
import RunLoop
import Testing

@testable import BlekeepBluetooth

/// The library's own client against the simulated world, in virtual time.
@Suite struct CentralTests {
    private func run(
        _ scenario: Scenario, _ body: @escaping @Sendable (Central, World, RunLoop) async throws -> Void
    ) async throws {
        try await Bench.run(.virtual, scenario) { bench, world in
            let central = try await Central.open(nil, on: bench.loop) { () async throws(BusError) in
                try await bench.connect()
            }
            try await body(central, world, bench.loop)
            central.close()
        }
    }

    private let livingRoom = BluetoothAddress("F0:00:00:00:00:01")

    @Test func readsAndDisconnects() async throws {
        let address = try #require(livingRoom)
        try await run(.house) { central, world, loop in
            let adapters = await central.adapters
            #expect(adapters.map(\.name) == ["hci0"])
            let bytes = try await central.peripheral(address).withLink { link in
                try await link.read(BluetoothUUID(0x2A6E))
            }
            let measured = try LayoutDecoder(BluetoothUUID(0x2A6E))?.decode(bytes)
            #expect(measured?.first?.unit == "°C")
        }
    }

    @Test func aPeripheralKeepsItsCentralOpen() async throws {
        let address = try #require(livingRoom)
        try await Bench.run(.virtual, .house) { bench, _ in
            let peripheral = try await Central.open(nil, on: bench.loop) { () async throws(BusError) in
                try await bench.connect()
            }.peripheral(address)
            let bytes = try await peripheral.withLink { try await $0.read(BluetoothUUID(0x2A6E)) }
            #expect(bytes.count == 2)
        }
    }

    /// A program may open and drop centrals for years.
    @Test(arguments: [Bench.Kind.virtual, .daemon])
    func aDroppedCentralIsFreed(kind: Bench.Kind) async throws {
        let address = try #require(livingRoom)
        try await Bench.run(kind, .house) { bench, _ in
            weak var core: CentralCore?
            do {
                let central = try await Central.open(nil, on: bench.loop) { () async throws(BusError) in
                    try await bench.connect()
                }
                core = central.core
                for await state in central.adapterStates where state == .poweredOn { break }
                for try await _ in central.scan(for: .seconds(10)) { break }
                _ = try await central.peripheral(address).withLink { try await $0.read(BluetoothUUID(0x2A6E)) }
                for try await _ in central.peripheral(address).keepConnected() { break }
            }
            let deadline = bench.loop.now + .seconds(60)
            while core != nil, bench.loop.now < deadline {
                try await bench.loop.sleep(until: bench.loop.now + .milliseconds(50))
            }
            #expect(core == nil)
        }
    }

    @Test func aDroppedCentralEndsItsThread() async throws {
        let address = try #require(livingRoom)
        try await Bench.run(.daemon, .house) { bench, _ in
            weak var core: CentralCore?
            weak var loop: RunLoop?
            do {
                let central = try await Central(bus: bench.address)
                (core, loop) = (central.core, central.core.loop)
                _ = try await central.peripheral(address).withLink { try await $0.read(BluetoothUUID(0x2A6E)) }
            }
            let deadline = bench.loop.now + .seconds(60)
            while core != nil || loop != nil, bench.loop.now < deadline {
                try await bench.loop.sleep(until: bench.loop.now + .milliseconds(50))
            }
            #expect(core == nil && loop == nil)
        }
    }

    /// A program may try again for years while there is no bus.
    @Test func aCentralThatCannotOpenLeavesNoThread() async {
        let (life, end) = AsyncStream.makeStream(of: Void.self)
        await #expect(throws: BluetoothError.self) {
            _ = try await Central(nil) { loop throws(BusError) in
                // The loop holds its timers.
                let mark = LifeMark(end)
                loop.schedule(at: .never) { withExtendedLifetime(mark) {} }
                throw BusError.disconnected
            }
        }
        for await _ in life {}
    }

    @Test func findsAndConnectsAnUnknownDevice() async throws {
        let address = try #require(livingRoom)
        try await run(.fresh) { central, _, _ in
            let count = try await central.peripheral(address).withLink { await $0.characteristics.count }
            #expect(count >= 8)
        }
    }

    @Test func scansForAWhile() async throws {
        try await run(.fresh) { central, _, loop in
            var seen: Set<BluetoothAddress> = []
            for try await advertisement in central.scan(for: .seconds(10)) { seen.insert(advertisement.address) }
            #expect(seen.count == 5)
            #expect(loop.now < .start + .seconds(11))
        }
    }

    /// The cause that ends a scan early, with the error that the scan throws.
    enum ScanEnd: CaseIterable {
        case off, unplugged, stopped

        var code: BluetoothError.Code {
            switch self {
            case .off: .adapterOff
            case .unplugged: .noAdapter
            case .stopped: .noBluez
            }
        }

        func strike(_ world: World) {
            switch self {
            case .off: world.power(on: false)
            case .unplugged: world.unplug()
            case .stopped: world.restartBluez(after: .seconds(1))
            }
        }
    }

    @Test(arguments: ScanEnd.allCases, [false, true])
    func aScanThrowsAtOnceWhenItsAdapterOrBluetoothdGoes(end: ScanEnd, passive: Bool) async throws {
        var scenario = Scenario.fresh
        scenario.adapters[0].offersMonitors = true
        try await run(scenario) { central, world, loop in
            loop.schedule(at: .start + .seconds(3)) { end.strike(world) }
            var seen: Set<BluetoothAddress> = []
            let error = await #expect(throws: BluetoothError.self) {
                for try await heard in central.scan(for: .seconds(60), passive: passive) { seen.insert(heard.address) }
            }
            #expect(error?.code == end.code)
            #expect(seen.count == 5)
            #expect(loop.now < .start + .seconds(5))
        }
    }

    @Test(arguments: [(Scenario.empty, BluetoothError.Code.noAdapter), (.off, .adapterOff)])
    func aScanWithoutAnAdapterThatIsOnThrows(scenario: Scenario, code: BluetoothError.Code) async throws {
        try await run(scenario) { central, _, _ in
            let error = await #expect(throws: BluetoothError.self) {
                for try await _ in central.scan(for: .seconds(10)) {}
            }
            #expect(error?.code == code)
        }
    }

    @Test func takesNotifications() async throws {
        let address = try #require(BluetoothAddress("00:1B:DC:00:00:03"))
        try await run(.house) { central, _, _ in
            let beats = try await central.peripheral(address).withLink { link in
                let characteristic = try await link.characteristic(BluetoothUUID(0x2A37))
                var beats: [[UInt8]] = []
                for await bytes in try await link.notifications(of: characteristic) {
                    beats.append(bytes)
                    if beats.count == 3 { break }
                }
                return beats
            }
            #expect(beats.count == 3)
            #expect(beats.allSatisfy { $0.count == 2 })
        }
    }

    @Test func saysWhyItCannot() async throws {
        let stranger = try #require(BluetoothAddress("F0:00:00:00:00:99"))
        let address = try #require(livingRoom)
        try await run(.house) { central, _, _ in
            let missing = await #expect(throws: BluetoothError.self) {
                try await central.peripheral(stranger).withLink { _ in }
            }
            #expect(missing?.code == .notFound)
            let absent = await #expect(throws: BluetoothError.self) {
                try await central.peripheral(address).withLink { _ = try await $0.read(BluetoothUUID(0x2A37)) }
            }
            #expect(absent?.code == .characteristic)
        }
    }

    @Test func reportsMissingPairingAtOnce() async throws {
        let address = try #require(BluetoothAddress("F0:00:04:00:00:01"))
        try await run(.passkey) { central, _, loop in
            try await central.peripheral(address).withLink { link in
                let start = loop.now
                let locked = await #expect(throws: BluetoothError.self) { try await link.read(BluetoothUUID(0x2A6E)) }
                #expect(locked?.code == .pairing)
                #expect(locked?.description == "reading 2a6e: the device must be paired")
                #expect(loop.now - start < .seconds(2))
                // BlueZ still waits, and so would any further request.
                #expect(await link.waitsForPairing)
                let next = await #expect(throws: BluetoothError.self) { try await link.read(BluetoothUUID(0x2A19)) }
                #expect(next?.code == .pairing)
            }
        }
    }

    @Test func pairsAfterARefusedRead() async throws {
        let address = try #require(BluetoothAddress("F0:00:04:00:00:01"))
        try await run(.passkey) { central, _, _ in
            let peripheral = central.peripheral(address)
            await #expect(throws: BluetoothError.self) {
                try await peripheral.withLink { _ = try await $0.read(BluetoothUUID(0x2A6E)) }
            }
            await central.settle()
            let options = PairingOptions(secret: PairingSecret("123456"))
            let bytes = try await peripheral.pair(options, user: nil) { link, _ in
                try await link.read(BluetoothUUID(0x2A6E))
            }
            #expect(bytes.count == 2)
        }
    }

    @Test func throwsWithoutAnAdapter() async throws {
        let address = try #require(livingRoom)
        for (scenario, code) in [(Scenario.off, BluetoothError.Code.adapterOff), (.empty, .noAdapter)] {
            try await run(scenario) { central, _, _ in
                let error = await #expect(throws: BluetoothError.self) {
                    try await central.peripheral(address).withLink { _ in }
                }
                #expect(error?.code == code)
            }
        }
    }

    @Test func theLastUserOfALinkEndsIt() async throws {
        let address = try #require(livingRoom)
        try await run(.house) { central, _, loop in
            let peripheral = central.peripheral(address)
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask {
                    try await peripheral.withLink { _ in try await loop.sleep(until: .start + .seconds(30)) }
                }
                try await loop.sleep(until: .start + .seconds(20))
                #expect(await central.knownDevices.first { $0.address == address }?.isConnected == true)
                group.addTask {
                    try await peripheral.withLink { link in
                        try await loop.sleep(until: .start + .seconds(40))
                        #expect(try await link.read(BluetoothUUID(0x2A6E)).count == 2)
                    }
                }
                try await group.waitForAll()
            }
            await central.settle()
            #expect(await central.knownDevices.first { $0.address == address }?.isConnected == false)
        }
    }

    @Test func aSearchForOneDeviceLeavesAScanRunning() async throws {
        let stranger = try #require(BluetoothAddress("F0:00:00:00:00:99"))
        try await run(.fresh) { central, _, loop in
            await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { for try await _ in central.scan(for: .seconds(60)) {} }
                try? await loop.sleep(until: .start + .seconds(2))
                let error = await #expect(throws: BluetoothError.self) {
                    try await central.peripheral(stranger).withLink { _ in }
                }
                #expect(error?.code == .notFound)
                #expect(await central.adapters.first?.isDiscovering == true)
            }
            try await loop.sleep(until: loop.now + .seconds(2))
            #expect(await central.adapters.first?.isDiscovering == false)
        }
    }
}
