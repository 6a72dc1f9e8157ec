import DBus
import RunLoop

/// The one client of BlueZ: it mirrors the objects of interest, reports what happens to them, and asks BlueZ for all that
/// is asked of it. It stands behind a `Central` and behind the keeper, which decide what to ask. On the loop.
package final class CentralCore: @unchecked Sendable {
    let bus: any Bus
    let choice: AdapterChoice?
    /// `nil`: everything is of interest.
    package let watched: WatchedDevices?
    private let tell: (CentralCore, CentralEvent) -> Void
    package let notifications = NotificationTable()
    let waiters: Waiters
    package private(set) lazy var mirror = makeMirror()
    private(set) lazy var scanner = Scanner(for: self)
    package private(set) lazy var refusals = Refusals(on: bus)
    var ownLinks = OwnLinks()
    private(set) var isClosed = false
    /// Why the mirror has ended.
    var failure: BusError?

    /// A client for which every object is of interest.
    ///
    /// - Parameter choice: the adapter to use; `nil` for the first one that is on.
    init(on bus: any Bus, using choice: AdapterChoice?) {
        self.bus = bus
        self.choice = choice
        watched = nil
        tell = { _, _ in }
        waiters = Waiters(on: bus.loop)
        endMirrorWithConnection()
    }

    /// A client for which these devices are of interest, and the adapters. `run` must follow.
    ///
    /// - Parameter tell: called with each event.
    package init(
        on bus: any Bus, watching devices: [WatchedDevice], tell: @escaping (CentralCore, CentralEvent) -> Void
    ) {
        self.bus = bus
        choice = nil
        watched = WatchedDevices(devices, on: bus)
        self.tell = tell
        waiters = Waiters(on: bus.loop)
        endMirrorWithConnection()
    }

    package var loop: RunLoop { bus.loop }

    /// Follows BlueZ until the connection is lost, or until `stop` or `close` is called.
    ///
    /// - Throws: the error that ended it.
    package func run() async throws(BusError) { try await mirror.run() }

    /// Ends `run`; the connection stays for what still has to be said.
    package func stop() { mirror.stop() }

    /// Ends the connections that were made for users of a central, and everything in progress: what waits throws.
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

    /// Runs `body` on the loop.
    func onLoop<T: Sendable>(_ body: @escaping @Sendable (CentralCore) async -> T) async -> T {
        await withTaskExecutorPreference(loop) { await body(self) }
    }

    /// Waits until `condition` holds; looks whenever something has changed.
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

    /// When the connection ends, so does the mirror: nothing else waits on it.
    private func endMirrorWithConnection() { bus.onClose = { [weak mirror] in mirror?.lose() } }

    private func receive(_ event: ObjectMirror.Event) {
        switch event {
        case .snapshot: tell(self, .snapshot)
        case .lost:
            notifications.end(below: .root)
            if watched == nil { scanner.end() }
            watched?.forget()
            tell(self, .lost)
        case .refused(let error): tell(self, .refused(error))
        case .signal(let signal): ended(signal)
        case .change(.added(let path, let interface)): added(path, interface)
        case .change(.removed(let path, let interface)): removed(path, interface)
        case .change(.changed(let path, let interface, let names)): changed(path, interface, names)
        }
        waiters.announce()
    }

    private func ended(_ signal: Signal) {
        guard signal.member == Device1.disconnected.name, let place = watched?.place(of: signal.path),
            let reason = signal.arguments.first.flatMap({ String($0) })
        else { return }
        tell(self, .ended(place, LinkEnd(reason)))
    }

    private func added(_ path: ObjectPath, _ interface: InterfaceName) {
        if interface == Adapter1.name { return tell(self, .adapters) }
        guard let watched else {
            if interface == Device1.name { scanner.added(path) }
            return
        }
        guard let place = watched.place(of: path) else { return }
        switch interface {
        case Device1.name:
            tell(self, .device(place, facts(of: place)))
            tell(self, .heard(place))
            advertised(place, path, Self.spoken)
        case BearerLE1.name: tell(self, .device(place, facts(of: place)))
        case Battery1.name: break
        default: tell(self, .services(place))
        }
    }

    private func removed(_ path: ObjectPath, _ interface: InterfaceName) {
        if Bluez.lasting.contains(interface) {
            // BlueZ never answers calls to an object that is gone.
            bus.abandonCalls(below: path)
            notifications.end(below: path)
        }
        guard let place = watched?.place(of: path) else { return tell(self, .adapters) }
        switch interface {
        case Device1.name: tell(self, .device(place, facts(of: place)))
        case Battery1.name, BearerLE1.name: break
        default: tell(self, .services(place))
        }
    }

    private func changed(_ path: ObjectPath, _ interface: InterfaceName, _ names: [String]) {
        switch interface {
        case Adapter1.name where names.contains(Adapter1.powered.name.text): tell(self, .adapters)
        case Device1.name: deviceChanged(path, names)
        case GattCharacteristic1.name where names.contains(GattCharacteristic1.value.name.text):
            if let bytes = mirror.tree[path, GattCharacteristic1.value] { notifications.receive(bytes, of: path) }
        default: break
        }
    }

    private func deviceChanged(_ path: ObjectPath, _ names: [String]) {
        if names.contains(Device1.connected.name.text), !isConnected(path) { notifications.end(below: path) }
        guard let watched else {
            if names.contains(Device1.rssi.name.text) || names.contains(where: Self.spoken.contains) {
                scanner.heard(path)
            }
            return
        }
        guard let place = watched.place(of: path) else { return tell(self, .adapters) }
        if names.contains(where: DeviceFacts.properties.contains) { tell(self, .device(place, facts(of: place))) }
        if names.contains(Device1.rssi.name.text), mirror.tree[path, Device1.rssi] != nil {
            tell(self, .heard(place))
        }
        if watched.isListenedTo(place) { advertised(place, path, Self.spoken.intersection(names)) }
    }

    private static let spoken: Set = [Device1.manufacturerData.name.text, Device1.serviceData.name.text]

    private func advertised(_ place: Int, _ path: ObjectPath, _ names: Set<String>) {
        // Where two adapters hear it, one of them is listened to.
        guard watched?.isListenedTo(place) == true, !names.isEmpty, facts(of: place)?.path == path,
            let heard = Advertisement(at: path, in: mirror.tree)
        else { return }
        tell(self, .advertised(place, heard, properties: names))
    }
}
