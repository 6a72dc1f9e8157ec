import DBus

/// The signals that a client of BlueZ asks the message bus for.
enum SignalRules {
    /// A bus allows 512 rules for a connection.
    static let most = 400

    /// All adapters and all devices.
    static func everything(notifications: [SignalMatch]) -> Set<SignalMatch> {
        let objects: [SignalMatch] = [.properties(of: Adapter1.name), .properties(of: Device1.name)]
        return Set(objects + limited(notifications, besides: 0))
    }

    /// One rule for each watched device and each subscription, as the daemon then filters. When these are more than
    /// 400, one rule stands for all subscriptions; when the devices alone are more, two stand for all devices.
    static func watching(
        _ addresses: [BluetoothAddress], in tree: ObjectTree, notifications: [SignalMatch] = []
    ) -> [SignalMatch] {
        var adapters = tree.paths(with: Adapter1.name)
        if adapters.isEmpty, let usual = Bluez.root.child("hci0") { adapters = [usual] }
        var rules = adapters.map { SignalMatch.properties(of: Adapter1.name, at: $0) }
        rules.append(SignalMatch(interface: Device1.name, member: Device1.disconnected.name))
        var devices = adapters.flatMap { adapter in
            addresses.map { SignalMatch.properties(at: Bluez.path(of: $0, on: adapter)) }
        }
        if devices.count > most { devices = [.properties(of: Device1.name), .properties(of: Battery1.name)] }
        return rules + devices + limited(notifications, besides: devices.count)
    }

    private static func limited(_ notifications: [SignalMatch], besides count: Int) -> [SignalMatch] {
        count + notifications.count > most ? [.properties(of: GattCharacteristic1.name)] : notifications
    }
}
