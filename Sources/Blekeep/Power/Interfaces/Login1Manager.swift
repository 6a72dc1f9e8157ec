import DBus

/// systemd-logind, or elogind: who is told before the machine sleeps, and may ask for a moment.
package enum Login1Manager: Interface {
    package static let service: BusName = "org.freedesktop.login1"
    package static let path: ObjectPath = "/org/freedesktop/login1"
    package static let name: InterfaceName = "org.freedesktop.login1.Manager"

    /// What, who, why, and `delay`: gives a descriptor that holds the lock for as long as it is open.
    package static let inhibit: Method<FileHandle, String, String, String, String> = method("Inhibit")
    /// Tells no changes.
    package static let onExternalPower: Property<Bool> = property("OnExternalPower")
    /// Tells no changes.
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

/// Every interface of the machine's power services that is called or watched.
package enum PowerServices {
    package static let interfaces: [any Interface.Type] = [
        UPower.self, UPowerDevice.self, PowerProfiles.self, HadessPowerProfiles.self, Login1Manager.self,
    ]
}
