import BlekeepRecords
import DBus
import RunLoop

/// The D-Bus object of an adapter, with its devices.
final class AdapterObject {
    let radio: Radio
    let path: ObjectPath
    let bluez: SimulatedBluez
    private(set) var devices: [DeviceObject] = []
    private(set) lazy var discovery = AdapterDiscovery(self)
    private(set) lazy var connector = Connector(self)
    private(set) lazy var monitors = AdvertisementMonitors(self)
    private lazy var object = ExportedObject(
        path,
        [bluez.adapterInterface.of(self), advertising] + (radio.model.offersMonitors ? [monitors.interface] : []))
    private lazy var advertising = {
        let interface = ExportedInterface(LEAdvertisingManager1.self)
        interface.serve(LEAdvertisingManager1.supportedSecondaryChannels, is: radio.model.secondaryChannels)
        return interface
    }()
    private var isDiscoverable = false
    private var isPairable = true

    init(_ radio: Radio, _ bluez: SimulatedBluez) {
        self.radio = radio
        self.bluez = bluez
        path = ObjectPath(unchecked: "/org/bluez/hci\(radio.index)")
        bluez.publish(object)
        for peripheral in bluez.air.peripherals where radio.kept[peripheral.model.address] != nil {
            devices.append(DeviceObject(peripheral, adapter: self))
        }
    }

    var connections: Int { devices.count { $0.link != nil } }

    func changed<Content>(_ property: Property<Content>, to content: Content) {
        bluez.changed(path, property: property, to: content)
    }

    // MARK: Events

    func radioChanged(_ peripheral: RadioPeripheral) {
        discovery.listen(to: peripheral)
        connector.tryNext()
    }

    /// - Returns: the device's object.
    @discardableResult
    func heard(_ peripheral: RadioPeripheral, at strength: Int16) -> ObjectPath {
        let address = peripheral.address(at: bluez.loop.now)
        // A device that isn't bonded is a new device with each address.
        let known = devices.first { $0.peripheral === peripheral && ($0.stored.isBonded || $0.firstAddress == address) }
        if let device = known {
            device.heard(strength)
            return device.path
        }
        let device = DeviceObject(peripheral, adapter: self, heard: strength)
        devices.append(device)
        return device.path
    }

    func discoveryEnded() {
        for device in devices { device.discoveryEnded() }
    }

    func left(_ client: BusName) {
        discovery.left(client)
        monitors.left(client)
        for device in devices { device.left(client) }
    }

    /// Turns the adapter on or off.
    func power(_ isOn: Bool) {
        guard radio.isPowered != isOn else { return }
        radio.isPowered = isOn
        // The kernel first ends the connections, with this machine as the cause.
        if !isOn { for device in devices { device.connection.cutOff() } }
        changed(Adapter1.powered, to: isOn)
        if isOn { cure(.powerCycle) }
        guard !isOn else { return discovery.monitorsChanged() }
        discovery.stopAll()
        discovery.monitorsChanged()
    }

    /// Makes the adapter stuck.
    func wedged(sparing name: String?) {
        for device in devices where device.peripheral.model.name != name { device.link?.drop() }
        discovery.monitorsChanged()
    }

    /// Applies a cure to a stuck adapter.
    func cure(_ cure: Cure) {
        guard let needed = radio.wedge, cure.rawValue >= needed.rawValue else { return }
        radio.wedge = nil
        for peripheral in bluez.air.peripherals { radioChanged(peripheral) }
    }

    // MARK: End

    func remove(_ device: DeviceObject) {
        devices.removeAll { $0 === device }
        device.die()
        device.withdraw()
    }

    /// Reports that the adapter is off, as bluetoothd does at its end.
    func sayOff() { changed(Adapter1.powered, to: false) }

    func unplug() {
        discovery.stopAll()
        for device in devices {
            device.connection.cutOff()
            remove(device)
        }
        bluez.withdraw(object)
    }

    /// Ends with bluetoothd. Connections are lost without signals.
    func die() {
        for device in devices { device.die() }
        devices = []
    }

    // MARK: The interface

    /// The shared members of all adapters.
    static func makeInterface() -> InterfacePattern<AdapterObject> {
        let adapters = InterfacePattern<AdapterObject>(Adapter1.self)
        serveProperties(adapters)
        acceptProperties(adapters)
        adapters.answer(Adapter1.setDiscoveryFilter) { adapter, call throws(BluezFailure) in
            try adapter.discovery.setFilter(Properties(call.arguments[0]) ?? [:], of: call.sender)
        }
        adapters.answer(Adapter1.startDiscovery) { adapter, call throws(BluezFailure) in
            try adapter.discovery.start(for: call.sender)
        }
        adapters.answer(Adapter1.stopDiscovery) { adapter, call throws(BluezFailure) in
            try adapter.discovery.stop(for: call.sender)
        }
        adapters.answer(Adapter1.removeDevice) { adapter, call throws(BluezFailure) in
            try adapter.forget(ObjectPath(call.arguments[0]))
        }
        return adapters
    }

    private static func serveProperties(_ adapters: InterfacePattern<AdapterObject>) {
        let services = [0x1801, 0x1800, 0x180A].map { BluetoothUUID($0).full }
        // blekeep doesn't use this property, but bleak ignores an adapter without it.
        let roles: Property<[String]> = Adapter1.property("Roles")
        adapters.serve(Adapter1.address) { $0.radio.model.address.description }
        adapters.serve(Adapter1.addressType) { _ in "public" }
        adapters.serve(Adapter1.systemName) { $0.radio.model.name }
        adapters.serve(Adapter1.alias) { $0.radio.alias }
        adapters.serve(Adapter1.powered) { $0.radio.isPowered }
        adapters.serve(Adapter1.discoverable) { $0.isDiscoverable }
        adapters.serve(Adapter1.pairable) { $0.isPairable }
        adapters.serve(Adapter1.discovering) { $0.discovery.isOn }
        adapters.serve(Adapter1.uuids) { _ in services }
        adapters.serve(roles) { _ in ["central", "peripheral"] }
    }

    private static func acceptProperties(_ adapters: InterfacePattern<AdapterObject>) {
        adapters.accept(Adapter1.powered) { adapter, isOn in
            adapter.power(isOn)
            return true
        }
        adapters.accept(Adapter1.alias) { adapter, alias in
            adapter.radio.alias = alias.isEmpty ? adapter.radio.model.name : alias
            adapter.changed(Adapter1.alias, to: adapter.radio.alias)
            return true
        }
        adapters.accept(Adapter1.discoverable) { adapter, isOn in
            adapter.isDiscoverable = isOn
            adapter.changed(Adapter1.discoverable, to: isOn)
            return true
        }
        adapters.accept(Adapter1.pairable) { adapter, isOn in
            adapter.isPairable = isOn
            adapter.changed(Adapter1.pairable, to: isOn)
            return true
        }
    }

    private func forget(_ path: ObjectPath?) throws(BluezFailure) {
        guard let device = devices.first(where: { $0.path == path }) else { throw .doesNotExist }
        radio.kept[device.peripheral.model.address] = nil
        device.connection.cutOff()
        remove(device)
    }
}
