import Blekeep
import BlekeepSimulation
import BusBench
import DBus
import Logging
import RunLoop
import Testing

/// A ledger in memory.
final class MemoryLedger: Ledger, @unchecked Sendable {
    private(set) var readings: [StoredReading] = []
    private(set) var statuses: [BluetoothAddress: DeviceStatus] = [:]
    private(set) var poller: GatewayStatus?
    private(set) var entries: [LedgerEntry] = []
    private(set) var rules: [RuleKey: RuleStatus] = [:]
    private var heartbeat: Heartbeat?

    func lastHeartbeat() throws -> Heartbeat? { heartbeat }

    func append(
        _ new: [Reading], _ heartbeat: Heartbeat?, _ changes: LedgerChanges, durable: Bool
    ) throws -> [StoredReading] {
        for status in changes.statuses { statuses[status.address] = status }
        poller = changes.poller ?? poller
        self.heartbeat = heartbeat ?? self.heartbeat
        for rule in changes.rules { rules[RuleKey(rule)] = rule }
        for entry in changes.entries {
            entries.removeAll { $0.device == entry.device && $0.number == entry.number }
            entries.append(entry)
        }
        let first = Int64(readings.count)
        let stored = new.enumerated().map { StoredReading(sequence: first + Int64($0.offset) + 1, reading: $0.element) }
        readings += stored
        return stored
    }

    func lastKnown() throws -> (statuses: [DeviceStatus], entries: [LedgerEntry]) {
        let last = Dictionary(entries.map { ($0.device, $0) }) { $0.number > $1.number ? $0 : $1 }
        return (Array(statuses.values), Array(last.values))
    }

    func lastRules() throws -> [RuleStatus] { Array(rules.values) }
}

/// A poller in a house with one fault in the middle, and the ledger's entries.
final class FaultStory: @unchecked Sendable {
    static let begin: Double = 95
    let bench: Bench
    let world: World
    let store = MemoryLedger()
    let deafness = Deafness()
    /// How far the wall's clock is ahead of the time that passes.
    var skew: Int64 = 0
    private(set) var log: [String] = []
    private var poller: Poller?

    private init(_ bench: Bench, _ world: World) {
        self.bench = bench
        self.world = world
    }

