import DBus
import RunLoop

/// What the keeper does to BlueZ and its radio rather than to a device's link.
enum Recovery: Sendable, Hashable {
    /// Ask which adapters hold links of other programs.
    case survey
    /// Switch the adapter off, and on again after a moment.
    case cycle(ObjectPath)
    /// Switch it on at once: we are responsible for its being off.
    case switchOn(ObjectPath)
    /// Ask systemd to start bluetoothd anew.
    case restartBluez
    /// Remove what BlueZ remembers of an unpaired device.
    case forget(DeviceID, ObjectPath)
    /// Tell BlueZ to prefer Low Energy for a device.
    case preferLowEnergy(DeviceID, ObjectPath)
}

/// How that went.
enum RecoveryAnswer: Sendable {
    /// How many links of others each adapter holds; `nil`: bluetoothd does not say.
    case surveyed([ObjectPath: Int]?)
    case cycled(ObjectPath, BusError?)
    case restarted(BusError?)
    case forgotten(DeviceID, BusError?)
    case preferred(DeviceID, BusError?)
}

/// What is remembered of steps that concern all adapters at once.
struct RecoveryMemory: Sendable {
    /// What a person allows.
    var allowed: Set<RecoveryStep> = []
    /// Of the adapters through which something has failed so far.
    var escalations: [Radio: AdapterEscalation] = [:] {
        didSet { isCalm = !escalations.values.contains { $0.isClimbing || $0.mayBegin } }
    }
    /// Whether no step is under way with any of them, and none may be due; kept, for it is asked at every step.
    private(set) var isCalm = true
    /// Of the adapters through which a link could not be made so far.
    var stallDetectors: [Radio: ConnectStallDetector] = [:]
    /// Those that went away while bluetoothd stayed: somebody has pulled them out.
    var pulledOut: Set<Radio> = []
    /// Adapters that we have switched off, and that have not been on since.
    var switchedOff: Set<ObjectPath> = []
    /// When they are switched on again if nothing came of the last time.
    var nextSwitchOn = Uptime.start
    /// bluetoothd is not restarted before this moment.
    var noRestartBefore = Uptime.start
    /// Since when bluetoothd answers nothing, and how many links of others it held then.
    var hung: (since: Uptime, externalLinks: Int)?

    /// An adapter by its own address, where it has one: it may come back under another number.
    enum Radio: Sendable, Hashable {
        case address(BluetoothAddress)
        case path(ObjectPath)
    }

    /// From one restart to the next; and after systemd has refused one.
    static let restartPause: Duration = .seconds(1800)
    static let deniedPause: Duration = .seconds(86_400)
    /// bluetoothd is given so long to answer again.
    static let hungUntilRestart: Duration = .seconds(300)
    static let switchOnPause: Duration = .seconds(60)
}
