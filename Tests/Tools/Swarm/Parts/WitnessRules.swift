import Blekeep
import DBus
import RunLoop

/// The rules for a poller's calls, each with the numbers of its guarantees.
struct WitnessRules: Sendable {
    /// S1.
    var discoveries = Discoveries()
    /// S1, S3, S4, S13 and S15.
    var attempts = Attempts()
    /// S2.
    var reads = OneRead()
    /// S3.
    var services = UnresolvedServices()
    /// S4.
    var gone = GoneObjects()
    /// S8 and S9.
    var links = LinkOwners()
    /// S8.
    var repairs: RepairRules
    /// S12.
    var log = LogRate()
    /// S13.
    var vainReads = FailingReads()
    /// S13.
    var fullRadio = FullRadio()
    /// S15.
    var endings = EndingLinks()

    init(allowing steps: Set<RecoveryStep>) { repairs = RepairRules(steps) }

    // MARK: Signals

    /// Takes news about an object.
    mutating func take(_ news: BluezNews, of path: ObjectPath, at now: Uptime) {
        switch news {
        case .added:
            gone.added(path)
            excuse(path)
        case .removed(let isLost):
            gone.removed(path, at: now)
            if isLost { down(path) }
        case .connected(true): up(path, at: now)
        case .connected(false): down(path)
        case .resolved(true): services.over(path)
        case .resolved(false): if links.isUp(path) { services.began(path, at: now) }
        case .heard: excuse(path)
        case .off:
            // An adapter that is off has nothing in progress, with or without replies.
            discoveries.over(on: path)
            attempts.over(through: path)
            fullRadio.forget()
        case .value: break
        }
    }

    /// It was heard: there is reason to read it.
    private mutating func excuse(_ path: ObjectPath) {
        if !vainReads.isEmpty, let device = BluetoothAddress(device: path) { vainReads.excuse(device) }
    }

    private mutating func up(_ path: ObjectPath, at now: Uptime) {
        endings.over(path)
        services.began(path, at: now)
        links.up(path, isTried: attempts.begun(path) != nil, at: now)
        attempts.over(path)
    }

    private mutating func down(_ path: ObjectPath) {
        endings.over(path)
        links.down(path)
        attempts.over(path)
        services.over(path)
        discoveries.over(on: path)
    }

    /// Takes the reply of GetManagedObjects.
    mutating func sawSnapshot(_ reply: [Value], at now: Uptime) {
        gone.sawSnapshot(reply)
        links.sawSnapshot(at: now)
    }

    // MARK: Configurations

    /// A device joined, changed or left. What it was before has no part in what it is now.
    mutating func reconfigured(_ device: BluetoothAddress) {
        vainReads.succeeded(device)
        attempts.reconfigured(device)
    }

    // MARK: Restarts

    /// Takes a new connection of the poller, which ends all calls on the old one.
    mutating func connected() {
        gone.connected()
        discoveries.forget()
        reads.forget()
    }

    /// Takes the start of another run, which knows nothing of what the run before it had in progress. Nobody saw the signals
    /// in between.
    ///
    /// - Parameters:
    ///   - claimed: the devices that the ledger says blekeep connects, or connected.
    ///   - connected: the devices that are truly connected.
    mutating func newRun(
        claiming claimed: Set<BluetoothAddress>, strays: Set<BluetoothAddress>, connected: Set<ObjectPath>,
        at now: Uptime
    ) {
        self.connected()
        attempts = Attempts()
        vainReads = FailingReads()
        repairs.newRun()
        services.forget()
        endings.forget()
        gone.forget()
        fullRadio.forget()
        links.newRun(claiming: claimed, strays: strays, connected: connected, at: now)
    }

    /// Forgets everything, because bluetoothd restarted.
    ///
    /// - Parameter isGone: whether there is none now.
    mutating func forget(isGone: Bool) {
        attempts.allOver()
        links.forget(isGone: isGone)
        services.forget()
        discoveries.forget()
        reads.forget()
        endings.forget()
        gone.forget()
        fullRadio.forget()
    }
}
