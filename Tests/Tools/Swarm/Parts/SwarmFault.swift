import Blekeep
import BlekeepSimulation
import RunLoop

/// A fault and its time.
struct SwarmFault: Sendable, Hashable, CustomStringConvertible {
    var moment: Duration
    var kind: Kind
    /// The index of the peripheral in the scenario.
    var device: Int
    /// The length of a lasting fault.
    var lasting: Duration

    enum Kind: String, Sendable, CaseIterable {
        // Peripherals.
        case hide, drop, deaf, hang, hollow, unanswered, abort, mute, slow, attError, unresolved, zombie, moved
        // BlueZ's reports about them.
        case busy, cancelled, full, keyMissing, odd, blocked
        // bluetoothd, the bus, the adapter.
        case restartBluez, hangBluez, killBus, powerOff, unplug, renumber, wedge
        // Other programs.
        case forge, foreignConnect, foreignDisconnect
        // The machine.
        case diskFull, power
        // Faults during the poller's next call of some kind.
        case dieAtSnapshot, dieAtRead, dieAtConnect, sleepAtRead, wakeAtRead
        // Lasting faults.
        case broken, stranded, lingering, crowd
        // The connection to the bus.
        case lostReplies, lostSignals
        // What BlueZ shows of the thermometer that only advertises.
        case keptRecords, lateName, newName
        // The poller's process.
        case restart, kill, killAtConnect
        // The configuration of the running poller.
        case reconfigure, removeAtCall
        // What BlueZ shows of resolved services.
        case lateObjects, noObjects

        /// The shortest time between two faults.
        var closest: Duration {
            switch self {
            case .power, .broken, .crowd: .seconds(1200)
            case .restart, .kill, .killAtConnect: .seconds(900)
            default: .seconds(120)
            }
        }

        /// Whether it has a separate random stream, so that it doesn't change older faults.
        var hasOwnStream: Bool {
            self == .wedge || self == .lostReplies || self == .lostSignals || isOfAdvertisements || isOfProcess
                || isOfConfiguration || isOfObjects
        }

        var isOfObjects: Bool { self == .lateObjects || self == .noObjects }

        var isOfAdvertisements: Bool { self == .keptRecords || self == .lateName || self == .newName }

        var isOfProcess: Bool { self == .restart || self == .kill || self == .killAtConnect }

        var isOfConfiguration: Bool { self == .reconfigure || self == .removeAtCall }

        /// Whether the machine may sleep because of it, with effects for minutes.
        var isSleep: Bool { self == .power || self == .sleepAtRead || self == .wakeAtRead }
    }

    var description: String { "\(moment) \(kind.rawValue) \(device) for \(lasting)" }

    /// Returns the faults of a seed: some kinds, each with its own rate.
    static func schedule(seed: UInt64, devices: Int, length: Duration) -> [SwarmFault] {
        var random = SplitMix64(seed: seed)
        var faults: [SwarmFault] = []
        for kind in Kind.allCases where !kind.hasOwnStream && Int.random(in: 0..<3, using: &random) == 0 {
            faults += some(kind, devices, length, &random)
        }
        var another = SplitMix64(seed: ~seed)
        if !seed.isMultiple(of: 4) { faults += some(.wedge, devices, length, &another) }
        var third = SplitMix64(seed: seed ^ 0x5555_5555)
        if seed.isMultiple(of: 2) { faults += some(.lostReplies, devices, length, &third) }
        if SwarmSetting.hasThermometer(seed: seed) {
            for (number, kind) in Kind.allCases.filter(\.isOfAdvertisements).enumerated() {
                var stream = SplitMix64(seed: seed ^ 0x3333_3333 &+ UInt64(number))
                faults += some(kind, devices, length, &stream)
            }
        }
        var fourth = SplitMix64(seed: seed ^ 0x6666_6666)
        if seed.isMultiple(of: 3) { faults += some(.lostSignals, devices, length, &fourth) }
        var fifth = SplitMix64(seed: seed ^ 0x6666_6666)
        for kind in Kind.allCases.filter(\.isOfProcess) where Int.random(in: 0..<3, using: &fifth) == 0 {
            faults += some(kind, devices, length, &fifth)
        }
        if SwarmSetting.isReconfigured(seed: seed) {
            var sixth = SplitMix64(seed: seed ^ 0x7777_7777)
            for kind in Kind.allCases.filter(\.isOfConfiguration) { faults += some(kind, devices, length, &sixth) }
        }
        if SwarmSetting.lacksObjects(seed: seed) {
            var seventh = SplitMix64(seed: seed ^ 0x2222_2222)
            for kind in Kind.allCases.filter(\.isOfObjects) { faults += some(kind, devices, length, &seventh) }
        }
        return faults.sorted { ($0.moment, $0.kind.rawValue) < ($1.moment, $1.kind.rawValue) }
    }

    private static func some(
        _ kind: Kind, _ devices: Int, _ length: Duration, _ random: inout SplitMix64
    ) -> [SwarmFault] {
        var faults: [SwarmFault] = []
        let rarest = random.duration(in: kind.closest ... .seconds(3600))
        var moment = random.duration(in: .seconds(1)...rarest)
        while moment < (kind.isSleep ? length - .seconds(900) : length) {
            faults.append(
                SwarmFault(
                    moment: moment, kind: kind, device: Int.random(in: 0..<devices, using: &random),
                    lasting: random.duration(in: .milliseconds(100) ... .seconds(90))))
            moment += random.duration(in: .seconds(1)...rarest)
        }
        return faults
    }
}
