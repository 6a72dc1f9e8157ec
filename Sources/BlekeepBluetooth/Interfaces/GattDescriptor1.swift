import DBus

package enum GattDescriptor1: Interface {
    package static let name: InterfaceName = "org.bluez.GattDescriptor1"

    package static let readValue: Method<[UInt8], Properties> = method("ReadValue")

    package static let uuid: Property<String> = property("UUID")
    package static let characteristic: Property<ObjectPath> = property("Characteristic")
    package static let value: Property<[UInt8]> = property("Value")

    package static let members: [any Member] = [readValue, uuid, characteristic, value]
}
