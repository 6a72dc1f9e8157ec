import BlekeepRecords
import BusBench
import DBus
import RunLoop
import Testing

@testable import BlekeepSimulation

/// Many seeds of clients that do anything while anything goes wrong. A seed that fails is printed by the test's name.
struct InvariantTests {
    /// Signals and a new snapshot agree, the simulation doesn't crash, and every call ends.
    @Test(arguments: 1...TestLength.of(15, atNight: 40))
    func signalsTellTheWholeTruth(_ seed: UInt64) async throws {
        var scenario = Scenario.flaky
        scenario.peripherals += Scenario.house.peripherals
        scenario.adapters = [SimulatedAdapter(maxConnections: 3)]
        let (told, actual) = try await Bench.run(.virtual, scenario, seed: seed) { bench, world in
            let bus = try await bench.connect()
            let mirror = ObjectMirror(
                of: Bluez.service, on: bus,
                interest: ObjectMirror.Interest { _ in
                    true
                } rules: { _ in
                    Set(Bluez.interfaces.map { .properties(of: $0.name) })
                }
            ) { _ in }
            return try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { try await mirror.run() }
                defer { mirror.stop() }
                var chaos = Chaos(seed: seed, bench, world)
                for _ in 0..<150 { try await chaos.step() }
                // Long enough for every timeout, but too short for a new one.
                try await bench.loop.sleep(until: bench.loop.now + .seconds(200))
                let snapshot = try await bus.object(Bluez.service, at: .root).call(
                    ObjectManager.getManagedObjects, within: .seconds(5))
                return (mirror.tree.objects, snapshot.objects)
            }
        }
        #expect(!actual.isEmpty)
        #expect(Set(told.keys) == Set(actual.keys))
        for (path, object) in actual {
            let isTold = told[path].map(Self.withoutMTU) == Self.withoutMTU(object)
            #expect(isTold, "\(path)")
        }
    }

    /// BlueZ sends no signal when a characteristic's MTU goes with the connection.
    private static func withoutMTU(_ object: ManagedObject) -> ManagedObject {
        var object = object
        _ = object.change(GattCharacteristic1.name.text) {
            $0.apply([:], without: [GattCharacteristic1.mtu.name.text])
        }
        return object
    }

    @Test(arguments: 1...10)
    func aPeripheralHasOneConnectionAtATime(_ seed: UInt64) async throws {
        var scenario = Scenario.flaky
        scenario.peripherals += Scenario.house.peripherals
        let counts = try await Bench.run(.virtual, gateways: scenario.gateways(2), seed: seed) { benches, worlds in
            var chaos = [0, 1].map { Chaos(seed: seed + 100 * UInt64($0), benches[$0], worlds[$0]) }
            var counts = [0, 0]
            for step in 0..<200 {
                try await chaos[step % 2].step()
                let connected = worlds.map { Set($0.connected(for: .zero).compactMap(BluetoothAddress.init(device:))) }
                #expect(connected[0].isDisjoint(with: connected[1]))
                let actual = worlds[0].peripherals.filter(\.isConnected).map(\.model.address)
                #expect(connected[0].union(connected[1]) == Set(actual))
                for world in [0, 1] { counts[world] += connected[world].count }
            }
            return counts
        }
        #expect(counts.allSatisfy { $0 > 0 })
    }

    @Test func oneSeedIsOneHistory() async throws {
        func history(_ seed: UInt64) async throws -> [String] {
            try await Bench.run(.virtual, .house, seed: seed) { bench, world in
                let client = try await Client.make(bench)
                var chaos = Chaos(seed: seed, bench, world)
                for _ in 0..<40 { try await chaos.step() }
                return client.notes.map { "\($0.at) \($0.signal.path) \($0.signal.member)" }
            }
        }
        let (first, again) = (try await history(3), try await history(3))
        #expect(first.count > 20)
        #expect(first == again)
    }
}

/// A client that makes random calls, most of them unwise.
private struct Chaos {
    private let bench: Bench
    private let world: World
    private var random: SplitMix64
    private var client: any Bus {
        get async throws { try await bench.connect() }
    }

    init(seed: UInt64, _ bench: Bench, _ world: World) {
        self.bench = bench
        self.world = world
        random = SplitMix64(seed: seed &* 7919)
    }

    mutating func step() async throws {
        if Bool.random(using: &random) { fault() } else { try await act() }
        let pause = random.duration(in: .zero ... .seconds(3))
        try await bench.loop.sleep(until: bench.loop.now + pause)
    }

    private mutating func fault() {
        guard let name = world.scenario.peripherals.randomElement(using: &random)?.name else { return }
        switch Int.random(in: 0..<24, using: &random) {
        case 0: world.hide(name)
        case 1, 2: world.drop(name)
        case 3: world.deaf(name)
        case 4: world.mute(name)
        case 5, 6: world.slow(name, by: .seconds(2))
        case 7: world.error(name, code: 0x0E)
        case 8: world.holdServicesResolved(name)
        case 9: world.power(on: false)
        case 10: world.unplug()
        case 11: world.restartBluez(after: random.duration(in: .zero ... .seconds(2)))
        case 12...15: world.heal(name)
        default:
            world.plug()
            world.power(on: true)
        }
    }

    /// Makes one call with a new client, which waits for the reply or leaves before it.
    private mutating func act() async throws {
        let bus = try await client
        let patience = random.duration(in: .milliseconds(10)...(.seconds(20)))
        let call = try await choose(bus, patience)
        _ = await failure { () throws(BusError) in _ = try await bus.call(call) }
        if Bool.random(using: &random) { bus.close() }
    }

    private mutating func choose(_ bus: any Bus, _ patience: Duration) async throws -> MethodCall {
        var objects: [ObjectPath: ManagedObject] = [:]
        _ = await failure { () throws(BusError) in
            objects = try await bus.object(Bluez.service, at: .root).call(
                ObjectManager.getManagedObjects, within: .seconds(5)
            ).objects
        }
        func any(_ interface: InterfaceName) -> ObjectPath {
            let paths = objects.filter { $0.value[interface.text] != nil }.keys.sorted()
            return paths.randomElement(using: &random) ?? "/org/bluez/none"
        }
        func call(_ interface: InterfaceName, _ member: MemberName, _ arguments: [Value] = []) -> MethodCall {
            MethodCall(
                Bluez.service, at: any(interface), interface: interface, member: member, arguments: arguments,
                within: patience)
        }
        switch Int.random(in: 0..<20, using: &random) {
        case 0: return call(Adapter1.name, Adapter1.removeDevice.name, [any(Device1.name).value])
        case 1: return call(Adapter1.name, Adapter1.stopDiscovery.name)
        case 2, 3: return call(Adapter1.name, Adapter1.startDiscovery.name)
        case 4...9: return call(Device1.name, Device1.connect.name)
        case 10: return call(Device1.name, Device1.disconnect.name)
        case 11...14: return call(GattCharacteristic1.name, GattCharacteristic1.startNotify.name)
        default: return call(GattCharacteristic1.name, GattCharacteristic1.readValue.name, [Properties().value])
        }
    }
}
