import Blekeep
import BlekeepOutputs
import BlekeepSimulation
import BusBench
import DBus
import Logging
import RunLoop

/// Where the gateways of a fleet agree who reads a sensor.
package protocol FleetPlace: AnyObject {
    /// Whether it answers.
    var isUp: Bool { get set }

    /// Ends all connections, and answers no more.
    func fail()

    /// Cuts a gateway's network, or the power of its machine.
    ///
    /// - Parameter patience: after this time, the gateway notices it.
    func cut(_ gateway: String, noticedAfter patience: Duration)

    func mend(_ gateway: String)

    func makeSink(_ gateway: String, _ devices: [DeviceConfiguration]) -> any Sink
}

/// A broker in memory: it retains what gateways say, and says that a gateway is gone.
final class ModelBroker: FleetPlace {
    private var retained: [String: (isOnline: Bool, report: [UInt8]?)] = [:]
    private var clients: [ObjectIdentifier: FleetSink] = [:]
    private let loop: RunLoop
    var isUp = true
    /// The gateways whose network doesn't reach it.
    private var cutOff: Set<String> = []

    /// After this time without a sign of a client, the broker publishes its will.
    private static let will: Duration = .seconds(30)

    init(on loop: RunLoop) { self.loop = loop }

    func makeSink(_ gateway: String, _ devices: [DeviceConfiguration]) -> any Sink {
        FleetSink(gateway, devices, at: self, on: loop)
    }

    func connect(_ sink: FleetSink) -> Bool {
        guard isUp, !cutOff.contains(sink.gateway) else { return false }
        for (name, gateway) in retained where name != sink.gateway {
            sink.hear(name, isOnline: gateway.isOnline, isLive: false)
            if let report = gateway.report { sink.hear(name, report, isLive: false) }
        }
        clients[ObjectIdentifier(sink)] = sink
        return true
    }

    func begin(_ sink: FleetSink, _ report: [UInt8]) {
        retained[sink.gateway] = (false, nil)
        publish(report, of: sink)
        retained[sink.gateway]?.isOnline = true
        for other in others(sink) { other.hear(sink.gateway, isOnline: true, isLive: true) }
    }

    func cut(_ gateway: String, noticedAfter patience: Duration) {
        cutOff.insert(gateway)
        guard let sink = clients.values.first(where: { $0.gateway == gateway }) else { return }
        clients.removeValue(forKey: ObjectIdentifier(sink))
        loop.schedule(at: loop.now + patience) { if !sink.hasEnded { sink.lost() } }
        loop.schedule(at: loop.now + Self.will) { [self] in
            // Nobody has come back in its name.
            guard isUp, !clients.values.contains(where: { $0.gateway == gateway }) else { return }
            sayOffline(gateway)
        }
    }

    func mend(_ gateway: String) { cutOff.remove(gateway) }

    private func sayOffline(_ gateway: String) {
        retained[gateway]?.isOnline = false
        for other in clients.values where other.gateway != gateway {
            other.hear(gateway, isOnline: false, isLive: true)
        }
    }

    /// The will of a client, or its farewell.
    func leave(_ sink: FleetSink) {
        guard clients.removeValue(forKey: ObjectIdentifier(sink)) != nil else { return }
        sayOffline(sink.gateway)
    }

    func publish(_ report: [UInt8], of sink: FleetSink) {
        guard isUp, clients[ObjectIdentifier(sink)] != nil else { return }
        retained[sink.gateway]?.report = report
        for other in others(sink) { other.hear(sink.gateway, report, isLive: true) }
    }

    func fail() {
        isUp = false
        for sink in clients.values { sink.lost() }
        clients = [:]
    }

    private func others(_ sink: FleetSink) -> [FleetSink] { clients.values.filter { $0 !== sink } }
}

private struct NoBroker: Error {}

/// The part of a sink that makes gateways agree, with a broker in memory.
final class FleetSink: Sink, @unchecked Sendable {
    let gateway: String
    let delivery = SinkDelivery.newestFirst(rate: 1000)
    var onEvent: ((SinkEvent) -> Void)?
    private var fleet: FleetMember
    private let broker: ModelBroker
    private let loop: RunLoop
    private(set) var hasEnded = false
    private lazy var deciding = ClosureTimer { [unowned self] in self.decide() }
    private lazy var reporting = ClosureTimer { [unowned self] in self.report() }

    init(_ gateway: String, _ devices: [DeviceConfiguration], at broker: ModelBroker, on loop: RunLoop) {
        self.gateway = gateway
        self.broker = broker
        self.loop = loop
        fleet = FleetMember(fleet: "home", gateway: gateway, devices, at: loop.now)
    }

