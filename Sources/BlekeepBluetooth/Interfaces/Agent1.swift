import DBus

/// An agent, which answers BlueZ's questions during pairing: exported by blekeep and called by bluetoothd.
package enum Agent1: Interface {
    package static let name: InterfaceName = "org.bluez.Agent1"

    package static let release: Method<Nothing> = method("Release")
    package static let requestPinCode: Method<String, ObjectPath> = method("RequestPinCode")
    package static let displayPinCode: Method<Nothing, ObjectPath, String> = method("DisplayPinCode")
    package static let requestPasskey: Method<UInt32, ObjectPath> = method("RequestPasskey")
    package static let displayPasskey: Method<Nothing, ObjectPath, UInt32, UInt16> = method("DisplayPasskey")
    package static let requestConfirmation: Method<Nothing, ObjectPath, UInt32> = method("RequestConfirmation")
    package static let requestAuthorization: Method<Nothing, ObjectPath> = method("RequestAuthorization")
    package static let authorizeService: Method<Nothing, ObjectPath, String> = method("AuthorizeService")
    package static let cancel: Method<Nothing> = method("Cancel")

    package static let members: [any Member] = [
        release, requestPinCode, displayPinCode, requestPasskey, displayPasskey, requestConfirmation,
        requestAuthorization, authorizeService, cancel,
    ]
}
