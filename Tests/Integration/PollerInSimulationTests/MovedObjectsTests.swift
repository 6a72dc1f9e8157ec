import Blekeep
import BlekeepSimulation
import BusBench
import DBus
import RunLoop
import Testing

@testable import BlekeepBluetooth
@testable import BlekeepPoller

/// A poller whose device's objects repeatedly move to other paths.
@Suite struct MovedObjectsTests {
    private static let adapter: ObjectPath = "/org/bluez/hci0"

    @Test(arguments: [(Scenario.passkey, "Passkey"), (.house, "Living Room")])
    func forgetsObjectsThatAreGone(scenario: Scenario, name: String) async throws {
        try await Bench.run(.virtual, scenario) { bench, world in
            let address = try #require(world.scenario.peripherals.first { $0.name == name }?.address)
            let path = Bluez.path(of: address, on: Self.adapter)
            let bus = try await bench.connect()
            var configuration = PollConfiguration(devices: [DeviceConfiguration(alias: name, address: address)])
            configuration.interval = .seconds(30)
            let poller = DevicePoller(
                DeviceSetting(configuration.devices[0], in: configuration), isOneOff: false, loop: bench.loop,
                wallTime: { 0 },
                throttled: ThrottledReadings(on: bench.loop, wallTime: { 0 }, record: { _ in }))
            let central = CentralCore(on: bus, watching: [WatchedDevice(address: address)]) { _, event in
                switch event {
                case .snapshot, .services: poller.treeChanged()
                default: break
                }
            }
            let memories = try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { try? await central.run() }
                defer { central.stop() }
                await central.refusals.start()
                try await bench.loop.sleep(until: .start + .seconds(1))
                try await central.startDiscovery(on: Self.adapter, repeating: true)
                var memories: [Int] = []
                for number in 1...5 {
                    try await bench.loop.sleep(until: bench.loop.now + .seconds(10))
                    try? await central.connect(path, within: .seconds(45))
                    try await bench.loop.sleep(until: bench.loop.now + .seconds(10))
                    let tick = DueTick(
                        number: number, reason: .timer, deadline: .never, intervals: [.seconds(30)],
                        budget: .seconds(20), skipped: 0)
                    _ = await poller.poll(tick, on: LinkCore(central, path), isHeld: true)
                    memories.append(poller.memories)
                    poller.unbind()
                    _ = try await bus.object(Bluez.service, at: path).call(Device1.disconnect, within: .seconds(10))
                    world.moveServices(name)
                }
                return memories
            }
            #expect((memories.first ?? 0) > 0)
            #expect(Set(memories).count == 1, "\(memories)")
        }
    }
}
