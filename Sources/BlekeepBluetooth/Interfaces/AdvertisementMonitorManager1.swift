import DBus

/// The manager of advertisement monitors, at an adapter. Many versions of bluetoothd need `--experimental` for it.
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
