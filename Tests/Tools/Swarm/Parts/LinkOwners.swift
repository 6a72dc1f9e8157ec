import Blekeep
import DBus
import RunLoop

/// S8 do-no-harm and S9 no-spoof: the owner and the start of each connection.
struct LinkOwners: Sendable {
    private var since: [ObjectPath: Uptime] = [:]
    /// The devices that the poller connected, or whose connections it adopted.
    private var asked: Set<ObjectPath> = []
    /// When the attempts began that haven't led to a connection. One outlives its poller, if that is killed.
    private var open: [ObjectPath: [Uptime]] = [:]
    /// The connections that other programs made.
    private var foreign: Set<ObjectPath> = []
    /// The connections that a failed attempt of the poller led to late, or that another program made: nobody can tell.
    private var unsure: Set<ObjectPath> = []
    /// The devices that the ledger claimed when this run began: an attempt of the last run may still succeed, and nobody
    /// can tell it from another program's.
    private var claimed: Set<BluetoothAddress> = []
    /// The devices that the ledger claimed then, and that this run doesn't have: it ends their connections.
    private var strays: Set<BluetoothAddress> = []
    /// Until when it may; `nil` before the run's first snapshot.
    private var claimedUntil: Uptime?

    /// A call may cross signals younger than this.
    private static let grace: Duration = .seconds(1)
    /// A failed attempt may still lead to a connection within this time.
    private static let late: Duration = .seconds(30)

    func isAsked(_ path: ObjectPath) -> Bool { asked.contains(path) }

    func isOurs(_ path: ObjectPath) -> Bool { asked.contains(path) && !foreign.contains(path) }

    /// Whether the poller must know that it made the connection.
    func isSurelyOurs(_ path: ObjectPath) -> Bool { isOurs(path) && !unsure.contains(path) }

    /// The connected devices.
    var up: [ObjectPath] { since.keys.sorted() }

    func isUp(_ path: ObjectPath) -> Bool { since[path] != nil }

    // MARK: Calls

    /// - Parameter isReallyUp: whether the device is truly connected.
    /// - Returns: the violation of an attempt to connect.
    mutating func connects(_ path: ObjectPath, isReallyUp: Bool, at now: Uptime) -> String? {
        asked.insert(path)
        // While the poller doesn't have a device, nobody hears that another program's connection of it ends.
        if !isReallyUp { foreign.remove(path) }
        open[path, default: []].removeAll { now - $0 >= Self.late }
        open[path, default: []].append(now)
        guard let since = since[path], now - since > Self.grace, isReallyUp else { return nil }
        return "\(path) is connected and is to be connected again"
    }

    /// Whether BlueZ refused a Connect, because it was connecting the device already.
    static func isRefusal(_ error: BusError) -> Bool {
        guard case .remote(let name, let message) = error else { return false }
        return name == "org.bluez.Error.InProgress" || message == "Operation already in progress"
    }

    /// Takes such a refusal. A connection that comes up is the one of the earlier attempt, mostly another program's.
    mutating func refused(_ path: ObjectPath, begun: Uptime) { open[path]?.removeAll { $0 == begun } }

    /// - Parameter isServiceThere: whether bluetoothd runs. After a crash, there is no connection to end.
    /// - Returns: the violations of a call of Disconnect.
    func disconnects(_ path: ObjectPath, isServiceThere: Bool, at now: Uptime) -> [String] {
        var flaws: [String] = []
        let isStray = BluetoothAddress(device: path).map(strays.contains) ?? false
        if !asked.contains(path), !isStray, isServiceThere {
            flaws.append("another program's link to \(path) is ended")
        }
        if foreign.contains(path), let since = since[path], now - since > Self.grace {
            flaws.append("a link to \(path) that another program made is ended")
        }
        return flaws
    }

    // MARK: Signals

    /// - Parameter isTried: whether an attempt of the poller is in progress.
    mutating func up(_ path: ObjectPath, isTried: Bool, at now: Uptime) {
        let isLate = open.removeValue(forKey: path)?.contains { now - $0 < Self.late } ?? false
        // A run may end what its ledger claims, also when an attempt of an earlier run leads to it.
        let isAdopted = since[path] == nil && !isTried && adopts(path, at: now)
        if since[path] == nil, !isTried, !isLate, !isAdopted { foreign.insert(path) }
        if since[path] == nil, !isTried, isLate { unsure.insert(path) }
        since[path] = now
    }

    mutating func down(_ path: ObjectPath) {
        since[path] = nil
        foreign.remove(path)
        unsure.remove(path)
    }

    /// Forgets everything, because bluetoothd isn't the one that it was.
    ///
    /// - Parameter isGone: whether there is none. Otherwise a run that hasn't seen a snapshot doesn't know that it is
    ///   another one, and adopts the connections that its ledger claims.
    mutating func forget(isGone: Bool) {
        let before = self
        self = LinkOwners()
        if isGone || before.claimedUntil != nil { return }
        claimed = before.claimed
        asked = before.asked.filter { BluetoothAddress(device: $0).map(claimed.contains) ?? false }
        since = before.since.filter { asked.contains($0.key) }
    }

    // MARK: Runs

    /// Takes the start of another run. Nobody saw the signals in between. A connection that the ledger doesn't claim is
    /// nobody's: BlueZ doesn't say which program made it.
    ///
    /// - Parameters:
    ///   - claimed: the run's devices that the ledger says blekeep connects, or connected.
    ///   - strays: such devices that the run doesn't have.
    ///   - connected: the devices that are truly connected.
    mutating func newRun(
        claiming claimed: Set<BluetoothAddress>, strays: Set<BluetoothAddress> = [], connected: Set<ObjectPath>,
        at now: Uptime
    ) {
        self.claimed = claimed
        self.strays = strays
        claimedUntil = nil
        asked = []
        for path in up where !connected.contains(path) { down(path) }
        for path in connected {
            guard adopts(path, at: now) else { continue }
            foreign.remove(path)
            since[path] = since[path] ?? now
        }
    }

    /// Takes the reply of GetManagedObjects.
    mutating func sawSnapshot(at now: Uptime) { claimedUntil = claimedUntil ?? now + Self.late }

    private mutating func adopts(_ path: ObjectPath, at now: Uptime) -> Bool {
        guard now <= claimedUntil ?? .never, let device = BluetoothAddress(device: path), claimed.contains(device)
        else { return false }
        asked.insert(path)
        return true
    }
}
