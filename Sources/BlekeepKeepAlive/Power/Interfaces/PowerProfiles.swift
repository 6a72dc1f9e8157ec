import DBus

/// power-profiles-daemon from 0.20 on, and tuned-ppd.
package enum PowerProfiles: Interface {
    package static let service: BusName = "org.freedesktop.UPower.PowerProfiles"
    package static let path: ObjectPath = "/org/freedesktop/UPower/PowerProfiles"
    package static let name: InterfaceName = "org.freedesktop.UPower.PowerProfiles"

    /// `power-saver`, `balanced` or `performance`.
    package static let activeProfile: Property<String> = property("ActiveProfile", access: .readwrite)

    package static let members: [any Member] = [activeProfile]
}

/// The older name of the same service.
package enum HadessPowerProfiles: Interface {
    package static let service: BusName = "net.hadess.PowerProfiles"
    package static let path: ObjectPath = "/net/hadess/PowerProfiles"
    package static let name: InterfaceName = "net.hadess.PowerProfiles"

    package static let activeProfile: Property<String> = property("ActiveProfile", access: .readwrite)

    package static let members: [any Member] = [activeProfile]
}
