import DBus

/// Where monitors of advertisements register, at an adapter. Many bluetoothd have it only when started with
/// `--experimental`.
package enum AdvertisementMonitorManager1: Interface {
    package static let name: InterfaceName = "org.bluez.AdvertisementMonitorManager1"

    package static let registerMonitor: Method<Nothing, ObjectPath> = method("RegisterMonitor")
    package static let unregisterMonitor: Method<Nothing, ObjectPath> = method("UnregisterMonitor")

    package static let supportedMonitorTypes: Property<[String]> = property("SupportedMonitorTypes")
    package static let supportedFeatures: Property<[String]> = property("SupportedFeatures")

    package static let members: [any Member] = [
        registerMonitor, unregisterMonitor, supportedMonitorTypes, supportedFeatures,
    ]
}