    func send(_ readings: [LiveReading], isLive: Bool, key: Int?) {
        if let key { loop.soon { self.onEvent?(.confirmed(key)) } }
    }

    func connect() {
        loop.soon { [self] in
            guard !hasEnded else { return }
            guard broker.connect(self) else { onEvent?(.lost(NoBroker())); return }
            broker.begin(self, fleet.payload)
            onEvent?(.connected)
            loop.arm(reporting, at: loop.now + .seconds(60))
            fleet.looked(at: loop.now)
            decide()
        }
    }

    func lost() {
        fleet.disconnected(at: loop.now)
        onEvent?(.lost(NoBroker()))
    }

    func hear(_ gateway: String, isOnline: Bool, isLive: Bool) {
        fleet.heard(of: gateway, isOnline: isOnline, at: loop.now)
        fleet.heard(of: gateway, isLive: isLive, at: loop.now)
        loop.soon { self.decide() }
    }

    func hear(_ gateway: String, _ report: [UInt8], isLive: Bool) {
        fleet.heard(of: gateway, report, at: loop.now)
        fleet.heard(of: gateway, isLive: isLive, at: loop.now)
        loop.soon { self.decide() }
    }

    func note(_ changes: LedgerChanges, _ heartbeat: Heartbeat?) {
        if fleet.apply(changes, time: 0) { report() }
        decide()
    }

    /// As each gateway does once a minute.
    private func report() {
        guard !hasEnded else { return }
        broker.publish(fleet.payload, of: self)
        loop.arm(reporting, at: loop.now + .seconds(60))
    }

    private func decide() {
        for command in fleet.decide(at: loop.now) { onEvent?(.decided(command)) }
        let next = fleet.nextDecision(after: loop.now)
        if next < .never { loop.arm(deciding, at: next) }
    }

    func end() {
        hasEnded = true
        loop.disarm(deciding)
        broker.leave(self)
    }
}

/// A database in memory that gives each sensor to one gateway.
final class ModelDatabase: FleetPlace {
    private var store = ModelStore()
    private var clients: [ObjectIdentifier: ClaimSink] = [:]
    private var cutOff: Set<String> = []
    private let loop: RunLoop
    var isUp = true

    init(on loop: RunLoop) { self.loop = loop }

    func makeSink(_ gateway: String, _ devices: [DeviceConfiguration]) -> any Sink {
        ClaimSink(gateway, devices, at: self, on: loop)
    }

    func connect(_ sink: ClaimSink) -> Bool {
        guard isUp, !cutOff.contains(sink.gateway) else { return false }
        clients[ObjectIdentifier(sink)] = sink
        return true
    }

    /// - Returns: `nil` when no answer comes.
    func tick(_ tick: OwnershipTick, of sink: ClaimSink) -> OwnershipAnswer? {
        guard clients[ObjectIdentifier(sink)] != nil, !cutOff.contains(sink.gateway) else { return nil }
        store.now = Int(loop.now.sinceStart.components.seconds)
        return store.tick(sink.gateway, tick)
    }

    func leave(_ sink: ClaimSink) {
        guard clients.removeValue(forKey: ObjectIdentifier(sink)) != nil, !cutOff.contains(sink.gateway) else { return }
        store.leave(sink.gateway)
    }

    func cut(_ gateway: String, noticedAfter patience: Duration) {
        cutOff.insert(gateway)
        guard let sink = clients.values.first(where: { $0.gateway == gateway }) else { return }
        clients.removeValue(forKey: ObjectIdentifier(sink))
        loop.schedule(at: loop.now + patience) { if !sink.hasEnded { sink.lost() } }
    }

    func mend(_ gateway: String) { cutOff.remove(gateway) }

    func fail() {
        isUp = false
        for sink in clients.values { sink.lost() }
        clients = [:]
    }
}

/// The part of a sink that makes gateways agree, with a database in memory.
final class ClaimSink: Sink, @unchecked Sendable {
    let gateway: String
    let delivery = SinkDelivery.newestFirst(rate: 1000)
    var onEvent: ((SinkEvent) -> Void)?
    private let ticker: OwnershipTicker
    private let database: ModelDatabase
    private let loop: RunLoop
    private(set) var hasEnded = false

