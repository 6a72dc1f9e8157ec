import DBus

package enum GattCharacteristic1: Interface {
    package static let name: InterfaceName = "org.bluez.GattCharacteristic1"

    package static let readValue: Method<[UInt8], Properties> = method("ReadValue")
    package static let writeValue: Method<Nothing, [UInt8], Properties> = method("WriteValue")
    package static let startNotify: Method<Nothing> = method("StartNotify")
    package static let stopNotify: Method<Nothing> = method("StopNotify")

    /// A socket with one value per packet, and the ATT MTU.
    package static let acquireNotify: Method<Pair<FileHandle, UInt16>, Properties> = method("AcquireNotify")

    package static let uuid: Property<String> = property("UUID")
    package static let service: Property<ObjectPath> = property("Service")
    package static let value: Property<[UInt8]> = property("Value")
    package static let notifying: Property<Bool> = property("Notifying")
    package static let notifyAcquired: Property<Bool> = property("NotifyAcquired")
    package static let flags: Property<[String]> = property("Flags")
    /// The ATT MTU, while the device is connected; since 5.62.
    package static let mtu: Property<UInt16> = property("MTU")

    package static let members: [any Member] = [
        readValue, writeValue, startNotify, stopNotify, acquireNotify, uuid, service, value, notifying, notifyAcquired,
        flags, mtu,
    ]
}
