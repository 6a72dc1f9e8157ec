import DBus

/// Which characteristics of a device to read: those that the configuration names, or those that make sense.
enum PointChoice {
    struct Chosen: Hashable {
        var characteristic: GattCharacteristic
        var interval: Duration?
        var isConstant = false
        var subscribes = false
        var security = PointSecurity.none
        /// `nil`: the device's.
        var throttle: Duration?
        /// Which of those that have the same UUID in services of the same UUID, by their handles, from 1 on.
        var number = 1
    }

    typealias Choice = (points: [Chosen], missing: [PointConfiguration])

    /// - Returns: the points in the order of their handles, and what the configuration names but the device lacks.
    static func choose(
        from tree: GattTree, for device: DeviceConfiguration, isKnown: (BluetoothUUID) -> Bool
    ) -> Choice {
        guard !device.characteristics.isEmpty else {
            return (numbered(tree.characteristics.compactMap { sensible($0, isKnown) }, in: tree), [])
        }
        var points: [Chosen] = []
        var missing: [PointConfiguration] = []
        for wanted in device.characteristics {
            let found = tree.characteristics.filter {
                $0.uuid == wanted.characteristic && (wanted.service == nil || wanted.service == $0.service)
            }
            if found.isEmpty { missing.append(wanted) }
            points += found.map { characteristic in
                Chosen(
                    characteristic: characteristic, interval: wanted.interval,
                    subscribes: characteristic.canNotify && (wanted.notify || !characteristic.isReadable),
                    security: wanted.security, throttle: wanted.throttle)
            }
        }
        return (numbered(points, in: tree), missing)
    }

    /// The same points, each with its number.
    private static func numbered(_ points: [Chosen], in tree: GattTree) -> [Chosen] {
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
    private static func sensible(_ characteristic: GattCharacteristic, _ isKnown: (BluetoothUUID) -> Bool) -> Chosen? {
        let presentation = characteristic.descriptors[BluetoothUUID(0x2904)]
        guard !genericServices.contains(characteristic.service),
            presentation != nil || isKnown(characteristic.uuid)
        else { return nil }
        if characteristic.isReadable {
            return Chosen(
                characteristic: characteristic, isConstant: characteristic.service == BluetoothUUID(0x180A))
        }
        return characteristic.flags.contains("notify") ? Chosen(characteristic: characteristic, subscribes: true) : nil
    }
}
