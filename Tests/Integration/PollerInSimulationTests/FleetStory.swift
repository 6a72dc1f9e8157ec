import BlekeepSimulation
import BusBench
import DBus
import Logging
import RunLoop
import Testing

@testable import Blekeep
@testable import BlekeepOutputs

/// A broker in memory: it retains what gateways say, and says that a gateway is gone.
private final class ModelBroker {
    private var retained: [String: (isOnline: Bool, report: [UInt8]?)] = [:]
    private var clients: [ObjectIdentifier: FleetSink] = [:]
    var isUp = true

    func connect(_ sink: FleetSink) -> Bool {
        guard isUp else { return false }
        for (name, gateway) in retained where name != sink.gateway {
            sink.hear(name, isOnline: gateway.isOnline)
            if let report = gateway.report { sink.hear(name, report) }
        }
        clients[ObjectIdentifier(sink)] = sink
        return true
    }

    func begin(_ sink: FleetSink, _ report: [UInt8]) {
        retained[sink.gateway] = (false, nil)
        publish(report, of: sink)
        retained[sink.gateway]?.isOnline = true
        for other in others(sink) { other.hear(sink.gateway, isOnline: true) }
    }

    /// The will of a client, or its farewell.
    func leave(_ sink: FleetSink) {
        guard clients.removeValue(forKey: ObjectIdentifier(sink)) != nil else { return }
        retained[sink.gateway]?.isOnline = false
        for other in clients.values { other.hear(sink.gateway, isOnline: false) }
    }

    func publish(_ report: [UInt8], of sink: FleetSink) {
        guard isUp, clients[ObjectIdentifier(sink)] != nil else { return }
        retained[sink.gateway]?.report = report
        for other in others(sink) { other.hear(sink.gateway, report) }
    }

    func fail() {
        isUp = false
        for sink in clients.values { sink.lost() }
        clients = [:]
    }

    private func others(_ sink: FleetSink) -> [FleetSink] { clients.values.filter { $0 !== sink } }
}

/// The part of a sink that makes gateways agree, with a broker in memory.
private final class FleetSink: Sink, @unchecked Sendable {
    let gateway: String
    let delivery = SinkDelivery.newestFirst(rate: 1000)
    var onEvent: ((SinkEvent) -> Void)?
    private var fleet: MQTTFleet
    private let broker: ModelBroker
    private let loop: RunLoop
    private lazy var deciding = ClosureTimer { [unowned self] in self.decide() }

    init(_ gateway: String, _ devices: [DeviceConfiguration], at broker: ModelBroker, on loop: RunLoop) {
        self.gateway = gateway
        self.broker = broker
        self.loop = loop
        fleet = MQTTFleet(fleet: "home", gateway: gateway, devices, at: loop.now)
    }

    func send(_ readings: [LiveReading], isLive: Bool, key: Int?) {
        if let key { loop.soon { self.onEvent?(.confirmed(key)) } }
    }

    func connect() {
        loop.soon { [self] in
            guard broker.connect(self) else { onEvent?(.lost(MQTTError("no broker"))); return }
            broker.begin(self, fleet.payload)
            onEvent?(.connected)
            fleet.looked()
            decide()
        }
    }

    func lost() {
        fleet.disconnected(at: loop.now)
        onEvent?(.lost(MQTTError("the broker is gone")))
    }

    func hear(_ gateway: String, isOnline: Bool) {
        fleet.heard(of: gateway, isOnline: isOnline, at: loop.now)
        loop.soon { self.decide() }
    }

    func hear(_ gateway: String, _ report: [UInt8]) {
        fleet.heard(of: gateway, report, at: loop.now)
        loop.soon { self.decide() }
    }

    func note(_ changes: LedgerChanges, _ heartbeat: Heartbeat?) {
        if fleet.apply(changes, time: 0) { broker.publish(fleet.payload, of: self) }
        decide()
    }

    private func decide() {
        for command in fleet.decide(at: loop.now) { onEvent?(.decided(command)) }
        let next = fleet.nextDecision(after: loop.now)
        if next < .never { loop.arm(deciding, at: next) }
    }

    func end() {
        loop.disarm(deciding)
        broker.leave(self)
    }
}

/// Gateways of one house with a sensor that each of them may read.
private final class FleetHouse: @unchecked Sendable {
    static let address = BluetoothAddress(bits: 0xF000_0000_0001)
    let worlds: [World]
    let broker = ModelBroker()
    private let benches: [Bench]
    private let mode: LinkMode
    private var pollers: [Int: Poller] = [:]
    /// The gateways that read the sensor, with the second.
    private(set) var reads: [(gateway: Int, at: Double)] = []

    var loop: RunLoop { benches[0].loop }
    var now: Double { loop.now.sinceStart / .seconds(1) }

    init(_ benches: [Bench], _ worlds: [World], mode: LinkMode) {
        self.benches = benches
        self.worlds = worlds
        self.mode = mode
    }

    static func scenarios(_ count: Int) -> [Scenario] {
        let service = SimulatedService(
            BluetoothUUID(0x181A), [SimulatedCharacteristic(BluetoothUUID(0x2A6E), constant: [0xD2, 0x04])])
        let sensor = SimulatedPeripheral("Roof", address, acquaintance: .none, services: [service])
        return Scenario("roof", "a sensor under the roof", peripherals: [sensor]).gateways(count)
    }

