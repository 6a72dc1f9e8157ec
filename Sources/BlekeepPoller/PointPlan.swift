import DBus

/// The plan to poll a characteristic.
struct PointPlan: Sendable, Hashable {
    var characteristic: GattCharacteristic
    var interval: Duration
    /// Whether the value can't change, such as a serial number. It is read once per start of the program.
    var isConstant = false
    var subscribes = false
    var security = PointSecurity.none
    /// The shortest time between two stored values that the device sends by itself; 0 stores all.
    var throttle: Duration
    var calibration: Calibration?
    /// The number among the characteristics with the same UUID in services with the same UUID, in the order of their
    /// handles, from 1.
    var number = 1

    var path: ObjectPath { characteristic.path }

    func isTarget(of request: WriteRequest) -> Bool {
        characteristic.uuid == request.characteristic && number == request.instance
            && (request.service == nil || request.service == characteristic.service)
    }
}
