import Blekeep
import BlekeepSimulation
import RunLoop

/// One thing that goes wrong, and when.
struct SwarmFault: Sendable, Hashable, CustomStringConvertible {
    var moment: Duration
    var kind: Kind
    /// Which peripheral; a number into the scenario's list.
    var device: Int
    /// How long it lasts, where it does.
    var lasting: Duration

    enum Kind: String, Sendable, CaseIterable {
        // A peripheral.
        case hide, drop, deaf, hang, hollow, unanswered, abort, mute, slow, attError, unresolved, zombie, moved
        // What BlueZ says of it.
        case busy, cancelled, full, keyMissing, odd, blocked
        // bluetoothd, the bus, the radio.
        case restartBluez, hangBluez, killBus, powerOff, unplug, renumber, wedge
        // Other programs.
        case forge, foreignConnect, foreignDisconnect
        // The machine.
        case diskFull, power
        // What takes a certain moment: it comes with the next such call of the keeper.
        case dieAtSnapshot, dieAtRead, dieAtConnect, sleepAtRead, wakeAtRead
        // What goes on for long.
        case broken, stranded, lingering, crowd
        // The connection to the bus.
        case lostReplies

        /// How close together they come at the most.
        var closest: Duration {
            switch self {
            case .power, .broken, .crowd: .seconds(1200)
            default: .seconds(120)
            }
        }

        /// Whether it comes from a random stream of its own, so that older faults stay what they were.
        var hasOwnStream: Bool { self == .wedge || self == .lostReplies }

        /// Whether the machine may sleep for it: what that does may take minutes to be over.
        var isSleep: Bool { self == .power || self == .sleepAtRead || self == .wakeAtRead }
    }

    var description: String { "\(moment) \(kind.rawValue) \(device) for \(lasting)" }

    /// The faults of a seed: some kinds only, at rates of their own.
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
