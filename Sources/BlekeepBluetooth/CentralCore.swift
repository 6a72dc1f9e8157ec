import DBus
import RunLoop

/// The client of BlueZ: mirrors BlueZ's objects, reports their changes, and sends requests.
///
/// A `Central` and the poller use it, and decide what to request. It runs on the loop.
package final class CentralCore: @unchecked Sendable {
    let bus: any Bus
    let choice: AdapterChoice?
    /// The watched devices; `nil` to mirror all objects.
    package let watched: WatchedDevices?
    private let report: (CentralCore, CentralEvent) -> Void
    package let notifications = NotificationTable()
    let waiters: Waiters
    package private(set) lazy var mirror = makeMirror()
    private(set) lazy var scanner = Scanner(for: self)
    package private(set) lazy var refusals = Refusals(on: bus)
    var ownLinks = OwnLinks()
    /// The connections that are made again whenever they end.
    var kept: [ObjectIdentifier: KeptConnection] = [:]
    /// What the current bluetoothd refuses in the filter of a discovery, by the adapter.
    var filterRefusals: [ObjectPath: FilterRefusal] = [:]
    /// What BlueZ listens for without asking, by the adapter.
    private var monitors: [ObjectPath: PassiveScan] = [:]
    private var passiveScans = 0
    private(set) var isClosed = false
    /// The reason why the mirror ended.
    var failure: BusError?
    /// Whether this user may not use bluetoothd.
    private(set) var isDenied = false

    /// Creates a client that mirrors all objects.
    ///
    /// - Parameter choice: the adapter to use; `nil` for the first adapter that is on.
    init(on bus: any Bus, using choice: AdapterChoice?) {
        self.bus = bus
        self.choice = choice
        watched = nil
        report = { _, _ in }
        waiters = Waiters(on: bus.loop)
        endMirrorWithConnection()
    }

    /// Creates a client that mirrors these devices and the adapters. `run` must follow.
    ///
    /// - Parameter report: called with each event.
    package init(
        on bus: any Bus, watching devices: [WatchedDevice], report: @escaping (CentralCore, CentralEvent) -> Void
    ) {
        self.bus = bus
        choice = nil
        watched = WatchedDevices(devices, on: bus)
        self.report = report
        waiters = Waiters(on: bus.loop)
        endMirrorWithConnection()
    }

    package var loop: RunLoop { bus.loop }

    /// Follows BlueZ until the connection is lost, or until `stop` or `close` is called.
    /// Throws the error that ended it.
    package func run() async throws(BusError) { try await mirror.run() }

    /// Ends `run`. The connection to the bus stays for the last messages.
    package func stop() { mirror.stop() }

    /// Ends the connections that a central made for its users. Calls in progress throw.
    package func close() {
        guard !isClosed else { return }
        isClosed = true
        for path in ownLinks.paths { disconnect(path) }
        notifications.end(below: .root)
        if watched == nil { scanner.end() }
        watched?.lookForMissing()
        mirror.stop()
        bus.close()
        waiters.announce()
    }

    package func onLoop<T: Sendable>(_ body: @escaping @Sendable (CentralCore) async -> T) async -> T {
        await withTaskExecutorPreference(loop) { await body(self) }
    }

    /// Waits until `condition` holds, and checks it after each change.
    func wait(until deadline: Uptime, for condition: () -> Bool) async {
        await waiters.wait(until: deadline) { condition() || isClosed }
    }

    // MARK: Mirror

    private func makeMirror() -> ObjectMirror {
        let notifications = notifications
        let interest =
            watched?.interest { notifications.rules }
            ?? ObjectMirror.Interest(
                wants: { _ in true }, indexed: [Adapter1.name, Device1.name], rulesFollow: Adapter1.name,
                rules: { _ in SignalRules.everything(notifications: notifications.rules) })
        return ObjectMirror(of: Bluez.service, on: bus, interest: interest) { [unowned self] in receive($0) }
    }

    /// Ends the mirror together with the connection: nothing else notices its end.
    private func endMirrorWithConnection() { bus.onClose = { [weak mirror] in mirror?.lose() } }

    private func receive(_ event: ObjectMirror.Event) {
        switch event {
        case .snapshot:
            report(self, .snapshot)
            for index in watched?.indices ?? 0..<0 {
                if let path = facts(of: index).first?.path { advertised(index, path: path, change: .known) }
            }
        case .lost:
            filterRefusals = [:]
            for adapter in Array(monitors.keys) { stopMonitors(on: adapter) }
            notifications.end(below: .root)
            if watched == nil { scanner.end(throwing: BluetoothError(.noBluez, "bluetoothd stopped")) }
            watched?.forget()
            report(self, .lost)
        case .refused(let error):
            isDenied = Remedy(error) == .denied
            report(self, .refused(error))
        case .signal(let signal): ended(signal)
        case .change(.added(let path, let interface)): added(path, interface: interface)
        case .change(.removed(let path, let interface)): removed(path, interface: interface)
        case .change(.changed(let path, let interface, let names)): changed(path, interface: interface, names: names)
        }
        waiters.announce()
    }

    func nextPassiveScan() -> Int {
        passiveScans += 1
        return passiveScans
    }

    /// Has BlueZ listen for patterns without asking devices anything, until it can't, or until `stopMonitors`.
    ///
    /// - Parameter ended: called when BlueZ stops listening by itself.
    package func startMonitors(
        _ patterns: [AdvertisementPattern], on adapter: ObjectPath, ended: @escaping (BluetoothError) -> Void
    ) async throws(BluetoothError) {
        stopMonitors(on: adapter)
        let scan = PassiveScan(
            on: bus, at: adapter, number: nextPassiveScan(), for: patterns,
            found: { [weak self] in self?.monitored($0) }, ended: ended)
        monitors[adapter] = scan
        try await scan.start(in: mirror.tree)
    }

    package func stopMonitors(on adapter: ObjectPath) { monitors.removeValue(forKey: adapter)?.stop() }

    /// BlueZ heard a device. It reports data only when they changed, so this is all that a sensor's same values cause.
    private func monitored(_ path: ObjectPath) {
        guard let watched, let index = watched.deviceIndex(of: path) else { return }
        report(self, .heard(watched.number(of: index), path))
        advertised(index, path: path, change: .changed(manufacturerData: true, serviceData: true))
    }

    private func ended(_ signal: Signal) {
        guard signal.member == Device1.disconnected.name,
            let end = signal.arguments.first.flatMap({ String($0) }).map({ LinkEnd($0) })
        else { return }
        for connection in kept.values { connection.ended(signal.path, because: end) }
        if let watched, let index = watched.deviceIndex(of: signal.path) {
            report(self, .ended(watched.number(of: index), end))
        }
    }

    private func added(_ path: ObjectPath, interface: InterfaceName) {
        if interface == Adapter1.name { return report(self, .adapters) }
        guard let watched else {
            if interface == Device1.name { scanner.added(path) }
            return
        }
        guard let index = watched.deviceIndex(of: path) else { return }
        switch interface {
        case Device1.name:
            report(self, .device(watched.number(of: index), facts(of: index)))
            report(self, .heard(watched.number(of: index), path))
            advertised(index, path: path, change: .added)
        case BearerLE1.name: report(self, .device(watched.number(of: index), facts(of: index)))
        case Battery1.name: break
        default: report(self, .services(watched.number(of: index)))
        }
    }

    private func removed(_ path: ObjectPath, interface: InterfaceName) {
        if Bluez.lasting.contains(interface) {
            // BlueZ never answers calls to an object that is gone.
            bus.abandonCalls(below: path)
            notifications.end(below: path)
        }
        guard let watched, let index = watched.deviceIndex(of: path) else { return report(self, .adapters) }
        switch interface {
        case Device1.name: report(self, .device(watched.number(of: index), facts(of: index)))
        case Battery1.name, BearerLE1.name: break
        default: report(self, .services(watched.number(of: index)))
        }
    }

    private func changed(_ path: ObjectPath, interface: InterfaceName, names: [String]) {
        switch interface {
        case Adapter1.name:
            if names.contains(Adapter1.powered.name.text) { return report(self, .adapters) }
            guard watched != nil, names.contains(Adapter1.discovering.name.text),
                let isDiscovering = mirror.tree[path, Adapter1.discovering]
            else { return }
            report(self, .discovering(path, isDiscovering))
        case Device1.name: deviceChanged(path, names: names)
        case GattCharacteristic1.name where names.contains(GattCharacteristic1.value.name.text):
            if let bytes = mirror.tree[path, GattCharacteristic1.value] { notifications.receive(bytes, of: path) }
        default: break
        }
    }

    private func deviceChanged(_ path: ObjectPath, names: [String]) {
        if names.contains(Device1.connected.name.text), !isConnected(path) { notifications.end(below: path) }
        guard let watched else {
            if let change = AdvertisedData.Change(properties: names) {
                scanner.heard(path, change: change)
            } else if names.contains(Device1.rssi.name.text) {
                scanner.heard(path, change: .changed(manufacturerData: false, serviceData: false))
            }
            return
        }
        guard let index = watched.deviceIndex(of: path) else { return report(self, .adapters) }
        if names.contains(where: DeviceFacts.properties.contains) {
            report(self, .device(watched.number(of: index), facts(of: index)))
        }
        if names.contains(Device1.rssi.name.text), mirror.tree[path, Device1.rssi] != nil {
            report(self, .heard(watched.number(of: index), path))
        }
        if let change = AdvertisedData.Change(properties: names) { advertised(index, path: path, change: change) }
    }

    private func advertised(_ index: Int, path: ObjectPath, change: AdvertisedData.Change) {
        // Each adapter that may read the device counts: what two of them heard is a repetition.
        guard let watched, watched.isListenedTo(index), facts(of: index).contains(where: { $0.path == path }),
            let heard = Advertisement(at: path, in: mirror.tree, change)
        else { return }
        report(self, .advertised(watched.number(of: index), path, heard))
    }
}

