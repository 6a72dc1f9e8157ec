import Blekeep
import BlekeepSimulation
import BusBench
import DBus
import RunLoop
import Testing

@testable import BlekeepSimulation

/// New configurations while a poller polls the house.
@Suite struct ReconfigurationTests {
    private func configuration(
        _ world: World, _ names: [String], every seconds: Int = 5,
        _ change: (inout DeviceConfiguration) -> Void = { _ in }
    ) -> PollConfiguration {
        let devices = world.scenario.peripherals.filter { names.contains($0.name) }
            .map { DeviceConfiguration(alias: $0.name, address: $0.address) }
        var configuration = PollConfiguration(interval: .seconds(seconds), devices: devices)
        for index in devices.indices { change(&configuration.devices[index]) }
        return configuration
    }

    private func connections(_ world: World, _ name: String) -> Int {
        world.peripherals.first { $0.model.name == name }?.connections ?? 0
    }

    /// On any bus, the connection of an unchanged device stays up, and its notifications continue.
    @Test(arguments: Bench.Kind.allCases)
    func aNewDeviceDisturbsNoOther(_ kind: Bench.Kind) async throws {
        try await Bench.run(kind, .house) { bench, world in
            let first = configuration(world, ["Living Room", "Heart Strap"])
            let home = Household(bench, world) { $0 = first }
            let count = try await home.keepUntilDone { loop in
                try await home.values(of: "Heart Strap", 0x2A37, 4)
                try home.poller.reconfigure(
                    configuration(world, ["Living Room", "Heart Strap", "Freezer"]), sinks: [])
                let before = home.moments(of: "Heart Strap", 0x2A37).count
                try await home.values(of: "Freezer", 0x2A6E, 2)
                try await home.values(of: "Heart Strap", 0x2A37, before + 4)
                try await home.values(of: "Living Room", 0x2A6E, 3)
                return home.connections.count
            }
            #expect(count == 1 && home.failures.isEmpty)
            for name in ["Living Room", "Heart Strap", "Freezer"] { #expect(connections(world, name) == 1) }
            let beats = home.moments(of: "Heart Strap", 0x2A37)
            #expect(zip(beats, beats.dropFirst()).allSatisfy { $1 - $0 < 2.5 })
        }
    }

    /// A gateway that gets its devices from a fleet begins without any.
    @Test func aPollerWithoutDevicesWaitsForSome() async throws {
        try await Bench.run(.virtual, .house) { bench, world in
            let none = configuration(world, [])
            let home = Household(bench, world) { $0 = none }
            _ = try await home.keep(for: .seconds(600)) {
                try await bench.loop.sleep(until: .start + .seconds(300))
                try home.poller.reconfigure(configuration(world, ["Freezer"]), sinks: [])
            }
            #expect((home.moments(of: "Freezer").last ?? 0) > 590)
        }
    }

    @Test func ticksStayInPhase() async throws {
        try await Bench.run(.virtual, .house) { bench, world in
            let first = configuration(world, ["Living Room", "Freezer"], every: 60)
            let home = Household(bench, world) { $0 = first }
            _ = try await home.keep(for: .seconds(3600)) {
                for minute in 1...20 {
                    try await bench.loop.sleep(until: .start + .seconds(minute * 61))
                    let names = minute.isMultiple(of: 2) ? ["Living Room", "Freezer"] : ["Living Room", "Probe"]
                    try home.poller.reconfigure(configuration(world, names, every: 60), sinks: [])
                }
            }
            let moments = home.moments(of: "Living Room", 0x2A6E)
            #expect(moments.count == 60)
            #expect(moments.dropFirst().allSatisfy { $0.truncatingRemainder(dividingBy: 60) < 3 })
            #expect(connections(world, "Living Room") == 1)
            #expect(home.failures.isEmpty)
        }
    }

    @Test func aRemovedDeviceIsLeftAlone() async throws {
        try await Bench.run(.virtual, .house) { bench, world in
            let first = configuration(world, ["Living Room", "Heart Strap", "Freezer"])
            let home = Household(bench, world) { $0 = first }
            _ = try await home.keep(for: .seconds(600)) {
                try await bench.loop.sleep(until: .start + .seconds(300))
                try home.poller.reconfigure(configuration(world, ["Living Room"]), sinks: [])
                try await bench.loop.sleep(until: .start + .seconds(310))
                let connected = world.peripherals.filter { $0.link != nil }.map(\.model.name)
                #expect(connected == ["Living Room"])
                let refusal = home.poller.status.devices.map(\.name)
                #expect(refusal == ["Living Room"])
            }
            for name in ["Heart Strap", "Freezer"] { #expect((home.moments(of: name).last ?? 0) < 302) }
            #expect((home.moments(of: "Living Room").last ?? 0) > 590)
        }
    }

    @Test func characteristicsAndModesChange() async throws {
        try await Bench.run(.virtual, .house) { bench, world in
            let first = configuration(world, ["Living Room"], every: 30)
            let home = Household(bench, world) { $0 = first }
            _ = try await home.keep(for: .seconds(600)) {
                try await bench.loop.sleep(until: .start + .seconds(100))
                let humidity = CharacteristicConfiguration(characteristic: BluetoothUUID(0x2A6F))
                let second = configuration(world, ["Living Room"], every: 30) {
                    $0.characteristics = [humidity]
                    $0.mode = .release
                    $0.alias = "parlour"
                }
                try home.poller.reconfigure(second, sinks: [])
            }
            #expect((home.moments(of: "Living Room").last ?? 0) < 101)
            #expect(home.moments(of: "parlour", 0x2A6E).isEmpty)
            let humidities = home.moments(of: "parlour", 0x2A6F)
            #expect((humidities.first ?? 0) < 110 && humidities.count > 15)
            #expect(connections(world, "Living Room") > 15)
        }
    }

    /// Also during outages, in which nothing can be disconnected.
    @Test func anythingMayChangeAtAnyTime() async throws {
        try await Bench.run(.virtual, .house) { bench, world in
            let names = world.scenario.peripherals.map(\.name)
            let first = configuration(world, names)
            let home = Household(bench, world) { $0 = first }
            let changes = TestLength.of(100, atNight: 400)
            _ = try await home.keep(for: .seconds(15 * changes)) {
                var random = SplitMix64(seed: 7)
                for _ in 0..<changes {
                    try await bench.loop.sleep(
                        until: bench.loop.now + .milliseconds(Int.random(in: 1...20_000, using: &random)))
                    if Int.random(in: 0..<10, using: &random) == 0 { world.restartBluez(after: .seconds(3)) }
                    let chosen = names.filter { _ in Bool.random(using: &random) }
                    let seconds = [5, 10, 60].randomElement(using: &random) ?? 5
                    let new = configuration(world, chosen.isEmpty ? names : chosen, every: seconds) {
                        $0.mode = [.auto, .hold, .release, .passive, .heard].randomElement(using: &random) ?? .auto
                    }
                    try home.poller.reconfigure(new, sinks: [])
                }
                try await bench.loop.sleep(until: bench.loop.now + .seconds(60))
                try home.poller.reconfigure(first, sinks: [])
            }
            let end = Double(bench.loop.now.sinceStart.components.seconds)
            for name in names { #expect((home.moments(of: name).last ?? 0) > end - 70) }
            #expect(home.poller.status.devices.count == names.count)
        }
    }

    /// None of them is handled before the next one comes.
    @Test func configurationsMayComeAllAtOnce() async throws {
        try await Bench.run(.virtual, .house) { bench, world in
            let names = world.scenario.peripherals.map(\.name)
            let home = Household(bench, world) { $0 = self.configuration(world, ["Living Room"]) }
            _ = try await home.keep(for: .seconds(120)) {
                try await bench.loop.sleep(until: .start + .seconds(60))
                for count in [1, 5, 1, 3, 2, 5, 1, 4] {
                    let new = configuration(world, Array(names.prefix(count)))
                    try home.poller.reconfigure(new, sinks: [])
                }
            }
            #expect(home.poller.status.devices.map(\.name).sorted() == names.prefix(4).sorted())
            for name in names.prefix(4) { #expect((home.moments(of: name).last ?? 0) > 110) }
        }
    }

    /// A sensor that gets the ID of another is read at once, and its work counts apart. The ID of a sensor stays.
    @Test func aSensorReplacesAnother() async throws {
        try await Bench.run(.virtual, .house) { bench, world in
            let first = configuration(world, ["Living Room"])
            let id = first.devices[0].id
            let home = Household(bench, world) { $0 = first }
            var next = configuration(world, ["Freezer"])
            next.devices[0].ownID = id
            let replaced = next
            next.devices[0].ownID = nil
            let renamed = next
            try await home.keepUntilDone { loop in
                try await home.values(of: "Living Room", 0x2A6E, 3)
                try home.poller.reconfigure(replaced, sinks: [])
                try await home.values(of: "Freezer", 0x2A6E, 3)
                #expect(throws: UserError.self) { try home.poller.reconfigure(renamed, sinks: []) }
            }
            #expect(connections(world, "Freezer") == 1)
        }
    }

    /// The second one ends the read that the first one began, before its first call.
    @Test func twoConfigurationsAtOnceReadADeviceOnce() async throws {
        try await Bench.run(.virtual, .house) { bench, world in
            let first = configuration(world, ["Living Room"], every: 60) { $0.mode = .hold }
            let home = Household(bench, world) { $0 = first }
            _ = try await home.keep(for: .seconds(120)) {
                try await bench.loop.sleep(until: .start + .seconds(100))
                // The shorter interval makes a tick due.
                for alias in ["Living Room", "lounge"] {
                    let next = configuration(world, ["Living Room"], every: 20) {
                        $0.mode = .hold
                        $0.alias = alias
                    }
                    try home.poller.reconfigure(next, sinks: [])
                }
            }
            let readings = home.store.readings.map(\.reading).filter { (100_000..<102_000).contains($0.time) }
            #expect(readings.count { $0.characteristic == BluetoothUUID(0x2A6E) } == 1)
            #expect(Set(readings.map(\.device)) == ["lounge"])
        }
    }

    @Test func refusesAConfigurationAfterItsEnd() async throws {
        try await Bench.run(.virtual, .house) { bench, world in
            let first = configuration(world, ["Living Room"])
            let home = Household(bench, world) { $0 = first }
            _ = try await home.keep(for: .seconds(60)) {}
            #expect(throws: UserError.self) {
                try home.poller.reconfigure(first, sinks: [])
            }
        }
    }
}
