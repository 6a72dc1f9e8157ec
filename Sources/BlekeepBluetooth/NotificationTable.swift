import DBus

/// The listeners for values that characteristics send by themselves. On the loop.
package final class NotificationTable: @unchecked Sendable {
    private struct Listener {
        let receive: ([UInt8]) -> Void
        let end: () -> Void
    }

    private var listeners: [ObjectPath: [Int: Listener]] = [:]
    private var count = 0

    /// A listener's entry.
    package struct Entry: Sendable {
        fileprivate let table: NotificationTable
        fileprivate let path: ObjectPath
        fileprivate let number: Int

        /// Removes the listener. Returns whether it was the characteristic's last listener.
        @discardableResult
        package func remove() -> Bool { table.remove(self) }
    }

    /// Adds a listener. Its entry stays until it is removed.
    ///
    /// - Parameters:
    ///   - receive: called with each value.
    ///   - end: called when the connection ends.
    package func add(
        at path: ObjectPath, receive: @escaping ([UInt8]) -> Void, end: @escaping () -> Void = {}
    ) -> Entry {
        count += 1
        listeners[path, default: [:]][count] = Listener(receive: receive, end: end)
        return Entry(table: self, path: path, number: count)
    }

    private func remove(_ entry: Entry) -> Bool {
        guard listeners[entry.path]?.removeValue(forKey: entry.number) != nil else { return false }
        guard listeners[entry.path]?.isEmpty == true else { return false }
        listeners[entry.path] = nil
        return true
    }

    func receive(_ bytes: [UInt8], of path: ObjectPath) {
        guard let listeners = listeners[path] else { return }
        for listener in listeners.values { listener.receive(bytes) }
    }

    /// Tells the listeners that the connections of the devices at or below `path` ended.
    func end(below path: ObjectPath) {
        for (other, all) in listeners where other.isAt(orBelow: path) { for listener in all.values { listener.end() } }
    }

    /// The signals that the listeners need from the message bus.
    var rules: [SignalMatch] {
        listeners.keys.sorted().map { .properties(of: GattCharacteristic1.name, at: $0) }
    }
}
