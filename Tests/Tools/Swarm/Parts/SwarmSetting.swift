import Blekeep
import BlekeepConfiguration
import BlekeepSimulation
import RunLoop

/// The configuration of a seed: slots, intervals, known devices, and modes.
struct SwarmSetting: Sendable {
    static let devices = 10

    let scenario: Scenario
    let configuration: PollConfiguration
    let tellsReasons: Bool
    /// Devices of other programs that are in range only when these take all slots.
    let crowd: Set<BluetoothAddress>
    /// A sensor that only advertises, in some seeds.
    let thermometer: SimulatedPeripheral?
    /// Whether the store's disk is slow now and then: that of each seed above 1000.
    let hasSlowDisk: Bool
    /// A device that isn't configured in the beginning, in each seed above 2000.
    let guest: DeviceConfiguration?
    /// What each tick of a device that lacks something brings, in each seed above 3000.
    let incomplete: [BluetoothAddress: CompleteTicks.Plan]

    init(seed: UInt64) {
        var random = SplitMix64(seed: seed &* 0x9E37_79B9)
        let slots = Int.random(in: 3...12, using: &random)
        let interval = [20, 30, 30, 30, 60].randomElement(using: &random) ?? 30
        tellsReasons = Bool.random(using: &random)
        let isKnown = (0..<Self.devices).map { _ in Bool.random(using: &random) }
        hasSlowDisk = seed > 1000
        let recipes = Self.recipes(seed: seed)
        let incomplete = Self.lacksObjects(seed: seed) ? CompleteTicks.plans : [:]
        self.incomplete = incomplete
        let peripherals = isKnown.enumerated().map { number, isKnown in
            Self.peripheral(number + 1, seed: seed, recipes).known(isKnown ? .known : .none)
        }
        let recovery = Self.recovery(seed: seed)
        // A device of another program, whose connection must stay.
        let bystanders: [SimulatedPeripheral] =
            recovery.isEmpty ? [] : [.batteryOnly(Self.bystander, address: Self.elsewhere, battery: 50)]
        // Devices of other programs that take the slots, if the adapter has few.
        let crowd = (0..<(slots <= 6 ? slots : 0)).map { number in
            SimulatedPeripheral.batteryOnly(
                "Stranger \(number + 1)", address: Scenario.numbered(100 + number, group: 9), battery: 50
            )
            .behaving { $0.isInRange = false }
        }
        self.crowd = Set(crowd.map(\.address))
        thermometer =
            Self.hasThermometer(seed: seed)
            ? .inkbirdThermometer("sps", address: Scenario.numbered(98, group: 9), temperature: 400...900) : nil
        let listened = [thermometer].compactMap(\.self)
        let guests: [SimulatedPeripheral] =
            Self.isReconfigured(seed: seed)
            ? [.environmentalSensor("Guest", address: Scenario.numbered(97, group: 9), temperature: 2000...2050)] : []
        guest = guests.first.map { DeviceConfiguration(alias: $0.name, address: $0.address, mode: .auto) }
        let adapter = SimulatedAdapter(
            maxConnections: slots,
            whenFull: Bool.random(using: &random)
                ? "le-connection-concurrent-connection-limit" : "le-connection-abort-by-local")
        var other = SimulatedAdapter(index: 1, maxConnections: slots)
        other.whenFull = adapter.whenFull
        scenario = Scenario(
            "swarm", "ten sensors, some of them known",
            adapters: Self.hasTwoAdapters(seed: seed) ? [adapter, other] : [adapter],
            peripherals: peripherals + bystanders + crowd + listened + guests)
        var configuration = PollConfiguration(
            interval: .seconds(interval),
            devices: peripherals.map { peripheral in
                let mode: LinkMode = [.auto, .auto, .auto, .release, .hold].randomElement(using: &random) ?? .auto
                var device = DeviceConfiguration(alias: peripheral.name, address: peripheral.address, mode: mode)
                device.recipe = peripheral.recipe
                device.characteristics = (incomplete[peripheral.address]?.configured ?? []).map {
                    CharacteristicConfiguration(characteristic: $0)
                }
                return device
            },
            maxLinks: Int.random(in: 3...12, using: &random))
        configuration.devices += listened.map {
            DeviceConfiguration(alias: $0.name, address: $0.address, mode: .passive)
        }
        configuration.recipes = recipes
        configuration.recovery = recovery
        self.configuration = configuration
    }

    /// Whether a seed has a thermometer that only advertises. Then discovery is always on.
    static func hasThermometer(seed: UInt64) -> Bool { seed % 10 == 7 }

    /// Whether the poller of a seed gets new configurations while it runs.
    static func isReconfigured(seed: UInt64) -> Bool { seed > 2000 && !hasTwoAdapters(seed: seed) }

    /// Whether the machine of a seed has two adapters.
    static func hasTwoAdapters(seed: UInt64) -> Bool { seed > 4000 }

    /// Whether devices of a seed lack configured characteristics, and BlueZ shows others late, or not on each connection.
    static func lacksObjects(seed: UInt64) -> Bool { seed > 3000 && !hasTwoAdapters(seed: seed) }

    /// The recipes of a seed's last devices: of two in each seed above 1000. Their devices need no pause between conversations.
    private static func recipes(seed: UInt64) -> [Recipe] {
        guard seed > 1000 else { return [] }
        var random = SplitMix64(seed: seed ^ 0x5EC1)
        return Array(restless.shuffled(using: &random).prefix(2))
    }

    /// Parsed once, not for each seed.
    private static let restless = RecipeCatalogue.all.filter { $0.minInterval == nil }

    static let bystander = "Bystander"
    private static let elsewhere = Scenario.numbered(99, group: 9)

    /// The repairs that a seed allows: none in two of four seeds, all in one, some in one.
    private static func recovery(seed: UInt64) -> Set<RecoveryStep> {
        switch seed % 4 {
        case 2: return Set(RecoveryStep.allCases)
        case 3:
            var random = SplitMix64(seed: ~seed)
            return Set(RecoveryStep.allCases.filter { _ in Bool.random(using: &random) })
        default: return []
        }
    }

    private static func peripheral(_ number: Int, seed: UInt64, _ recipes: [Recipe]) -> SimulatedPeripheral {
        let address = Scenario.numbered(number, group: 9)
        let place = devices - number
        if recipes.indices.contains(place), let device = SimulatedPeripheral(recipes[place], address) {
            // Now and then, an answer is lost, or comes late, twice or damaged.
            let faults: [PeripheralBehavior.Answering.Fault] = [.lost, .late(.seconds(2)), .twice, .damaged]
            return device.behaving {
                $0.answering = .init(faults[Int(seed / 2 % 4)], every: 5 + place)
            }
        }
        if number == 1 { return .heartRateStrap("Heart", address: address) }
        let sensor = SimulatedPeripheral.environmentalSensor(
            "Sensor \(number)", address: address, temperature: 100 * number...100 * number + 50)
        return lacksObjects(seed: seed) ? CompleteTicks.changed(sensor) : sensor
    }
}
