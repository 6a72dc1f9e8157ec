import DBus

/// The signals that a client of BlueZ requests from the message bus.
enum SignalRules {
    /// A bus allows 512 rules per connection.
    static let maxRules = 400

    /// Returns the rules for all adapters and all devices.
    static func everything(notifications: [SignalMatch]) -> Set<SignalMatch> {
        let objects: [SignalMatch] = [.properties(of: Adapter1.name), .properties(of: Device1.name), reasons]
        return Set(objects + limited(notifications, besides: 0))
    }

    /// Returns a rule for each watched device and each subscription, so that the daemon filters. Above 400 rules, a single
    /// rule covers all subscriptions. Above 400 devices, two rules cover all devices.
    static func watching(
        _ addresses: [BluetoothAddress], in tree: ObjectTree, notifications: [SignalMatch] = []
    ) -> [SignalMatch] {
        var adapters = tree.paths(with: Adapter1.name)
        if adapters.isEmpty, let usual = Bluez.root.child("hci0") { adapters = [usual] }
        var rules = adapters.map { SignalMatch.properties(of: Adapter1.name, at: $0) }
        rules.append(reasons)
        var devices = adapters.flatMap { adapter in
            addresses.map { SignalMatch.properties(at: Bluez.path(of: $0, on: adapter)) }
        }
        if devices.count > maxRules { devices = [.properties(of: Device1.name), .properties(of: Battery1.name)] }
        return rules + devices + limited(notifications, besides: devices.count)
    }

    /// The reasons of disconnects.
    private static let reasons = SignalMatch(interface: Device1.name, member: Device1.disconnected.name)

    private static func limited(_ notifications: [SignalMatch], besides count: Int) -> [SignalMatch] {
        count + notifications.count > maxRules ? [.properties(of: GattCharacteristic1.name)] : notifications
    }
}
