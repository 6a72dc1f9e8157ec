import Blekeep
import DBus
import RunLoop

/// The services, characteristics and descriptors of a device as bluetoothd exports them.
///
/// It outlives the device's object, which BlueZ may forget and make anew at every tick, and bluetoothd itself: to build
/// it takes long.
final class GattTree {
    /// How far all handles stand behind where they usually do.
    let shift: Int
    private let seat: Seat
    private var objects: [ExportedObject] = []
    private var characteristics: [CharacteristicObject] = []
    /// Those of them that anybody can subscribe to.
    private var notifying: [CharacteristicObject] = []
    private var isPublished = false

    init(_ device: DeviceObject, after shift: Int) {
        self.shift = shift
        seat = Seat(device)
        for service in GattLayout(device.peripheral.model, after: shift).services { add(service, device) }
    }

    /// Which object of the device it belongs to just now: one place for all of it.
    final class Seat {
        fileprivate(set) unowned var device: DeviceObject

        init(_ device: DeviceObject) { self.device = device }
    }

    private func add(_ service: GattLayout.Service, _ device: DeviceObject) {
        let path = ObjectPath(unchecked: "\(device.path)/service\(String(hex: UInt(service.handle), width: 4))")
        let interface = ExportedInterface(GattService1.self)
        interface.serve(GattService1.uuid, is: service.uuid.full)
        interface.serve(GattService1.device, is: device.path)
        interface.serve(GattService1.primary, is: true)
        interface.serve(GattService1.includes, is: [])
        objects.append(ExportedObject(path, [interface]))
        for place in service.places {
            let characteristic = CharacteristicObject(place, of: path, seat)
            characteristics.append(characteristic)
            if place.characteristic.notifies { notifying.append(characteristic) }
            objects.append(characteristic.object)
            objects += place.descriptors.map { descriptor, handle in
                characteristic.makeDescriptor(descriptor, handle)
            }
        }
    }

    /// Belongs to a new object of the same device from now on; of what the former one knew nothing is left.
    func serve(_ device: DeviceObject) {
        seat.device = device
        isPublished = false
        for characteristic in characteristics { characteristic.reset() }
    }

    /// Shows the objects, if they are not there already from an earlier connection.
    func publish() {
        guard !isPublished else { return }
        isPublished = true
        let bluez = seat.device.bluez
        for object in objects { bluez.publish(object) }
    }

    func withdraw() {
        guard isPublished else { return }
        isPublished = false
        let bluez = seat.device.bluez
        for object in objects.reversed() { bluez.withdraw(object) }
    }

    func connected() {
        for characteristic in notifying { characteristic.connected() }
    }

    func disconnected() {
        for characteristic in notifying { characteristic.disconnected() }
    }

    func left(_ client: BusName) {
        for characteristic in notifying { characteristic.left(client) }
    }

    /// The battery as bluetoothd itself read it; `nil` when there is none.
    func battery() -> ExportedInterface? {
        let batteryLevel = BluetoothUUID(0x2A19)
        guard let level = characteristics.first(where: { $0.uuid == batteryLevel })?.currentValue.first
        else { return nil }
        let interface = ExportedInterface(Battery1.self)
        interface.serve(Battery1.percentage, is: min(level, 100))
        return interface
    }
}