    init(_ gateway: String, _ devices: [DeviceConfiguration], at database: ModelDatabase, on loop: RunLoop) {
        self.gateway = gateway
        self.database = database
        self.loop = loop
        ticker = OwnershipTicker(FleetClaims(fleet: "home", gateway: gateway, devices, at: loop.now), on: loop)
        ticker.onDecision = { [unowned self] in self.onEvent?(.decided($0)) }
        ticker.onTick = { [unowned self] tick in
            guard let answer = self.database.tick(tick, of: self) else { return }
            self.loop.soon { if !self.hasEnded { self.ticker.answered(answer) } }
        }
    }

    func send(_ readings: [LiveReading], isLive: Bool, key: Int?) {
        if let key { loop.soon { self.onEvent?(.confirmed(key)) } }
    }

    func connect() {
        loop.soon { [self] in
            guard !hasEnded else { return }
            guard database.connect(self) else { onEvent?(.lost(NoBroker())); return }
            onEvent?(.connected)
            ticker.begin()
        }
    }

    func lost() {
        ticker.pause()
        onEvent?(.lost(NoBroker()))
    }

    func note(_ changes: LedgerChanges, _ heartbeat: Heartbeat?) {
        _ = ticker.apply(changes, time: 0)
    }

    func note(_ device: DeviceID, rssi: Int) { ticker.heard(device, rssi: rssi) }

    func end() {
        hasEnded = true
        ticker.end()
        database.leave(self)
    }
}

