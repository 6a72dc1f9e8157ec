import BlekeepRecords
import DBus

/// A device's services in bluetoothd, which resolves them on each connection, and keeps them in between.
final class DeviceServices {
    private unowned let device: DeviceObject
    private(set) var isResolved = false
    private var wasResolved = false
    /// Whether BlueZ caches other services than the peripheral has.
    var isStale = false
    /// Whether the connection is by classic Bluetooth, which has no characteristics.
    var isClassic = false
    private var gatt: GattObjects?

    init(_ device: DeviceObject) { self.device = device }

    private var bluez: SimulatedBluez { device.bluez }

    /// The services that BlueZ knows: all after they were resolved.
    var uuids: [String] {
        if isClassic { return [BluetoothUUID(0x1101).full] }
        return wasResolved ? device.peripheral.services : device.peripheral.advertised
    }

    /// Finishes resolving, after the usual time, or when a fault ends.
    func resolve(_ link: PeripheralLink) {
        guard link === device.link, link.isOpen, !isResolved, device.peripheral.behavior.resolves, !link.isStranded
        else { return }
        isResolved = true
        var news: Properties = [Device1.servicesResolved.name.text: Variant(true)]
        if isClassic || !wasResolved {
            wasResolved = !isClassic
            news[Device1.uuids.name.text] = Variant(uuids)
        }
        switch device.peripheral.behavior.exporting {
        case _ where isClassic: gatt?.withdraw()
        case .never: gatt?.withdraw()
        case .late(let delay): publish(on: link, after: delay)
        case .well: publish()
        }
        bluez.changed(device.path, interface: Device1.name, properties: news)
        gatt?.connected()
    }

    /// Exports the objects, and Battery1.
    private func publish() {
        let tree = gatt ?? GattObjects(device)
        gatt = tree
        tree.publish()
        let delay = device.peripheral.behavior.batteryDelay
        if delay > .zero, let link = device.link {
            whileResolved(on: link, after: delay) { $0.showBattery() }
        } else {
            showBattery()
        }
    }

    private func showBattery() {
        if let percentage = gatt?.battery() { bluez.added(device.object, interface: percentage) }
    }

    private func publish(on link: PeripheralLink, after delay: Duration) {
        gatt?.withdraw()
        whileResolved(on: link, after: delay) {
            $0.publish()
            $0.gatt?.connected()
        }
    }

    private func whileResolved(
        on link: PeripheralLink, after delay: Duration, _ action: @escaping (DeviceServices) -> Void
    ) {
        bluez.after(delay) { [weak self, weak link] in
            if let self, let link, link === device.link, isResolved { action(self) }
        }
    }

    /// Resolves the services after the usual time, if the connection lasts.
    func resolve(_ link: PeripheralLink?, after delay: Duration) {
        bluez.after(delay) { [weak self, weak link] in
            if let link { self?.resolve(link) }
        }
    }

    /// Replaces the objects, because the peripheral has other services.
    func change() {
        gatt?.disconnected()
        gatt?.withdraw()
        gatt = nil
        guard isResolved, let link = device.link else { return }
        isResolved = false
        device.changed(Device1.servicesResolved, to: false)
        resolve(link, after: bluez.timing.resolving)
    }

    /// The peripheral answers at a characteristic.
    func answer(_ bytes: [UInt8], at characteristic: BluetoothUUID, isNotified: Bool) {
        gatt?.answer(bytes, at: characteristic, isNotified: isNotified)
    }

    /// Removes Battery1, and adds it again.
    func blinkBattery() {
        guard device.object[Battery1.name] != nil, let battery = gatt?.battery() else { return }
        bluez.removed(device.object, interface: Battery1.name)
        bluez.added(device.object, interface: battery)
    }

    /// Notes the end of the connection. Returns whether the services were resolved.
    func disconnected() -> Bool {
        silence()
        if device.object[Battery1.name] != nil { bluez.removed(device.object, interface: Battery1.name) }
        defer { isResolved = false }
        return isResolved
    }

    /// Ends the notifications.
    func silence() { gatt?.disconnected() }

    func left(_ client: BusName) { gatt?.left(client) }

    func withdraw() { gatt?.withdraw() }
}
