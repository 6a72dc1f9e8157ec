import Blekeep
import DBus
import RunLoop

/// A remote device as bluetoothd exports it: what it knows of a peripheral, and its connection.
final class DeviceObject {
    let peripheral: RadioPeripheral
    let path: ObjectPath
    let adapter: AdapterObject
    /// The address under which BlueZ first met it: that of the path for as long as this bluetoothd lives.
    let firstAddress: BluetoothAddress
    private(set) var link: Link?
    private(set) var isResolved = false
    private(set) var strength: Int16?
    private(set) var wasHeard = false
    /// The changing part of what was heard last.
    private(set) var broadcast = SimulatedBroadcast()
    private(set) var wasResolved = false
    var stored: StoredDevice
    /// Whether BlueZ remembers other services than the peripheral has now.
    var isStale = false
    private lazy var object = ExportedObject(path, [bluez.world.deviceInterface.of(self)] + makeBearer())
    private var gatt: GattTree?
    private var connecting: Invocation?
    private var disconnecting: [Invocation] = []
    private var disconnection: LoopTimer?
    /// Temporary devices are removed then.
    private lazy var expiry = bluez.timer { [weak self] in
        guard let self, self.link == nil, self.isTemporary else { return }
        self.adapter.remove(self)
    }
    /// The pairing that is under way, and who asked for it.
    var pairing: (exchange: PairingExchange, client: BusName?)?

    /// - Parameter heard: the signal strength, when it was just discovered.
    init(_ peripheral: RadioPeripheral, _ adapter: AdapterObject, heard strength: Int16? = nil) {
        self.peripheral = peripheral
        self.adapter = adapter
        self.strength = strength
        wasHeard = strength != nil
        if strength != nil { broadcast = peripheral.broadcast(at: adapter.bluez.loop.now) }
        stored = adapter.radio.kept[peripheral.model.address] ?? StoredDevice()
        firstAddress = stored.isBonded ? peripheral.model.address : peripheral.address(at: adapter.bluez.loop.now)
        path = ObjectPath(unchecked: "\(adapter.path)/dev_" + firstAddress.joined(by: "_"))
        bluez.publish(object)
        lastUsed()
    }

    var bluez: SimulatedBluez { adapter.bluez }

    /// The address that BlueZ tells: the real one as soon as it is bonded.
    var address: BluetoothAddress { stored.isBonded ? peripheral.model.address : firstAddress }

    /// Whether BlueZ forgets it soon after it was last heard or used.
    var isTemporary: Bool { adapter.radio.kept[peripheral.model.address] == nil }

    /// How every one of them serves its interface.
    static func makeInterface() -> InterfacePattern<DeviceObject> {
        let devices = InterfacePattern<DeviceObject>(Device1.self)
        serveProperties(devices)
        devices.handle(Device1.connect) { $0.connect($1, byLowEnergy: false) }
        devices.handle(Device1.disconnect) { $0.disconnect($1) }
        devices.handle(Device1.pair) { $0.pair($1) }
        devices.handle(Device1.cancelPairing) { $0.cancelPairing($1) }
        return devices
    }

    /// What BlueZ has of devices that can do both.
    private func makeBearer() -> [ExportedInterface] {
        guard peripheral.model.dualMode?.offersBearer == true else { return [] }
        let interface = ExportedInterface(BearerLE1.self)
        if peripheral.model.dualMode?.isHollow == true { return [interface] }
        interface.handle(BearerLE1.connect) { [unowned self] in self.connect($0, byLowEnergy: true) }
        return [interface]
    }

    func changed<Content>(_ property: Property<Content>, to content: Content) {
        bluez.changed(path, property, to: content)
    }

    // MARK: Heard

    func heard(_ strength: Int16) {
        lastUsed()
        var news: Properties = [:]
        if self.strength != strength { news[Device1.rssi.name.text] = Variant(strength) }
        self.strength = strength
        let before = broadcast
        broadcast = peripheral.broadcast(at: bluez.loop.now)
        let isFirst = !wasHeard || adapter.discovery.tellsDuplicates
        wasHeard = true
        func tell(_ name: String) {
            news[name] = object[Device1.name]?.property(name).map { Variant(content: $0) }
        }
        if isFirst || before.manufacturerData != broadcast.manufacturerData {
            tell(Device1.manufacturerData.name.text)
        }
        if isFirst || before.serviceData != broadcast.serviceData { tell(Device1.serviceData.name.text) }
        if !news.isEmpty { bluez.changed(path, Device1.name, news) }
    }

    func discoveryEnded() {
        guard strength != nil else { return }
        strength = nil
        bluez.changed(path, Device1.name, [:], invalidated: [Device1.rssi.name.text])
    }

    /// Temporary devices are kept for a while after this.
    private func lastUsed() {
        guard isTemporary else { return bluez.cancel(expiry) }
        bluez.arm(expiry, after: bluez.timing.temporary)
    }

    // MARK: Connect

    private func connect(_ call: Invocation, byLowEnergy: Bool) {
        guard adapter.radio.isPowered else { return call.fail(.adapterOff) }
        guard link == nil else { return call.reply() }
        guard !stored.isBlocked else { return call.fail(.aborted) }
        guard connecting == nil else { return call.fail(.connecting) }
        connecting = call
        guard peripheral.model.dualMode == nil || byLowEnergy || stored.prefersLowEnergy else {
            // Nobody answers a page.
            bluez.after(bluez.timing.paging) { [weak self] in
                if self?.link == nil { self?.connectFailed(.failed("br-connection-page-timeout")) }
            }
            return
        }
        adapter.connector.connect(self)
    }

