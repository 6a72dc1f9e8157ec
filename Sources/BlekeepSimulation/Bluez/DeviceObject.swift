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
    var stored: StoredDevice
    private(set) var heard = HeardAdvertisement()
    private(set) lazy var connection = DeviceConnection(self)
    private(set) lazy var services = DeviceServices(self)
    private(set) lazy var object = ExportedObject(path, [bluez.deviceInterface.of(self)] + makeBearer())
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
        if let strength {
            _ = heard.hear(strength, peripheral.broadcast(at: adapter.bluez.loop.now), tellsDuplicates: false)
        }
        stored = adapter.radio.kept[peripheral.model.address] ?? StoredDevice()
        firstAddress = stored.isBonded ? peripheral.model.address : peripheral.address(at: adapter.bluez.loop.now)
        path = ObjectPath(unchecked: "\(adapter.path)/dev_" + firstAddress.joined(by: "_"))
        bluez.publish(object)
        lastUsed()
    }

    var bluez: SimulatedBluez { adapter.bluez }
    var link: Link? { connection.link }

    /// The address that BlueZ tells: the real one as soon as it is bonded.
    var address: BluetoothAddress { stored.isBonded ? peripheral.model.address : firstAddress }

    /// Whether BlueZ forgets it soon after it was last heard or used.
    var isTemporary: Bool { adapter.radio.kept[peripheral.model.address] == nil }

    /// How every one of them serves its interface.
    static func makeInterface() -> InterfacePattern<DeviceObject> {
        let devices = InterfacePattern<DeviceObject>(Device1.self)
        serveProperties(devices)
        devices.handle(Device1.connect) { $0.connection.connect($1, byLowEnergy: false) }
        devices.handle(Device1.disconnect) { $0.connection.disconnect($1) }
        devices.handle(Device1.pair) { $0.pair($1) }
        devices.handle(Device1.cancelPairing) { $0.cancelPairing($1) }
        return devices
    }

    /// What BlueZ has of devices that can do both.
    private func makeBearer() -> [ExportedInterface] {
        guard peripheral.model.dualMode?.offersBearer == true else { return [] }
        let interface = ExportedInterface(BearerLE1.self)
        if peripheral.model.dualMode?.isHollow == true { return [interface] }
        interface.handle(BearerLE1.connect) { [unowned self] in self.connection.connect($0, byLowEnergy: true) }
        return [interface]
    }

    func changed<Content>(_ property: Property<Content>, to content: Content) {
        bluez.changed(path, property, to: content)
    }

    // MARK: Heard

    func heard(_ strength: Int16) {
        lastUsed()
        let changes = heard.hear(
            strength, peripheral.broadcast(at: bluez.loop.now), tellsDuplicates: adapter.discovery.tellsDuplicates)
        var news: Properties = [:]
        func tell(_ name: String) {
            news[name] = object[Device1.name]?.property(name).map { Variant(content: $0) }
        }
        if changes.strength { news[Device1.rssi.name.text] = Variant(strength) }
        if changes.manufacturerData { tell(Device1.manufacturerData.name.text) }
        if changes.serviceData { tell(Device1.serviceData.name.text) }
        if !news.isEmpty { bluez.changed(path, Device1.name, news) }
    }

    func discoveryEnded() {
        guard heard.endDiscovery() else { return }
        bluez.changed(path, Device1.name, [:], invalidated: [Device1.rssi.name.text])
    }

    /// Keeps a temporary device for a while after this.
    func lastUsed() {
        guard isTemporary else { return use() }
        bluez.arm(expiry, after: bluez.timing.temporary)
    }

    /// Keeps the device, as it is in use.
    func use() { bluez.cancel(expiry) }

    // MARK: What happens around it

    func behaviorChanged() {
        if let link { services.resolve(link) }
    }

    func left(_ client: BusName) {
        services.left(client)
        if pairing?.client == client { pairing?.exchange.end(PairingExchange.canceled) }
    }

    // MARK: Ends

    /// The object goes: no timer of it acts any more.
    func die() {
        use()
        pairing = nil
        connection.die()
        services.silence()
    }

    func withdraw() {
        services.withdraw()
        bluez.withdraw(object)
    }
}
