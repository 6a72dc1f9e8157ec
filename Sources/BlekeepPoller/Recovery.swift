import DBus
import RunLoop

/// A recovery action on BlueZ or an adapter.
enum Recovery: Sendable, Hashable {
    /// Count the connections of other programs on each adapter.
    case countLinks
    /// Turn the adapter off, and on again after 2 s.
    case cycle(ObjectPath)
    /// Turn the adapter on at once, because blekeep turned it off.
    case switchOn(ObjectPath)
    /// Ask systemd to restart bluetoothd.
    case restartBluez
    /// Remove an unpaired device from BlueZ's cache.
    case forget(DeviceIndex, ObjectPath)
    /// Set BlueZ's preference for Low Energy for a device.
    case preferLowEnergy(DeviceIndex, ObjectPath)
}

/// The result of a recovery action.
enum RecoveryAnswer: Sendable {
    /// The number of other programs' connections on each adapter; `nil` when the query failed.
    case linksCounted([ObjectPath: Int]?)
    case cycled(ObjectPath, BusError?)
    case restarted(BusError?)
    case forgotten(DeviceIndex, BusError?)
    case preferred(DeviceIndex, BusError?)
}

/// The state of recovery across all adapters.
struct RecoveryMemory: Sendable {
    /// The steps that the user allowed.
    var allowed: Set<RecoveryStep> = []
    /// The escalations of adapters with failures.
    var escalations: [Radio: AdapterEscalation] = [:] {
        didSet { isCalm = !escalations.values.contains { $0.isEscalating || $0.mayBegin } }
    }
    /// Whether no step is in progress or may be due. Kept, because each step of the keeper reads it.
    private(set) var isCalm = true
    /// The detectors of adapters with failed attempts.
    var stallDetectors: [Radio: ConnectStallDetector] = [:]
    /// The adapters that the user unplugged: they disappeared while bluetoothd ran.
    var pulledOut: Set<Radio> = []
    /// The adapters that blekeep turned off, and that haven't been on since.
    var switchedOff: Set<ObjectPath> = []
    /// When to turn them on again, if the last attempt failed.
    var nextSwitchOn = Uptime.start
    /// The end of the pause between restarts of bluetoothd.
    var noRestartBefore = Uptime.start
    /// When bluetoothd began to hang, and the number of other programs' connections then.
    var hung: (since: Uptime, externalLinks: Int)?

    /// The identity of an adapter: its address, because it may come back under another number, or else its path.
    enum Radio: Sendable, Hashable {
        case address(BluetoothAddress)
        case path(ObjectPath)
    }

    /// The shortest time between two restarts, and after a restart that systemd refused.
    static let restartPause: Duration = .seconds(1800)
    static let deniedPause: Duration = .seconds(86_400)
    /// The time for bluetoothd to reply again.
    static let hungUntilRestart: Duration = .seconds(300)
    static let switchOnPause: Duration = .seconds(60)
}
