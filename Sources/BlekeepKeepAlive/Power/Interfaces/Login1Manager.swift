import DBus

/// systemd-logind or elogind, which announces the machine's sleep and lets programs delay it.
package enum Login1Manager: Interface {
    package static let service: BusName = "org.freedesktop.login1"
    package static let path: ObjectPath = "/org/freedesktop/login1"
    package static let name: InterfaceName = "org.freedesktop.login1.Manager"

    /// Takes what, who, why and `delay`. Returns a descriptor that holds the lock until it is closed.
    package static let inhibit: Method<FileHandle, String, String, String, String> = method("Inhibit")
    /// Sends no signal on changes.
    package static let onExternalPower: Property<Bool> = property("OnExternalPower")
    /// Sends no signal on changes.
    package static let preparingForSleep: Property<Bool> = property("PreparingForSleep")
    package static let preparingForShutdown: Property<Bool> = property("PreparingForShutdown")
    package static let inhibitDelayMaxUSec: Property<UInt64> = property("InhibitDelayMaxUSec")
    package static let prepareForSleep: SignalMember<Bool> = signal("PrepareForSleep")
    package static let prepareForShutdown: SignalMember<Bool> = signal("PrepareForShutdown")

    package static let members: [any Member] = [
        inhibit, onExternalPower, preparingForSleep, preparingForShutdown, inhibitDelayMaxUSec, prepareForSleep,
        prepareForShutdown,
    ]
}

/// The interfaces of power services that blekeep uses.
package enum PowerServices {
    package static let interfaces: [any Interface.Type] = [
        UPower.self, UPowerDevice.self, PowerProfiles.self, HadessPowerProfiles.self, Login1Manager.self,
    ]
}
