import DBus
import Testing

@testable import BlekeepBluetooth

@Suite struct NotificationTableTests {
    private let table = NotificationTable()

    @Test func valuesGoToTheListenersOfTheirCharacteristic() {
        var received: [String] = []
        let first = table.add(at: "/d/a", receive: { received.append("1 \($0)") })
        let second = table.add(at: "/d/b", receive: { received.append("2 \($0)") })
        table.receive([1], of: "/d/a")
        table.receive([2], of: "/d/b")
        table.receive([3], of: "/d/c")
        #expect(first.remove())
        table.receive([4], of: "/d/a")
        #expect(received == ["1 [1]", "2 [2]"])
        #expect(second.remove() && !second.remove())
    }

    @Test func onlyTheLastListenerOfACharacteristicEndsItsSubscription() {
        let entries = [table.add(at: "/d/a", receive: { _ in }), table.add(at: "/d/a", receive: { _ in })]
        #expect(!entries[0].remove())
        #expect(entries[1].remove())
    }

    @Test func theEndOfAConnectionEndsItsListeners() {
        var ended: [String] = []
        for path in ["/d/a", "/d2/a"] as [ObjectPath] {
            _ = table.add(at: path, receive: { _ in }, end: { ended.append(path.text) })
        }
        table.end(below: "/d")
        #expect(ended == ["/d/a"])
    }

    @Test func eachListenerNeedsARule() {
        _ = table.add(at: "/d/b", receive: { _ in })
        _ = table.add(at: "/d/a", receive: { _ in })
        #expect(table.rules == ["/d/a", "/d/b"].map { .properties(of: GattCharacteristic1.name, at: $0) })
    }
}
