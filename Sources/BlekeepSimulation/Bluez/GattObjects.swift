import BlekeepRecords
import DBus

/// The D-Bus objects of a device's services, characteristics and descriptors.
final class GattObjects {
    private unowned let device: DeviceObject
    private var objects: [ExportedObject] = []
    private var characteristics: [CharacteristicObject] = []
    private var descriptors: [DescriptorObject] = []
    private var isPublished = false

    init(_ device: DeviceObject) {
        self.device = device
        let peripheral = device.peripheral
        for service in GattLayout(peripheral.model, after: peripheral.handleShift).services { add(service) }
    }

    private func add(_ service: GattLayout.Service) {
        let path = ObjectPath(unchecked: "\(device.path)/service\(String(hex: UInt(service.handle), width: 4))")
        let interface = ExportedInterface(GattService1.self)
        interface.serve(GattService1.uuid, is: service.uuid.full)
        interface.serve(GattService1.device, is: device.path)
        interface.serve(GattService1.primary, is: true)
        interface.serve(GattService1.includes, is: [])
        let isHidden = device.peripheral.model.hidesBatteryService && service.uuid == BluetoothUUID(0x180F)
        if !isHidden { objects.append(ExportedObject(path, [interface])) }
        for place in service.places {
            let characteristic = CharacteristicObject(place, of: path, device: device)
            characteristics.append(characteristic)
            if isHidden { continue }
            objects.append(characteristic.object)
            for (descriptor, handle) in place.descriptors {
                descriptors.append(DescriptorObject(descriptor, handle: handle, of: characteristic))
            }
            objects += descriptors.suffix(place.descriptors.count).map(\.object)
        }
    }

    /// Exports the objects, unless they stayed from an earlier connection.
    func publish() {
        guard !isPublished else { return }
        isPublished = true
        for object in objects { device.bluez.publish(object) }
    }

    func withdraw() {
        guard isPublished else { return }
        isPublished = false
        for object in objects.reversed() { device.bluez.withdraw(object) }
    }

    func connected() {
        for characteristic in characteristics { characteristic.notifier.connected() }
    }

    func disconnected() {
        for characteristic in characteristics { characteristic.notifier.disconnected() }
    }

    func answer(_ bytes: [UInt8], at characteristic: BluetoothUUID, isNotified: Bool) {
        for each in characteristics where each.uuid == characteristic { each.answer(bytes, isNotified: isNotified) }
    }

    func left(_ client: BusName) {
        for characteristic in characteristics { characteristic.notifier.left(client) }
    }

    /// The battery level that bluetoothd itself read; `nil` when there is none.
    func battery() -> ExportedInterface? {
        let batteryLevel = BluetoothUUID(0x2A19)
        guard let level = characteristics.first(where: { $0.uuid == batteryLevel })?.currentValue.first
        else { return nil }
        let interface = ExportedInterface(Battery1.self)
        interface.serve(Battery1.percentage, is: min(level, 100))
        return interface
    }
}
