import BlekeepRecords
import DBus

/// The D-Bus object of a descriptor.
final class DescriptorObject {
    private(set) lazy var object = ExportedObject(path, [interface])

    private let path: ObjectPath
    private let interface = ExportedInterface(GattDescriptor1.self)
    private let model: SimulatedDescriptor
    private unowned let characteristic: CharacteristicObject

    init(_ model: SimulatedDescriptor, handle: Int, of characteristic: CharacteristicObject) {
        self.model = model
        self.characteristic = characteristic
        path = ObjectPath(unchecked: "\(characteristic.path)/desc\(String(hex: UInt(handle), width: 4))")
        interface.serve(GattDescriptor1.uuid, is: model.uuid.full)
        interface.serve(GattDescriptor1.characteristic, is: characteristic.path)
        interface.serve(GattDescriptor1.value, is: [])
        interface.handle(GattDescriptor1.readValue) { [weak self] in self?.read($0) }
    }

    private func read(_ call: Invocation) {
        guard let link = characteristic.device.link else { return call.fail(.notConnected) }
        link.request(isRead: true) { [weak self] in
            self.map { .value($0.value) } ?? .error(0x01)
        } finish: { [weak self] answer in
            switch answer {
            case .value(let value):
                self?.show(value)
                call.reply(value)
            case .error(let code): call.fail(.att(code))
            case .dropped: call.fail(.dropped)
            case .blocked: break
            }
        }
    }

    private func show(_ value: [UInt8]) {
        let entry = interface.set(GattDescriptor1.value.name, to: value.value)
        characteristic.bluez.changed(path, interface: interface.name, property: entry)
    }

    private var value: [UInt8] {
        guard model.uuid == BluetoothUUID(0x2902) else { return model.value }
        return [!characteristic.notifier.isSubscribed ? 0 : characteristic.model.flags.contains(.notify) ? 1 : 2, 0]
    }
}