    func linkUp(answered: Bool, told: Bool = true) {
        bluez.cancel(expiry)
        link = Link(to: peripheral, bluez) { [unowned self] in self.linkDown() }
        if !answered { connecting = nil }
        if told { changed(Device1.connected, to: true) }
        let timing = bluez.timing
        if pairing?.client != nil { pairing?.exchange.begin() }
        if stored.isBonded, !peripheral.hasBond {
            // It has lost its keys, and ends what it cannot understand.
            bluez.after(timing.bondLost) { [weak link] in link?.drop() }
        }
        bluez.after(timing.connectReply) { [weak self, weak link] in
            if link != nil { self?.connectSucceeded() }
        }
        bluez.after(timing.connectReply + timing.resolving) { [weak self, weak link] in
            if let link { self?.resolve(link) }
        }
    }

    func connectSucceeded() {
        connecting?.reply()
        connecting = nil
    }

    func connectFailed(_ failure: BluezFailure) {
        connecting?.fail(failure)
        connecting = nil
        if link == nil { pairing?.exchange.end(PairingExchange.unreached) }
        if link == nil { lastUsed() }
    }

    /// The attempt failed in the way in which BlueZ answers nothing.
    func connectForgotten() {
        connecting = nil
        if isTemporary { adapter.remove(self) }
    }

    // MARK: Services

    /// The services are known: at the end of a connection's first moments, or when a fault no longer holds them back.
    func resolve(_ link: Link) {
        guard link === self.link, link.isOpen, !isResolved, peripheral.behavior.resolves, !link.isStranded
        else { return }
        isResolved = true
        var news: Properties = [:]
        if !wasResolved {
            wasResolved = true
            news[Device1.uuids.name.text] = Variant(uuids)
        }
        let tree = gatt ?? GattTree(self)
        gatt = tree
        tree.publish()
        if let percentage = tree.battery() { bluez.added(object, percentage) }
        news[Device1.servicesResolved.name.text] = Variant(true)
        bluez.changed(path, Device1.name, news)
        tree.connected()
    }

    /// Loses Battery1 and gets it again.
    func blinkBattery() {
        guard object[Battery1.name] != nil, let battery = gatt?.battery() else { return }
        bluez.removed(object, Battery1.name)
        bluez.added(object, battery)
    }

    func behaviorChanged() {
        if let link { resolve(link) }
    }

    /// The peripheral has other services now: the objects go, and come back in other places.
    func servicesChanged() {
        gatt?.disconnected()
        gatt?.withdraw()
        gatt = nil
        guard isResolved, let link else { return }
        isResolved = false
        changed(Device1.servicesResolved, to: false)
        bluez.after(bluez.timing.resolving) { [weak self, weak link] in
            if let link { self?.resolve(link) }
        }
    }

    /// Told just before the connection is: BlueZ since 5.83.
    private func tellReason(_ reason: String) {
        guard bluez.world.tellsReasons else { return }
        bluez.bus.emit(
            Signal(
                path, Device1.name, Device1.disconnected.name,
                ["org.bluez.Reason.\(reason)".value, "the connection has ended".value]))
    }

    func left(_ client: BusName) {
        gatt?.left(client)
        if pairing?.client == client { pairing?.exchange.end(PairingExchange.canceled) }
    }

    // MARK: Disconnect

    private func disconnect(_ call: Invocation) {
        if connecting != nil {
            adapter.connector.cancel(self)
            connectFailed(.canceled)
        }
        guard link != nil else { return call.reply() }
        disconnecting.append(call)
        guard disconnecting.count == 1 else { return }
        disconnection = bluez.after(bluez.timing.disconnecting) { [weak self] in self?.link?.drop() }
    }

    /// Whether the adapter goes.
    private var isCutOff = false

    private func linkDown() {
        let wasBlocked = link?.isBlocked == true
        let isLocal = disconnecting.isEmpty == false || isCutOff
        tellReason(isLocal ? "Local" : peripheral.isInRange ? "Remote" : "Timeout")
        link = nil
        bluez.cancel(disconnection)
        pairing?.exchange.end(PairingExchange.canceled)
        gatt?.disconnected()
        if object[Battery1.name] != nil { bluez.removed(object, Battery1.name) }
        var news: Properties = [Device1.connected.name.text: Variant(false)]
        if isResolved { news[Device1.servicesResolved.name.text] = Variant(false) }
        isResolved = false
        // The real one replies first. Some clients, such as bleak, close their connection at the signal.
        for call in disconnecting { call.reply() }
        disconnecting = []
        bluez.changed(path, Device1.name, news)
        connectFailed(.aborted)
        if wasBlocked, isTemporary { adapter.remove(self) } else { lastUsed() }
    }

    // MARK: Ends

    /// The adapter is no longer there for it.
    func cutOff() {
        adapter.connector.cancel(self)
        connectFailed(.canceled)
        isCutOff = true
        link?.drop()
        isCutOff = false
    }

    /// The object goes: no timer of it acts any more.
    func die() {
        bluez.cancel(expiry)
        bluez.cancel(disconnection)
        adapter.connector.cancel(self)
        connecting = nil
        pairing = nil
        link?.close()
        link = nil
        gatt?.disconnected()
    }

    func withdraw() {
        gatt?.withdraw()
        bluez.withdraw(object)
    }
}
