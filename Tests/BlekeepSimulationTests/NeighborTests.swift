import BlekeepRecords
import BusBench
import DBus
import RunLoop
import Testing

@testable import BlekeepSimulation

/// Several worlds that hear the same peripherals.
struct NeighborTests {
    private static let living = ConnectTests.living
    private static let freezer = "F0:00:00:00:00:02"
    private static let door = "F0:00:00:00:00:05"

    /// Runs two gateways in virtual time, with a client on the bus of each.
    private func simulate<Success: Sendable>(
        _ scenarios: [Scenario] = Scenario.house.gateways(2), seed: UInt64 = 1,
        _ body: @escaping @Sendable (_ one: Client, _ other: Client, _ worlds: [World]) async throws -> Success
    ) async throws -> Success {
        try await Bench.run(.virtual, gateways: scenarios, seed: seed) { benches, worlds in
            try await body(try await Client.make(benches[0]), try await Client.make(benches[1]), worlds)
        }
    }

    private func isConnected(_ client: Client, _ address: String) async throws -> Bool {
        try await client.object(client.device(address)).get(Device1.connected, within: .seconds(1))
    }

    /// The times since `start` at which the client's bluetoothd heard a device.
    private func heard(_ client: Client, _ address: String, since start: Uptime) -> [Duration] {
        client.notes.filter { $0.at > start && $0.names(Device1.rssi, at: client.device(address)) }
            .map { $0.at - start }
    }

    /// The times at which connections to a device ended.
    private func ends(_ client: Client, _ address: String) -> [Uptime] {
        client.notes.filter { $0.says(Device1.connected, false, at: client.device(address)) }.map(\.at)
    }

    private let aborted = BusError.bluez("Failed", "le-connection-abort-by-local")

    // MARK: What each gateway hears

    @Test func eachHearsWithItsOwnStrength() async throws {
        try await simulate { one, other, _ in
            func strength(_ client: Client, _ address: String) async throws -> Int16? {
                let device = try await client.objects()[client.device(address)]
                return device?[Device1.name.text]?["RSSI"].flatMap { Int16($0.content) }
            }
            for client in [one, other] { try await client.startDiscovery() }
            try await one.pause(.seconds(5))
            #expect((-58...(-52)).contains(try await strength(one, Self.living) ?? 0))
            #expect((-70...(-64)).contains(try await strength(other, Self.living) ?? 0))
            #expect(try await strength(one, Self.door) == nil)
            #expect(try await strength(other, Self.door) != nil)
        }
    }

