import DBus

/// Which characteristics of a device to read: those that the configuration names, or those that make sense.
enum PointChoice {
    typealias Choice = (points: [PointPlan], missing: [CharacteristicConfiguration])

    /// - Parameters:
    ///   - interval: of characteristics that have none of their own.
    ///   - throttle: of characteristics that have none of their own.
    /// - Returns: the points in the order of their handles, and what the configuration names but the device lacks.
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
                    security: wanted.security, throttle: wanted.throttle ?? throttle)
            }
        }
        return (numbered(points, in: tree), missing)
    }

    /// The same points, each with its number.
    private static func numbered(_ points: [PointPlan], in tree: GattTree) -> [PointPlan] {
        var points = points
        for place in points.indices {
            let characteristic = points[place].characteristic
            // Few of them: to look through all is quicker than any table.
            let same = tree.characteristics.prefix { $0.path != characteristic.path }
                .count { $0.uuid == characteristic.uuid && $0.service == characteristic.service }
            points[place].number = same + 1
        }
        return points
    }

    private static let genericServices = [BluetoothUUID(0x1800), BluetoothUUID(0x1801)]

    /// Every readable characteristic whose form is known, and those that only notify. What describes the device
    /// itself is read once.
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
        return characteristic.isReadable || characteristic.flags.contains("notify") ? plan : nil
    }
}
