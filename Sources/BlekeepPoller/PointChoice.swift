import DBus

/// Chooses the characteristics of a device to read: the configured ones, or all that blekeep can decode.
enum PointChoice {
    typealias Choice = (points: [PointPlan], missing: [CharacteristicConfiguration])

    /// - Parameters:
    ///   - interval: the interval of characteristics without one of their own.
    ///   - throttle: the throttle of characteristics without one of their own.
    /// - Returns: the points in the order of their handles, and the configured characteristics that the device lacks.
    static func choose(
        from tree: GattTree, for device: DeviceConfiguration, interval: Duration, throttle: Duration,
        isKnown: (BluetoothUUID) -> Bool
    ) -> Choice {
        guard !device.characteristics.isEmpty else {
            let points = tree.characteristics.compactMap { sensible($0, interval, throttle, isKnown) }
            return (numbered(points, in: tree), [])
        }
        var points: [PointPlan] = []
        var missing: [CharacteristicConfiguration] = []
        for wanted in device.characteristics {
            let found = tree.characteristics.filter {
                $0.uuid == wanted.characteristic && (wanted.service == nil || wanted.service == $0.service)
            }
            if found.isEmpty { missing.append(wanted) }
            points += found.map { characteristic in
                PointPlan(
                    characteristic: characteristic, interval: wanted.interval ?? interval,
                    subscribes: characteristic.canNotify && (wanted.notify || !characteristic.isReadable),
                    security: wanted.security, throttle: wanted.throttle ?? throttle, calibration: wanted.calibration)
            }
        }
        return (numbered(points, in: tree), missing)
    }

    /// Numbers the points with the same UUID.
    private static func numbered(_ points: [PointPlan], in tree: GattTree) -> [PointPlan] {
        var points = points
        for index in points.indices {
            let characteristic = points[index].characteristic
            // There are few, so that a search is faster than a table.
            let same = tree.characteristics.prefix { $0.path != characteristic.path }
                .count { $0.uuid == characteristic.uuid && $0.service == characteristic.service }
            points[index].number = same + 1
        }
        return points
    }

    private static let genericServices = [BluetoothUUID(0x1800), BluetoothUUID(0x1801)]

    /// Returns the plan of a characteristic that blekeep can decode. Device information is read once; a characteristic that
    /// only notifies or indicates is subscribed to.
    private static func sensible(
        _ characteristic: GattCharacteristic, _ interval: Duration, _ throttle: Duration,
        _ isKnown: (BluetoothUUID) -> Bool
    ) -> PointPlan? {
        let presentation = characteristic.descriptors[BluetoothUUID(0x2904)]
        guard !genericServices.contains(characteristic.service),
            presentation != nil || isKnown(characteristic.uuid)
        else { return nil }
        var plan = PointPlan(characteristic: characteristic, interval: interval, throttle: throttle)
        if characteristic.isReadable {
            plan.isConstant = characteristic.service == BluetoothUUID(0x180A)
        } else {
            plan.subscribes = true
        }
        return characteristic.isReadable || characteristic.canNotify ? plan : nil
    }
}