    @Test(arguments: 2...9) func gatewaysHearMostAndOneHearsTheLast(count: Int) {
        for scenario in Scenario.all where !scenario.peripherals.isEmpty {
            let gateways = scenario.gateways(count)
            let hosts = gateways.map(Host.init)
            let peripherals = scenario.peripherals.map { RadioPeripheral($0, seed: 1) }
            for peripheral in peripherals.dropLast() {
                #expect(hosts.allSatisfy { $0.reaches(peripheral, with: $0.radios[0]) })
                #expect(Set(hosts.map { $0.attenuations[peripheral.model.address] }).count == count)
            }
            #expect(
                peripherals.last.map { last in hosts.map { $0.reaches(last, with: $0.radios[0]) } }?.firstIndex(
                    of: true) == count - 1)
            #expect(Set(gateways.flatMap(\.adapters).map(\.address)).count == count)
        }
    }

    @Test func aScenarioForOneGatewayLosesNothing() {
        #expect(Scenario.house.gateways(1).map(\.attenuations) == [[:]])
    }

    @Test func aConnectBelowTheWeakestSignalFailsLikeOneOutOfRange() async throws {
        try await simulate { one, other, _ in
            let error = await failure { () throws(BusError) in try await one.connect(one.device(Self.door)) }
            #expect(error == aborted)
            #expect(one.loop.now.sinceStart == .seconds(40))
            try await other.open(other.device(Self.door))
        }
    }

    @Test func aPeripheralOfOneScenarioIsThereForAll() async throws {
        var scenarios = Scenario.fresh.gateways(2)
        scenarios[0].peripherals.removeLast(3)
        try await simulate(scenarios) { one, _, worlds in
            #expect(worlds[0].peripherals.count == 5 && worlds[1].peripherals.count == 5)
            try await one.startDiscovery()
            try await one.wait { $0.adds(one.device("F0:00:00:00:00:04")) }
        }
    }

    @Test func aWorldThatComesLaterBringsItsPeripherals() async throws {
        try await Bench.run(.virtual, .fresh) { bench, world in
            let client = try await Client.make(bench)
            try await client.startDiscovery()
            try await client.pause(.seconds(5))
            let later = World(scenario: .flaky, beside: world) { () async throws(BusError) -> any Bus in
                try await bench.connect()
            }
            try await client.pause(.seconds(1))
            #expect(client.notes.contains { $0.adds(client.device("F0:00:01:00:00:01")) })
            #expect(later.peripherals.count == 12)
        }
    }

    // MARK: One connection at a time

    @Test func whatOneHasConnectedTheOtherNeitherHearsNorConnects() async throws {
        try await simulate { one, other, _ in
            try await one.open(one.device(Self.living))
            let start = one.loop.now
            try await other.startDiscovery()
            let error = await failure { () throws(BusError) in try await other.connect(other.device(Self.living)) }
            #expect(error == aborted)
            #expect(other.loop.now - start == .seconds(40))
            #expect(heard(other, Self.living, since: start).isEmpty)
            #expect(!heard(other, Self.freezer, since: start).isEmpty)
            #expect(try await isConnected(one, Self.living))
            #expect(try await !isConnected(other, Self.living))
        }
    }

    @Test func whenTheConnectionEndsTheOtherHearsItAndItsWaitingConnectSucceeds() async throws {
        try await simulate { one, other, worlds in
            try await one.open(one.device(Self.living))
            try await other.startDiscovery()
            try await other.pause(.seconds(5))
            worlds[0].drop("Living Room")
            let start = other.loop.now
            try await other.pause(.milliseconds(400))
            #expect(heard(other, Self.living, since: start).count == 1)
            try await other.stopDiscovery()

            try await one.connect(one.device(Self.living))
            async let connecting: Void = other.connect(other.device(Self.living))
            try await other.pause(.seconds(10))
            let end = other.loop.now
            worlds[0].drop("Living Room")
            try await connecting
            #expect(other.loop.now - end < .seconds(1))
            #expect(try await !isConnected(one, Self.living))
        }
    }

    @Test func theFasterOfTwoConnectsGetsTheConnection() async throws {
        try await simulate { one, other, worlds in
            async let first = failure { () throws(BusError) in try await one.connect(one.device(Self.living)) }
            async let second = failure { () throws(BusError) in try await other.connect(other.device(Self.living)) }
            let errors = await [first, second]
            #expect(errors.count { $0 == nil } == 1 && errors.count { $0 == aborted } == 1)
            #expect(worlds[0].peripherals[0].connections == 1)
        }
    }

    @Test func aKilledBluetoothdFreesItsPeripherals() async throws {
        try await simulate { one, other, worlds in
            try await one.open(one.device(Self.living))
            async let connecting: Void = other.connect(other.device(Self.living))
            try await other.pause(.seconds(3))
            #expect(try await !isConnected(other, Self.living))
            worlds[0].restartBluez(after: .seconds(60))
            let start = other.loop.now
            try await connecting
            #expect(other.loop.now - start < .seconds(1))
        }
    }

    // MARK: What is shared

    @Test func valuesAndConnectionsAreShared() async throws {
        try await simulate { one, other, worlds in
            let probe = one.device("F0:00:00:00:00:04")
            let setting = SimulatedPeripheral.Vendor.interval
            try await one.open(probe)
            _ = try await one.object(try await one.characteristic(setting, of: probe)).call(
                GattCharacteristic1.writeValue, [30, 0], [:], within: .seconds(1))
            try await one.disconnect(probe)
            try await other.open(probe)
            #expect(try await other.read(try await other.characteristic(setting, of: probe)) == [30, 0])
            #expect(worlds.map { $0.peripherals[3].connections } == [2, 2])
        }
    }

    @Test func faultsOfAPeripheralAreThoseOfAllWorlds() async throws {
        try await simulate { one, other, worlds in
            try await one.open(one.device(Self.freezer))
            let start = one.loop.now
            worlds[1].hide("Freezer")
            try await one.pause(.seconds(5))
            #expect(ends(one, Self.freezer).map { $0 - start } == [.seconds(2)])
            try await other.startDiscovery()
            try await other.pause(.seconds(5))
            #expect(heard(other, Self.freezer, since: start).isEmpty)
            worlds[0].show("Freezer")
            try await other.pause(.seconds(1))
            #expect(!heard(other, Self.freezer, since: start).isEmpty)
        }
    }

    @Test func napsAreTheSameForAll() async throws {
        try await simulate(Array(repeating: Scenario.flaky, count: 2)) { one, other, _ in
            for client in [one, other] { try await client.startDiscovery() }
            try await one.pause(.seconds(70))
            for client in [one, other] {
                let heard = heard(client, "F0:00:01:00:00:03", since: Uptime(nanoseconds: 0))
                #expect(heard.contains { $0 < .seconds(15) } && heard.contains { $0 > .seconds(35) })
                #expect(!heard.contains { (Duration.seconds(15)...(.seconds(35))).contains($0) })
            }
        }
    }

    // MARK: Keys

    @Test func keysAreOfOneWorld() async throws {
        try await simulate(Array(repeating: Scenario.passkey, count: 2)) { one, other, worlds in
            let simple = "F0:00:04:00:00:04"
            func pair(_ client: Client) async throws {
                _ = try await client.object("/org/bluez").call(
                    AgentManager1.registerAgent, "/agent", "NoInputNoOutput", within: .seconds(1))
                try await client.startDiscovery()
                let device = client.device(simple)
                try await client.wait { $0.adds(device) }
                try await client.stopDiscovery()
                _ = try await client.object(device).call(Device1.pair, within: .seconds(20))
            }
            try await pair(one)
            #expect(worlds[0].isPaired(one.device(simple)) && !worlds[1].isPaired(other.device(simple)))
            try await one.disconnect(one.device(simple))
            worlds[1].loseBond("Simple")
            try await pair(other)
            #expect(worlds[1].isPaired(other.device(simple)))
            try await other.pause(.seconds(1))
            #expect(try await isConnected(other, simple))
            try await other.disconnect(other.device(simple))

            // The keys of the first world are lost, although the peripheral has some of the other one.
            try await one.connect(one.device(simple))
            try await one.pause(.seconds(1))
            #expect(try await !isConnected(one, simple))
            try await other.open(other.device(simple))
            try await other.pause(.seconds(1))
            let path = try await other.characteristic(0x2A6E, of: other.device(simple))
            #expect(try await other.read(path) == [0x4D, 0x08])
        }
    }

    // MARK: Roaming

    @Test func belowTheWeakestSignalAConnectionEndsThereAlone() async throws {
        try await simulate { one, other, worlds in
            let device = one.device(Self.living)
            try await one.open(device)
            try await one.startDiscovery()
            worlds[0].move("Living Room", attenuation: 40)
            try await one.pause(.seconds(5))
            #expect(try await isConnected(one, Self.living))
            let start = one.loop.now
            worlds[0].move("Living Room", attenuation: 41)
            try await one.pause(.seconds(5))
            #expect(ends(one, Self.living).map { $0 - start } == [.seconds(2)])

            try await other.open(other.device(Self.living))
            worlds[0].move("Living Room", attenuation: 80)
            try await other.pause(.seconds(10))
            #expect(try await isConnected(other, Self.living))
            try await other.disconnect(other.device(Self.living))
            try await other.pause(.seconds(5))
            #expect(heard(one, Self.living, since: start).isEmpty)
            let back = one.loop.now
            worlds[0].move("Living Room", attenuation: 0)
            try await one.pause(.seconds(1))
            #expect(!heard(one, Self.living, since: back).isEmpty)
        }
    }

    @Test func aPeripheralThatComesBackInTimeKeepsItsConnection() async throws {
        try await simulate { one, _, worlds in
            try await one.open(one.device(Self.living))
            worlds[0].move("Living Room", attenuation: 60)
            try await one.pause(.milliseconds(1900))
            worlds[0].move("Living Room", attenuation: 0)
            try await one.pause(.seconds(10))
            #expect(try await isConnected(one, Self.living))
        }
    }

    @Test func roamingIsAnEvent() async throws {
        var scenarios = Scenario.house.gateways(2)
        scenarios[0].events = [.init(after: .seconds(10)) { $0.move("Living Room", attenuation: 60) }]
        scenarios[1].events = [.init(after: .seconds(10)) { $0.move("Living Room", attenuation: 0) }]
        try await simulate(scenarios) { one, other, _ in
            for client in [one, other] { try await client.startDiscovery() }
            try await one.pause(.seconds(20))
            let start = Uptime(nanoseconds: 0)
            #expect(heard(one, Self.living, since: start).last.map { $0 < .seconds(10) } == true)
            #expect(heard(other, Self.living, since: start).last.map { $0 > .seconds(18) } == true)
            let strengths = other.notes.filter { $0.at.sinceStart > .seconds(11) }
                .compactMap { Properties($0.signal.arguments[1])?["RSSI"].flatMap { Int16($0.content) } }
            #expect(strengths.contains { $0 > -60 })
        }
    }

    // MARK: Time and buses

    @Test func oneSeedIsOneHouse() async throws {
        func notes(_ seed: UInt64) async throws -> [String] {
            try await simulate(seed: seed) { one, other, worlds in
                for client in [one, other] { try await client.startDiscovery() }
                for round in 0..<10 {
                    let (client, world) = round.isMultiple(of: 2) ? (one, worlds[0]) : (other, worlds[1])
                    try await client.open(client.device(Self.living))
                    try await client.pause(.seconds(3))
                    world.drop("Living Room")
                    try await client.pause(.seconds(3))
                }
                return (one.notes + other.notes).map { "\($0.at) \($0.signal.path) \($0.signal.member)" }
            }
        }
        let (first, again, other) = (try await notes(7), try await notes(7), try await notes(8))
        #expect(first.count > 200)
        #expect(first == again)
        #expect(first != other)
    }

    @Test func usersServeGatewaysOnBusesOfTheirOwn() async throws {
        let (addresses, areRunning) = try await World.serve(gateways: Scenario.house.gateways(3)) { worlds, addresses in
            worlds[0].move("Freezer", attenuation: 60)
            return (addresses, worlds.map(\.isRunning))
        }
        #expect(Set(addresses).count == 3 && addresses.allSatisfy { $0.hasPrefix("unix:path=/") })
        #expect(areRunning == [true, true, true])
    }
}