    /// Lets the fault begin after 95 s, looks at the ledger shortly before it ends, and stays for a while.
    ///
    /// - Parameters:
    ///   - length: the seconds from its beginning to its end.
    ///   - during: shortly before the end.
    static func tell(
        _ scenario: Scenario = .house, for length: Double = 120, staying: Double = 120,
        interval: Duration = .seconds(10), change: @escaping @Sendable (inout PollConfiguration) -> Void = { _ in },
        begin fault: @escaping @Sendable (FaultStory) throws -> Void,
        during look: @escaping @Sendable (FaultStory) -> Void = { _ in },
        end heal: @escaping @Sendable (FaultStory) throws -> Void
    ) async throws -> FaultStory {
        try await Bench.run(.virtual, scenario) { bench, world in
            let story = FaultStory(bench, world)
            let poller = story.makePoller(interval, change)
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { _ = await poller.run() }
                try await story.at(begin)
                try fault(story)
                try await story.at(begin + length - 1)
                look(story)
                try await story.at(begin + length)
                try heal(story)
                try await story.at(begin + length + staying)
                poller.stop()
                try await group.waitForAll()
            }
            return story
        }
    }

    private func at(_ seconds: Double) async throws {
        try await bench.loop.sleep(until: .start + .milliseconds(Int(seconds * 1000)))
    }

    private func makePoller(_ interval: Duration, _ change: (inout PollConfiguration) -> Void) -> Poller {
        let loop = bench.loop
        let (bench, deafness) = (bench, deafness)
        var configuration = PollConfiguration(
            interval: interval,
            devices: world.scenario.peripherals.map { DeviceConfiguration(alias: $0.name, address: $0.address) })
        change(&configuration)
        let poller = Poller(
            configuration, on: loop, store: store, sinks: [],
            log: Logger(label: "story") { _ in SwiftLogNoOpLogHandler() },
            wallTime: { [unowned self] in loop.now.nanoseconds / 1_000_000 + self.skew },
            supply: { SupplyFacts(state: .unknown) }
        ) { () async throws(BusError) in DeafBus(try await bench.connect(), deafness) }
        self.poller = poller
        return poller
    }

    // MARK: Queries

    func address(_ name: String) -> BluetoothAddress? {
        world.scenario.peripherals.first { $0.name == name }?.address
    }

    func status(_ name: String) -> DeviceStatus? { address(name).flatMap { store.statuses[$0] } }

    /// The seconds at which good values of a device came, with a skew taken away that was there all the time.
    func moments(_ name: String) -> [Double] {
        store.readings.map(\.reading).filter { reading in
            guard case .value = reading.outcome else { return false }
            return reading.device == name && reading.tick > 0
        }.map { Double($0.time) / 1000 }
    }

    /// Returns the readings of a characteristic that was good.
    func readings(_ name: String, _ characteristic: BluetoothUUID) -> [Reading] {
        store.readings.map(\.reading).filter { reading in
            guard case .value = reading.outcome else { return false }
            return reading.device == name && reading.characteristic == characteristic
        }
    }

    func failures(_ name: String) -> [ReadingFailure] {
        store.readings.compactMap { stored in
            guard stored.reading.device == name, case .failure(let failure, _) = stored.reading.outcome else {
                return nil
            }
            return failure
        }
    }

    /// When the device's first value after this time came.
    func first(_ name: String, after moment: Double) -> Double { moments(name).first { $0 >= moment } ?? .infinity }

    /// The longest delay of the device's readings in seconds. A coalesced tick comes early, and has a negative delay.
    func lateness(_ name: String, of interval: Double = 10) -> Double {
        let ticks = store.readings.map(\.reading).filter { $0.device == name && $0.tick > 1 }
        return ticks.map { Double($0.time) / 1000 - Double($0.tick - 1) * interval }.max() ?? .infinity
    }

    /// Whether nothing was made up: no value twice in a tick, none from a time at which none could come.
    func isTrue(_ name: String, silent: ClosedRange<Double>) -> Bool {
        var seen: Set<String> = []
        for stored in store.readings where stored.reading.device == name && stored.reading.tick > 0 {
            guard case .value(let measurement, _) = stored.reading.outcome else { continue }
            if silent.contains(Double(stored.reading.time) / 1000) { return false }
            let key =
                "\(stored.reading.tick) \(String(describing: stored.reading.characteristic)) "
                + "\(String(describing: stored.reading.service)) \(measurement.field)"
            if !seen.insert(key).inserted { return false }
        }
        return true
    }

    /// Whether sequence numbers go on by one from the first to the last: nothing was lost, nothing kept twice.
    var isUnbroken: Bool { store.readings.map(\.sequence) == (0..<store.readings.count).map { Int64($0) + 1 } }
}

extension FaultStory {
    private static let all = ["Living Room", "Freezer", "Probe", "Front Door"]

    /// Checks after every fault: all devices are read again in time, and no reading was invented or lost.
    ///
    /// - Parameter silent: when no value can have come.
    func expectRecovery(
        of names: [String] = all, at end: Double, within limit: Double, silent: ClosedRange<Double> = -2 ... -1,
        _ location: SourceLocation = #_sourceLocation
    ) {
        for name in names {
            let first = first(name, after: end)
            #expect(first <= end + limit, "\(name) is read again after \(first - end) s", sourceLocation: location)
            #expect(isTrue(name, silent: silent), "\(name) was made up", sourceLocation: location)
            #expect(status(name)?.state == .good, "\(name)", sourceLocation: location)
        }
        #expect(isUnbroken, sourceLocation: location)
    }

    /// Expects that the ticks of the named devices went on without a delay or a gap.
    func expectOthersUndisturbed(
        _ names: [String] = ["Living Room", "Probe", "Front Door"], _ location: SourceLocation = #_sourceLocation
    ) {
        for name in names {
            #expect(lateness(name) <= 1, "\(name)", sourceLocation: location)
            let ticks = Set(store.readings.map(\.reading).filter { $0.device == name && $0.tick > 0 }.map(\.tick))
            #expect(ticks == Set(1...(ticks.max() ?? 1)), "\(name)", sourceLocation: location)
        }
    }
}
