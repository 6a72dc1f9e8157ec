import DBus

/// How a characteristic is polled, on each link on which it has this path.
struct PointPlan: Sendable, Hashable {
    var characteristic: GattCharacteristic
    var interval: Duration
    /// Whether it is read once for each start of the program: what can't change, such as a serial number.
    var isConstant = false
    var subscribes = false
    var security = PointSecurity.none
    /// The shortest time between two values that came by themselves and are stored; 0: all of them.
    var throttle: Duration
    /// Which of those that have the same UUID in services of the same UUID, by their handles, from 1 on.
    var number = 1

    var path: ObjectPath { characteristic.path }
}
