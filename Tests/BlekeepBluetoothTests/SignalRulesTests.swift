import DBus
import Testing

@testable import BlekeepBluetooth

/// How many match rules a client of BlueZ asks the bus for.
@Suite struct SignalRulesTests {
    private static let tree = ObjectTree(indexing: [Adapter1.name])

    private func rules(devices: Int, subscriptions: Int) -> [SignalMatch] {
        SignalRules.watching(
            (0..<devices).map { BluetoothAddress(bits: UInt64($0)) }, in: Self.tree,
            notifications: (0..<subscriptions).map {
                .properties(of: GattCharacteristic1.name, at: ObjectPath(unchecked: "/org/bluez/hci0/dev/char\($0)"))
            })
    }

    /// One adapter and the reasons of disconnects take two rules more.
    @Test(arguments: [(1, 0, 3), (300, 100, 402), (300, 101, 303), (401, 10, 14), (500, 500, 5)])
    func staysBelowTheLimitOfABus(devices: Int, subscriptions: Int, expected: Int) {
        #expect(rules(devices: devices, subscriptions: subscriptions).count == expected)
    }

    @Test func oneRuleStandsForAllSubscriptions() {
        #expect(rules(devices: 300, subscriptions: 300).contains(.properties(of: GattCharacteristic1.name)))
    }
}