/// The tasks that wait for a condition, and check it after each change. On the loop.
final class Waiters {
    private let loop: RunLoop
    private var gates: [ObjectIdentifier: Gate] = [:]

    init(on loop: RunLoop) { self.loop = loop }

    /// Makes all tasks check their conditions.
    func announce() { for gate in gates.values { gate.open() } }

    /// Waits until `condition` holds, or until the deadline, or until the task is cancelled.
    func wait(until deadline: Uptime, for condition: () -> Bool) async {
        let gate = Gate(loop)
        gates[ObjectIdentifier(gate)] = gate
        defer { gates[ObjectIdentifier(gate)] = nil }
        while !condition(), loop.now < deadline, !Task.isCancelled { await gate.wait(until: deadline) }
    }
}

/// The connections that a central made for its users.
///
/// The last user of such a connection ends it. A connection that existed before stays.
struct OwnLinks {
    private var users: [ObjectPath: Int] = [:]
    /// The devices that were released. BlueZ takes 2 s to disconnect them.
    private(set) var released: Set<ObjectPath> = []

    var paths: [ObjectPath] { users.keys.sorted() }

    func contains(_ path: ObjectPath) -> Bool { users[path] != nil }

    /// Adds a user of the connection to a device. `leave` must follow if this returns `true`.
    ///
    /// - Parameter isConnected: whether the device is connected already.
    /// - Returns: whether the connection belongs to the central.
    mutating func use(_ path: ObjectPath, isConnected: Bool) -> Bool {
        guard !isConnected || users[path] != nil else { return false }
        users[path, default: 0] += 1
        return true
    }

    /// Removes a user. Returns whether it was the last user, so that the connection must end.
    mutating func leave(_ path: ObjectPath) -> Bool {
        guard let count = users[path] else { return false }
        users[path] = count > 1 ? count - 1 : nil
        guard count == 1 else { return false }
        released.insert(path)
        return true
    }
}
