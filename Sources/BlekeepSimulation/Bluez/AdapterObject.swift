import Blekeep
import DBus
import RunLoop

/// An adapter as bluetoothd exports it, with the devices that it knows.
final class AdapterObject {
    let radio: Radio
    let path: ObjectPath
    let bluez: SimulatedBluez
    private(set) var devices: [DeviceObject] = []
    private(set) lazy var discovery = Discovery(self)
    private(set) lazy var connector = Connector(self)
    private(set) lazy var monitors = AdvertisementMonitors(self)
    private lazy var object = ExportedObject(
        path, [makeInterface()] + (radio.model.offersMonitors ? [monitors.interface] : []))
    private var isDiscoverable = false
    private var isPairable = true

    init(_ radio: Radio, _ bluez: SimulatedBluez) {
        self.radio = radio
        self.bluez = bluez
        path = ObjectPath(unchecked: "/org/bluez/hci\(radio.index)")
        bluez.publish(object)
        for peripheral in bluez.world.peripherals where radio.kept[peripheral.model.address] != nil {
            devices.append(DeviceObject(peripheral, self))
        }
    }

    var connections: Int { devices.count { $0.link != nil } }

    func changed<Content>(_ property: Property<Content>, to content: Content) {
        bluez.changed(path, property, to: content)
    }

    // MARK: What happens around it

    func radioChanged(_ peripheral: RadioPeripheral) {
        discovery.listen(to: peripheral)
        connector.tryNext()
    }

    /// - Returns: the device's object.
    @discardableResult
    func heard(_ peripheral: RadioPeripheral, _ strength: Int16) -> ObjectPath {
        let address = peripheral.address(at: bluez.bus.loop.now)
        // Who is not bonded is a stranger under each of its addresses.
        let known = devices.first {
            $0.peripheral === peripheral && ($0.stored.isBonded || $0.firstAddress == address)
        }
        if let device = known {
            device.heard(strength)
            return device.path
        }
        let device = DeviceObject(peripheral, self, heard: strength)
        devices.append(device)
        return device.path
    }

    /// The services of a device whose object has none yet.
    func tree(of device: DeviceObject) -> GattTree {
        let shift = device.peripheral.handleShift
        if let tree = radio.trees[device.path], tree.shift == shift {
            tree.serve(device)
            return tree
        }
        // Private addresses come and go.
        if radio.trees.count > 64 { radio.trees = [:] }
        let tree = GattTree(device, after: shift)
        radio.trees[device.path] = tree
        return tree
    }

    func discoveryEnded() {
        for device in devices { device.discoveryEnded() }
    }

    func left(_ client: BusName) {
        discovery.left(client)
        monitors.left(client)
        for device in devices { device.left(client) }
    }

    /// Switches the adapter on or off.
    func power(_ isOn: Bool) {
        guard radio.isPowered != isOn else { return }
        radio.isPowered = isOn
        // The kernel ends the links first, and says that this machine did.
        if !isOn { for device in devices { device.cutOff() } }
        changed(Adapter1.powered, to: isOn)
        if isOn { cure(.powerCycle) }
        guard !isOn else { return discovery.monitorsChanged() }
        discovery.stopAll()
        discovery.monitorsChanged()
    }

    /// Nothing goes through the radio any more.
    func wedged(sparing name: String?) {
        for device in devices where device.peripheral.model.name != name { device.link?.drop() }
        discovery.monitorsChanged()
    }

    /// Does what helps some radios that are stuck.
    func cure(_ cure: Cure) {
        guard let needed = radio.wedge, cure.rawValue >= needed.rawValue else { return }
        radio.wedge = nil
        for peripheral in bluez.world.peripherals { radioChanged(peripheral) }
    }

    // MARK: Ends

    func remove(_ device: DeviceObject) {
        devices.removeAll { $0 === device }
        device.die()
        device.withdraw()
    }

    /// Tells that it is off, as at bluetoothd's end.
    func sayOff() { changed(Adapter1.powered, to: false) }

    /// The adapter was pulled out.
    func unplug() {
        discovery.stopAll()
        for device in devices {
            device.cutOff()
            remove(device)
        }
        bluez.withdraw(object)
    }

    /// bluetoothd ends: connections are lost, and nobody is told.
    func die() {
        for device in devices { device.die() }
        devices = []
    }

    // MARK: The interface

    private func makeInterface() -> ExportedInterface {
        let interface = ExportedInterface(Adapter1.self)
        serveProperties(interface)
        acceptProperties(interface)
        interface.handle(Adapter1.setDiscoveryFilter) { [unowned self] call in
            call.answer { () throws(BluezFailure) in
                try self.discovery.setFilter(Properties(call.arguments[0]) ?? [:], of: call.sender)
            }
        }
        interface.handle(Adapter1.startDiscovery) { [unowned self] call in
            call.answer { () throws(BluezFailure) in try self.discovery.start(for: call.sender) }
        }
        interface.handle(Adapter1.stopDiscovery) { [unowned self] call in
            call.answer { () throws(BluezFailure) in try self.discovery.stop(for: call.sender) }
        }
        interface.handle(Adapter1.removeDevice) { [unowned self] call in
            call.answer { () throws(BluezFailure) in try self.forget(ObjectPath(call.arguments[0])) }
        }
        return interface
    }

    private func serveProperties(_ interface: ExportedInterface) {
        interface.serve(Adapter1.address) { [unowned self] in self.radio.model.address.description }
        interface.serve(Adapter1.addressType) { "public" }
        interface.serve(Adapter1.systemName) { [unowned self] in self.radio.model.name }
        interface.serve(Adapter1.alias) { [unowned self] in self.radio.alias }
        interface.serve(Adapter1.powered) { [unowned self] in self.radio.isPowered }
        interface.serve(Adapter1.discoverable) { [unowned self] in self.isDiscoverable }
        interface.serve(Adapter1.pairable) { [unowned self] in self.isPairable }
        interface.serve(Adapter1.discovering) { [unowned self] in self.discovery.isOn }
        interface.serve(Adapter1.uuids) { [0x1801, 0x1800, 0x180A].map { BluetoothUUID($0).full } }
        // We never ask for it, so it is in no table; but bleak takes an adapter without it for none.
        let roles: Property<[String]> = Adapter1.property("Roles")
        interface.serve(roles) { ["central", "peripheral"] }
    }

    private func acceptProperties(_ interface: ExportedInterface) {
        interface.accept(Adapter1.powered) { [unowned self] isOn in
            self.power(isOn)
            return true
        }
        interface.accept(Adapter1.alias) { [unowned self] alias in
            self.radio.alias = alias.isEmpty ? self.radio.model.name : alias
            self.changed(Adapter1.alias, to: self.radio.alias)
            return true
        }
        interface.accept(Adapter1.discoverable) { [unowned self] isOn in
            self.isDiscoverable = isOn
            self.changed(Adapter1.discoverable, to: isOn)
            return true
        }
        interface.accept(Adapter1.pairable) { [unowned self] isOn in
            self.isPairable = isOn
            self.changed(Adapter1.pairable, to: isOn)
            return true
        }
    }

    private func forget(_ path: ObjectPath?) throws(BluezFailure) {
        guard let device = devices.first(where: { $0.path == path }) else { throw .doesNotExist }
        radio.kept[device.peripheral.model.address] = nil
        device.cutOff()
        remove(device)
    }
}