/// Gateways of one house with sensors that several of them may read.
package final class FleetHouse: @unchecked Sendable {
    package static let address = BluetoothAddress(bits: 0xF000_0000_0001)
    package let worlds: [World]
    package let place: any FleetPlace
    private let benches: [Bench]
    private let devices: [DeviceConfiguration]
    private let interval: Duration
    private var pollers: [Int: Poller] = [:]
    /// The gateways that read a sensor, with the second.
    package private(set) var reads: [(gateway: Int, device: DeviceID, at: Double)] = []

    var loop: RunLoop { benches[0].loop }
    package var now: Double { loop.now.sinceStart / .seconds(1) }

    package init(
        _ benches: [Bench], _ worlds: [World], devices: [DeviceConfiguration], interval: Duration = .seconds(30),
        byDatabase: Bool = false
    ) {
        self.benches = benches
        self.worlds = worlds
        self.devices = devices
        self.interval = interval
        let loop = benches[0].loop
        place = byDatabase ? ModelDatabase(on: loop) : ModelBroker(on: loop)
    }

    package static func name(_ index: Int) -> String { "g\(index)" }

    package static func scenarios(_ count: Int) -> [Scenario] {
        let service = SimulatedService(
            BluetoothUUID(0x181A), [SimulatedCharacteristic(BluetoothUUID(0x2A6E), constant: [0xD2, 0x04])])
        let sensor = SimulatedPeripheral("Roof", address, acquaintance: .none, services: [service])
        return Scenario("roof", "a sensor under the roof", peripherals: [sensor]).gateways(count)
    }

    /// A store that notes who reads, and forgets.
    private final class Shelf: Ledger, @unchecked Sendable {
        private let note: (DeviceID) -> Void
        private var last: Int64 = 0

        init(_ note: @escaping (DeviceID) -> Void) { self.note = note }

        func append(
            _ new: [Reading], _ heartbeat: Heartbeat?, _ changes: LedgerChanges, durable: Bool
        ) throws -> [StoredReading] {
            let read = new.filter { if case .value = $0.outcome { true } else { false } }
            for device in Set(read.map(\.id)) { note(device) }
            return new.map { reading in
                last += 1
                return StoredReading(sequence: last, reading: reading)
            }
        }

        func lastKnown() throws -> (statuses: [DeviceStatus], entries: [LedgerEntry]) { ([], []) }
    }

    /// Runs a gateway until it is stopped.
    package func run(_ index: Int) async {
        let (loop, name) = (loop, Self.name(index))
        let own = devices.filter {
            $0.gateways.contains(name) || $0.gateways.contains(DeviceConfiguration.anyGateway)
        }
        let sink = place.makeSink(name, own)
        let bench = benches[index]
        let poller = Poller(
            PollConfiguration(interval: interval, devices: own), on: loop,
            store: Shelf { [unowned self] in self.reads.append((index, $0, self.now)) }, sinks: [sink],
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

    package func stop(_ index: Int) { pollers.removeValue(forKey: index)?.stop() }

    package func sleep(_ seconds: Int) async throws { try await loop.sleep(until: loop.now + .seconds(seconds)) }

    /// The gateways that read the sensor since a second.
    package func readers(since second: Double) -> Set<Int> { Set(reads.filter { $0.at >= second }.map(\.gateway)) }

    /// The longest time without a value since a second.
    package func longestGap(since second: Double) -> Double {
        let times = [second] + reads.map(\.at).filter { $0 >= second } + [now]
        return zip(times, times.dropFirst()).map { $1 - $0 }.max() ?? 0
    }
}

/// A fleet with a broker, and faults at random moments, which depend only on the seed: gateways that end and start, with and
/// without a farewell, networks that are cut, a broker that comes and goes, sensors that roam, connections that break.
package enum FleetLife {
    package struct Outcome: Sendable {
        package let seed: UInt64
        /// What must not happen, in words.
        package let violations: [String]
        /// How often a gateway read a sensor.
        package let reads: Int
        package let hours: Double
    }

    private static let interval = 10.0
    /// The longest time for which two gateways may read a sensor by turns after a fault: until the broker publishes the will
    /// of one, and 30 s. A tick more, because reads are what is seen.
    private static let maxOverlap = 30 + 30 + interval
    /// The sensors, by how they are read.
    private static let modes: [LinkMode] = [.release, .hold, .auto, .passive]

    private static var peripherals: [SimulatedPeripheral] {
        modes.indices.map { index in
            let address = BluetoothAddress(bits: FleetHouse.address.bits + UInt64(index))
            guard modes[index] == .passive else {
                let service = SimulatedService(
                    BluetoothUUID(0x181A), [SimulatedCharacteristic(BluetoothUUID(0x2A6E), constant: [0xD2, 0x04])])
                return SimulatedPeripheral("S\(index)", address, acquaintance: .none, services: [service])
            }
            return .bthomeThermometer("S\(index)", address: address, temperature: -310...240).known(.none)
        }
    }

    /// A random order of the gateways for each sensor.
    private static func devices(_ random: inout SplitMix64, gateways: Int) -> [DeviceConfiguration] {
        zip(modes, peripherals).map { mode, peripheral in
            var device = DeviceConfiguration(alias: peripheral.name, address: peripheral.address, mode: mode)
            let names = (0..<gateways).map(FleetHouse.name).shuffled(using: &random)
            device.gateways = Array(names.prefix(DeviceConfiguration.maxGateways))
            return device
        }
    }

    /// Runs a seed: a random fault each half to four and a half minutes, and then 25 minutes without faults.
    package static func run(
        seed: UInt64, gateways: Int, faults: Int = 100, byDatabase: Bool = false
    ) async throws -> Outcome {
        var random = SplitMix64(seed: seed)
        let devices = devices(&random, gateways: gateways)
        let generator = random
        let scenario = Scenario("fleet", "sensors of many gateways", peripherals: peripherals)
        return try await Bench.run(.virtual, gateways: scenario.gateways(gateways)) { benches, worlds in
            let house = FleetHouse(
                benches, worlds, devices: devices, interval: .seconds(interval), byDatabase: byDatabase)
            let run = Run(house, devices, count: gateways, generator)
            for sensor in devices.indices { run.roam(sensor) }
            return try await withThrowingTaskGroup(of: Void.self) { group in
                for index in 0..<gateways { group.addTask { await house.run(index) } }
                for _ in 0..<faults {
                    try await house.sleep(30 + run.number(below: 240))
                    run.disturb(&group)
                }
                run.heal(&group)
                try await house.sleep(1500)
                let quiet = house.now
                try await house.sleep(90)
                let outcome = Outcome(
                    seed: seed, violations: run.violations(since: quiet, byDatabase: byDatabase),
                    reads: house.reads.count,
                    hours: house.now / 3600)
                for index in 0..<gateways { house.stop(index) }
                try await group.waitForAll()
                return outcome
            }
        }
    }

    private final class Run: @unchecked Sendable {
        let house: FleetHouse
        private let devices: [DeviceConfiguration]
        private let count: Int
        private var random: SplitMix64
        /// The gateways that run, or are about to start.
        private var running: Set<Int>
        /// The times without a connection between the broker and a gateway, or all of them, in seconds.
        private var partitions: [(gateway: Int?, from: Double, until: Double)] = []
        /// The gateways that hear each sensor.
        private var hearers: [Int: Set<Int>] = [:]

        init(_ house: FleetHouse, _ devices: [DeviceConfiguration], count: Int, _ random: SplitMix64) {
            (self.house, self.devices, self.count, self.random) = (house, devices, count, random)
            running = Set(0..<count)
        }

        func number(below limit: Int) -> Int { Int(random.next() % UInt64(limit)) }

        /// Carries a sensor to another place, where some gateways hear it: at least one that may read it.
        func roam(_ sensor: Int) {
            var hearing = Set((0..<count).filter { _ in number(below: 3) == 0 })
            let own = devices[sensor].gateways[number(below: min(3, count))]
            hearing.formUnion((0..<count).filter { FleetHouse.name($0) == own })
            for index in 0..<count {
                house.worlds[index].move("S\(sensor)", attenuation: hearing.contains(index) ? 0 : 100)
            }
            hearers[sensor] = hearing
        }

        func disturb(_ group: inout ThrowingTaskGroup<Void, any Error>) {
            let index = number(below: count)
            let name = FleetHouse.name(index)
            switch number(below: 7) {
            case 0, 1:
                if running.remove(index) != nil {
                    // Without power, no farewell reaches the broker.
                    if number(below: 2) == 0 { house.place.cut(name, noticedAfter: .seconds(600)) }
                    house.stop(index)
                } else {
                    start(index, &group)
                }
            case 2:
                house.place.cut(name, noticedAfter: .seconds(20 + number(below: 20)))
                partitions.append((index, house.now, .infinity))
            case 3: mend(index)
            case 4: house.worlds[index].drop("S\(number(below: devices.count))")
            case 5: roam(number(below: devices.count))
            default:
                if house.place.isUp {
                    house.place.fail()
                    partitions.append((nil, house.now, .infinity))
                } else {
                    house.place.isUp = true
                    endPartitions(of: nil)
                }
            }
        }

        private func start(_ index: Int, _ group: inout ThrowingTaskGroup<Void, any Error>) {
            mend(index)
            running.insert(index)
            let house = house
            group.addTask { await house.run(index) }
        }

        private func mend(_ index: Int) {
            house.place.mend(FleetHouse.name(index))
            endPartitions(of: index)
        }

        private func endPartitions(of gateway: Int?) {
            for index in partitions.indices where partitions[index].gateway == gateway {
                // Sinks connect again after up to a minute.
                partitions[index].until = min(partitions[index].until, house.now + 60)
            }
        }

        func heal(_ group: inout ThrowingTaskGroup<Void, any Error>) {
            house.place.isUp = true
            endPartitions(of: nil)
            for index in 0..<count { running.contains(index) ? mend(index) : start(index, &group) }
        }

        // MARK: What must hold

        /// In the end one gateway reads each sensor, and the first that hears it if no connection keeps it from that. Before,
        /// two gateways read a sensor by turns for a short time only, unless they can't agree.
        func violations(since quiet: Double, byDatabase: Bool) -> [String] {
            devices.enumerated().flatMap { sensor, device -> [String] in
                var all: [String] = []
                let reads = house.reads.filter { $0.device == device.id }
                let last = Set(reads.filter { $0.at >= quiet }.map { FleetHouse.name($0.gateway) })
                let order = device.gateways.filter { name in
                    hearers[sensor]?.contains { FleetHouse.name($0) == name } ?? false
                }
                // In a database, a sensor stays with who reads it, too, unless an earlier gateway hears it well.
                let mayStay = device.mode == .hold || device.mode == .auto || byDatabase
                if mayStay ? last.count != 1 : last != Set(order.prefix(1)) {
                    all.append("\(device.name) is read by \(last.sorted()) in the end, and heard by \(order)")
                }
                for overlap in Self.overlaps(reads) where overlap.until - overlap.from > maxOverlap {
                    guard !isPartition(overlap) else { continue }
                    let names = overlap.gateways.map(FleetHouse.name).sorted()
                    all.append("\(device.name) is read by \(names) from \(overlap.from) to \(overlap.until)")
                }
                return all
            }
        }

        private typealias Overlap = (from: Double, until: Double, gateways: Set<Int>)

        private func isPartition(_ overlap: Overlap) -> Bool {
            partitions.contains { partition in
                (partition.gateway.map(overlap.gateways.contains) ?? true) && partition.from <= overlap.until
                    && partition.until + maxOverlap >= overlap.until
            }
        }

        /// The times in which two gateways read a sensor by turns.
        private static func overlaps(_ reads: [(gateway: Int, device: DeviceID, at: Double)]) -> [Overlap] {
            var all: [Overlap] = []
            for index in reads.indices.dropFirst(2) {
                let (first, second, third) = (reads[index - 2], reads[index - 1], reads[index])
                let isByTurns = first.gateway == third.gateway && second.gateway != third.gateway
                guard isByTurns, third.at - first.at < 4 * interval else { continue }
                if let last = all.last, first.at <= last.until {
                    all[all.count - 1].until = third.at
                    all[all.count - 1].gateways.formUnion([first.gateway, second.gateway])
                } else {
                    all.append((first.at, third.at, [first.gateway, second.gateway]))
                }
            }
            return all
        }
    }
}
