import DBus

/// UPower, the power daemon.
package enum UPower: Interface {
    package static let service: BusName = "org.freedesktop.UPower"
    package static let path: ObjectPath = "/org/freedesktop/UPower"
    package static let name: InterfaceName = "org.freedesktop.UPower"

    package static let onBattery: Property<Bool> = property("OnBattery")

    package static let members: [any Member] = [onBattery]
}

/// A power supply of UPower. blekeep uses only the display device, which stands for all supplies of the machine, without
/// the batteries of mice and headsets.
package enum UPowerDevice: Interface {
    package static let path: ObjectPath = "/org/freedesktop/UPower/devices/DisplayDevice"
    package static let name: InterfaceName = "org.freedesktop.UPower.Device"

    /// 0 unknown, 1 mains, 2 battery, 3 UPS.
    package static let type: Property<UInt32> = property("Type")
    package static let isPresent: Property<Bool> = property("IsPresent")
    package static let percentage: Property<Double> = property("Percentage")
    /// 0 unknown, 1 charging, 2 discharging, 3 empty, 4 full, 5 and 6 pending.
    package static let state: Property<UInt32> = property("State")
    /// 0 unknown, 1 none, 2 discharging (UPS), 3 low, 4 critical, 5 action.
    package static let warningLevel: Property<UInt32> = property("WarningLevel")

    package static let members: [any Member] = [type, isPresent, percentage, state, warningLevel]
}
