import BlekeepSimulation

extension SwarmFault.Kind {
    /// Returns the behavior of a peripheral with this fault. Faults elsewhere don't change it.
    var behavior: PeripheralBehavior {
        var behavior = PeripheralBehavior()
        switch self {
        case .hide: behavior.isInRange = false
        case .deaf: behavior.connecting = .deaf
        case .hang: behavior.connecting = .hanging
        case .hollow: behavior.connecting = .hollow
        case .unanswered: behavior.connecting = .unanswered
        case .abort: behavior.connecting = .failing("le-connection-abort-by-local")
        case .busy: behavior.connecting = .failing("Operation already in progress")
        case .cancelled: behavior.connecting = .failing("br-connection-canceled")
        case .full: behavior.connecting = .failing("le-connection-concurrent-connection-limit")
        case .keyMissing: behavior.connecting = .failing("le-connection-key-missing")
        case .odd: behavior.connecting = .failing("nobody has ever seen this")
        case .mute: behavior.reading = .mute
        case .slow: behavior.latency = .seconds(3)
        case .attError, .broken: behavior.reading = .error(0x0E)
        case .unresolved: behavior.resolves = false
        case .zombie: behavior.isZombie = true
        case .stranded: behavior.strands = true
        case .lateObjects: behavior.exporting = .late(.milliseconds(1800))
        case .noObjects: behavior.exporting = .never
        default: break
        }
        return behavior
    }
}
