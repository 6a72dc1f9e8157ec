import BlekeepRecords
import DBus
import RunLoop

/// The D-Bus object of a remote device: BlueZ's knowledge of a peripheral, and its connection.
final class DeviceObject {
    let peripheral: RadioPeripheral
    let path: ObjectPath
    let adapter: AdapterObject
    /// The address that BlueZ heard first. The path has it until bluetoothd ends.
    let firstAddress: BluetoothAddress
    var stored: StoredDevice
    private(set) var heard = HeardAdvertisement()
    private(set) lazy var connection = DeviceConnection(self)
    private(set) lazy var services = DeviceServices(self)
    private(set) lazy var object = ExportedObject(path, [bluez.deviceInterface.of(self)] + makeBearer())
    /// The time to remove a temporary device.
    private lazy var expiry = bluez.timer { [weak self] in
        guard let self, self.link == nil, self.isTemporary else { return }
        self.adapter.remove(self)
    }
    /// The pairing in progress, and the client that requested it.
    var pairing: (exchange: PairingExchange, client: BusName?)?

    /// - Parameter heard: the signal strength of a discovered device; `nil` for others.
    init(_ peripheral: RadioPeripheral, adapter: AdapterObject, heard strength: Int16? = nil) {
        self.peripheral = peripheral
        self.adapter = adapter
        stored = adapter.radio.kept[peripheral.model.address] ?? StoredDevice()
        firstAddress = stored.isBonded ? peripheral.model.address : peripheral.address(at: adapter.bluez.loop.now)
        path = ObjectPath(unchecked: "\(adapter.path)/dev_" + firstAddress.joined(by: "_"))
        if let strength { hear(strength) }
        bluez.publish(object)
        lastUsed()
    }

    var bluez: SimulatedBluez { adapter.bluez }
    /// Whether the peripheral is in range of the adapter.
    var isReached: Bool { bluez.host.reaches(peripheral, with: adapter.radio) }
    var link: PeripheralLink? { connection.link }

    /// The address in BlueZ: the permanent one after bonding.
    var address: BluetoothAddress { stored.isBonded ? peripheral.model.address : firstAddress }

    /// Whether BlueZ removes it soon after its last use.
    var isTemporary: Bool { adapter.radio.kept[peripheral.model.address] == nil }

    /// The shared members of all devices.
    static func makeInterface() -> InterfacePattern<DeviceObject> {
        let devices = InterfacePattern<DeviceObject>(Device1.self)
        serveProperties(devices)
        devices.handle(Device1.connect) { $0.connection.connect($1, byLowEnergy: false) }
        devices.handle(Device1.disconnect) { $0.connection.disconnect($1) }
        devices.handle(Device1.pair) { $0.pair($1) }
        devices.handle(Device1.cancelPairing) { $0.cancelPairing($1) }
        return devices
    }

    /// The bearer interface of devices with both kinds of Bluetooth.
    private func makeBearer() -> [ExportedInterface] {
        guard peripheral.model.dualMode?.offersBearer == true else { return [] }
        let interface = ExportedInterface(BearerLE1.self)
        if peripheral.model.dualMode?.isHollow == true { return [interface] }
        interface.handle(BearerLE1.connect) { [unowned self] in self.connection.connect($0, byLowEnergy: true) }
        return [interface]
    }

    func changed<Content>(_ property: Property<Content>, to content: Content) {
        bluez.changed(path, property: property, to: content)
    }

    // MARK: Advertisements

    func heard(_ strength: Int16) {
        lastUsed()
        let changes = hear(strength)
        var news: Properties = [:]
        func tell(_ name: String) {
            news[name] = object[Device1.name]?.property(name).map { Variant(content: $0) }
        }
        if changes.name { tell(Device1.deviceName.name.text) }
        if changes.strength { news[Device1.rssi.name.text] = Variant(strength) }
        if changes.manufacturerData { tell(Device1.manufacturerData.name.text) }
        if changes.serviceData { tell(Device1.serviceData.name.text) }
        if !news.isEmpty { bluez.changed(path, interface: Device1.name, properties: news) }
    }

    @discardableResult
    private func hear(_ strength: Int16) -> HeardAdvertisement.News {
        let tellsDuplicates = adapter.discovery.tellsDuplicates && !bluez.host.keepsRecords
        return heard.hear(
            strength, name: peripheral.advertisedName, broadcast: peripheral.broadcast(at: bluez.loop.now),
            tellsDuplicates: tellsDuplicates)
    }

    /// The name in BlueZ, which keeps those of devices that it knows.
    var name: String? { heard.name ?? (isTemporary ? nil : peripheral.name) }

    func discoveryEnded() {
        guard heard.endDiscovery() else { return }
        bluez.changed(path, interface: Device1.name, properties: [:], invalidated: [Device1.rssi.name.text])
    }

    /// Restarts the time that BlueZ keeps a temporary device.
    func lastUsed() {
        guard isTemporary else { return use() }
        bluez.arm(expiry, after: bluez.timing.temporary)
    }

    /// Keeps the device, because it is in use.
    func use() { bluez.cancel(expiry) }

    // MARK: Events

    func behaviorChanged() {
        if let link { services.resolve(link) }
    }

    func left(_ client: BusName) {
        services.left(client)
        if pairing?.client == client { pairing?.exchange.end(PairingExchange.canceled) }
    }

    // MARK: End

    /// Stops all timers, because the object is removed.
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
