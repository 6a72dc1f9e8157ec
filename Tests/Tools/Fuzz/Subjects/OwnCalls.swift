import Blekeep
import BlekeepSimulation
import BusBench
import DBus
import Logging
import RunLoop

extension Flood {
    /// Calls that anybody on the bus makes to our own objects: each is answered, and none changes anything.
    package static let calls = Flood(name: "own-calls") { try await call($0) }

    private static func call(_ count: Int) async throws -> Outcome {
        var scenario = Scenario.house
        scenario.adapters[0].offersMonitors = true
        return try await Bench.run(.virtual, scenario) { bench, world in
            let loop = bench.loop
            let (store, callee) = (CountingStore(loop), Callee())
            let poller = poller(of: world, on: loop, store) { () async throws(BusError) in
                callee.add(try await bench.connect())
            }
            let central = try await Central.open(nil, on: loop) { () async throws(BusError) in
                callee.add(try await bench.connect())
            }
            let stranger = try await bench.connect()
            return try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { _ = await poller.run() }
                group.addTask { for try await _ in central.scan(for: .seconds(86_400), passive: true) {} }
                try await loop.sleep(until: loop.now + .seconds(30))
                let before = Meter.resident()
                let answers = try await ask(count, of: callee.names, from: stranger)
                try await loop.sleep(until: loop.now + .seconds(30))
                let growth = Meter.resident() - before
                central.close()
                poller.stop()
                try await group.waitForAll()
                let isGood =
                    answers.none == 0 && answers.refused > 0 && answers.good > 0 && store.failures == 0
                    && store.latest <= 1
                return Outcome(
                    text: "\(count) calls, \(answers.good) answered, \(answers.refused) refused, "
                        + "\(answers.none) without an answer, \(store.failures) failed reads, +\(growth / 1024) KiB",
                    isGood: isGood, growth: growth)
            }
        }
    }

    private static func ask(
        _ count: Int, of names: [BusName], from stranger: any Bus
    ) async throws -> (good: Int, refused: Int, none: Int) {
        var (good, refused, none) = (0, 0, 0)
        for number in 0..<count {
            var dice = Dice(seed: UInt64(number))
            do throws(BusError) {
                _ = try await stranger.call(dice.call(to: dice.pick(names)))
                good += 1
            } catch {
                if case .remote = error { refused += 1 } else { none += 1 }
            }
            // The poller has its own work to do meanwhile.
            if number % 1000 == 0 { try await stranger.loop.sleep(until: stranger.loop.now + .seconds(1)) }
        }
        return (good, refused, none)
    }
}

/// The connections of the poller and the central.
private final class Callee: @unchecked Sendable {
    private(set) var names: [BusName] = []

    func add(_ bus: any Bus) -> any Bus {
        names.append(bus.name)
        return bus
    }
}

extension Dice {
    /// Returns a random call, with random arguments.
    fileprivate mutating func call(to name: BusName) -> MethodCall {
        let path = pick(Self.places)
        let (interface, members) = pick(Self.tables)
        let device: ObjectPath = pick(["/org/bluez/hci0/dev_F0_00_00_00_00_01", "/org/bluez/hci0/dev_", "/"])
        let text = pick([interface.text, "Type", "Patterns", "000000", text()])
        let arguments: [Value] =
            switch below(8) {
            case 0: []
            case 1: [device.value]
            case 2: [device.value, text.value]
            case 3: [device.value, UInt32(truncatingIfNeeded: next()).value]
            case 4: [device.value, UInt32(truncatingIfNeeded: next()).value, UInt16(truncatingIfNeeded: next()).value]
            case 5: [interface.text.value, text.value]
            case 6: [interface.text.value, text.value, Variant(text).value]
            default: (0..<below(4)).map { _ in value(depth: 4) }
            }
        return MethodCall(
            name, at: path, interface: interface, member: pick(members), arguments: arguments, within: .seconds(5))
    }

    private static let places: [ObjectPath] = [
        "/org/blekeep/agent/refusing", "/org/blekeep/agent", "/org/blekeep/monitor/1", "/org/blekeep/monitor/1/0",
        "/org/blekeep/monitor/0/0", "/org/blekeep", "/", "/org/bluez",
    ]

    private static let tables: [(InterfaceName, [MemberName])] = [
        (Agent1.name, Agent1.members.map(\.name)),
        (AdvertisementMonitor1.name, AdvertisementMonitor1.members.map(\.name)),
        (PropertiesInterface.name, ["Get", "GetAll", "Set", "Unknown"]), (Introspectable.name, ["Introspect"]),
        (ObjectManager.name, ["GetManagedObjects"]), (Peer.name, ["Ping", "GetMachineId"]), ("org.example.X", ["Do"]),
    ]
}
