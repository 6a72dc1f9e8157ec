import DBus

/// The manager of an adapter's own advertisements, which says what its controller can do.
package enum LEAdvertisingManager1: Interface {
    package static let name: InterfaceName = "org.bluez.LEAdvertisingManager1"

    /// `1M`, `2M` and `Coded`; only with extended advertising.
    package static let supportedSecondaryChannels: Property<[String]> = property("SupportedSecondaryChannels")

    package static let members: [any Member] = [supportedSecondaryChannels]
}
