import BlekeepRecords
import DBus

/// Floods of unknown devices.
extension World {
    /// Makes bluetoothd report devices with invented addresses, each heard once.
    package func reportUnknownDevices(_ numbers: Range<Int>) {
        guard let life = bluez, let adapter = radios.first.flatMap({ life.adapter($0) })?.path else { return }
        for number in numbers {
            let bytes = [16, 8, 0].map { UInt8(truncatingIfNeeded: number >> $0) }
            let address = BluetoothAddress(bits: 0x5A00_0000_0000 | UInt64(truncatingIfNeeded: number & 0xFF_FFFF))
            guard let path = adapter.child("dev_" + address.joined(by: "_")) else { continue }
            let device: Properties = [
                "Address": Variant(address.description), "Alias": Variant("Phone \(number)"),
                "Name": Variant("Phone \(number)"), "RSSI": Variant(Int16(-90)), "Connected": Variant(false),
                "UUIDs": Variant([String](repeating: "0000180f-0000-1000-8000-00805f9b34fb", count: 4)),
                "ManufacturerData": Variant([UInt16(0x4C): Variant(bytes + [UInt8](repeating: 7, count: 24))]),
            ]
            life.bus.emit(
                Signal(
                    .root, interface: ObjectManager.name, member: ObjectManager.interfacesAdded.name,
                    arguments: [path.value, ["org.bluez.Device1": device].value]))
            life.bus.emit(
                Signal(
                    path, interface: PropertiesInterface.name, member: PropertiesInterface.propertiesChanged.name,
                    arguments: ["org.bluez.Device1".value, ["RSSI": Variant(Int16(-80))].value, [String]().value]))
        }
    }
}