    /// A store that notes who reads.
    private final class Shelf: Ledger, @unchecked Sendable {
        let inner = MemoryLedger()
        let note: (Int) -> Void
        init(_ note: @escaping (Int) -> Void) { self.note = note }

        func append(
            _ new: [Reading], _ heartbeat: Heartbeat?, _ changes: LedgerChanges, durable: Bool
        ) throws -> [StoredReading] {
            let values = new.count { if case .value = $0.outcome { true } else { false } }
            if values > 0 { note(values) }
            return try inner.append(new, heartbeat, changes, durable: durable)
        }

        func lastKnown() throws -> (statuses: [DeviceStatus], entries: [LedgerEntry]) { try inner.lastKnown() }
    }

    /// Runs a gateway until it is stopped.
    func run(_ index: Int) async {
        var device = DeviceConfiguration(alias: "roof", address: Self.address, mode: mode)
        device.gateways = worlds.indices.map { "g\($0)" }
        let loop = loop
        let sink = FleetSink("g\(index)", [device], at: broker, on: loop)
        let bench = benches[index]
        let poller = Poller(
            PollConfiguration(interval: .seconds(30), devices: [device]), on: loop,
            store: Shelf { [unowned self] _ in self.reads.append((index, self.now)) }, sinks: [sink],
            log: Logger(label: "fleet") { _ in SwiftLogNoOpLogHandler() },
            wallTime: { loop.now.nanoseconds / 1_000_000 },
            clocks: {
                ClockReading(
                    boot: "this", sinceBoot: loop.now.sinceStart, awake: loop.now.sinceStart,
                    time: loop.now.nanoseconds / 1_000_000)
            },
            supply: { SupplyFacts(state: .unknown) }
        ) { () async throws(BusError) in try await bench.connect() }
        pollers[index] = poller
        _ = await poller.run()
    }

    func stop(_ index: Int) { pollers.removeValue(forKey: index)?.stop() }

    func sleep(_ seconds: Int) async throws { try await loop.sleep(until: loop.now + .seconds(seconds)) }

    /// The gateways that read the sensor since a second.
    func readers(since second: Double) -> Set<Int> { Set(reads.filter { $0.at >= second }.map(\.gateway)) }

    /// The longest time without a value since a second.
    func longestGap(since second: Double) -> Double {
        let times = [second] + reads.map(\.at).filter { $0 >= second } + [now]
        return zip(times, times.dropFirst()).map { $1 - $0 }.max() ?? 0
    }
}

/// Three pollers in one house, in virtual time.
@Suite struct FleetTests {
    private static func tell(
        _ mode: LinkMode, _ script: @escaping @Sendable (FleetHouse) async throws -> Void
    ) async throws {
        try await Bench.run(.virtual, gateways: FleetHouse.scenarios(3)) { benches, worlds in
            let house = FleetHouse(benches, worlds, mode: mode)
            try await withThrowingTaskGroup(of: Void.self) { group in
                for index in 0..<3 { group.addTask { await house.run(index) } }
                try await script(house)
                for index in 0..<3 { house.stop(index) }
                try await group.waitForAll()
            }
        }
    }

    @Test(arguments: [LinkMode.release, .hold, .auto]) func theFirstReadsAndOthersListen(mode: LinkMode) async throws {
        try await Self.tell(mode) { house in
            try await house.sleep(1800)
            #expect(house.readers(since: 0) == [0])
            #expect(house.longestGap(since: 0) < 45, "\(house.longestGap(since: 0)) s")
        }
    }

    @Test(arguments: [LinkMode.release, .hold])
    func theNextOneTakesOverAndGivesTheDeviceBack(mode: LinkMode) async throws {
        try await Self.tell(mode) { house in
            try await house.sleep(300)
            house.stop(0)
            let end = house.now
            try await house.sleep(300)
            #expect(house.readers(since: end + 1) == [1])
            #expect(house.longestGap(since: end) < 75, "\(house.longestGap(since: end)) s")
            let start = house.now
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { await house.run(0) }
                try await house.sleep(590)
                #expect(house.readers(since: start) == [1])
                try await house.sleep(200)
                // A connection that is held goes on until it ends.
                if mode == .hold {
                    #expect(house.readers(since: start) == [1])
                    house.worlds[1].drop("Roof")
                    try await house.sleep(200)
                }
                let back = house.now
                try await house.sleep(300)
                #expect(house.readers(since: back) == [0])
                #expect(house.longestGap(since: start) < 75, "\(house.longestGap(since: start)) s")
                house.stop(0)
                try await group.waitForAll()
            }
        }
    }

    @Test func aSensorThatRoamsIsReadByWhoeverHearsIt() async throws {
        try await Self.tell(.auto) { house in
            try await house.sleep(300)
            for index in 0..<2 { house.worlds[index].move("Roof", attenuation: 100) }
            let left = house.now
            try await house.sleep(900)
            #expect(house.readers(since: left + 400) == [2])
            #expect(house.longestGap(since: left) < 400, "\(house.longestGap(since: left)) s")
        }
    }

    @Test func withoutTheBrokerTheReaderGoesOnAndNobodyElseBegins() async throws {
        try await Self.tell(.auto) { house in
            try await house.sleep(300)
            house.broker.fail()
            try await house.sleep(900)
            #expect(house.readers(since: 0) == [0])
            house.broker.isUp = true
            try await house.sleep(900)
            #expect(house.readers(since: 0) == [0])
            #expect(house.longestGap(since: 0) < 45)
        }
    }
}
