/// What a device is known by: the key of its series, topics, entities and objects. Its address, alias and gateway may
/// change; the ID stays.
///
/// ```yaml
/// devices:
///   - {id: greenhouse, address: "F0:00:00:00:00:01"}
/// ```
package struct DeviceID: Sendable, Hashable, Comparable, CustomStringConvertible {
    /// From 1 to 32 lower-case letters, digits and `_`.
    package let description: String

    /// - Returns: `nil` for other text.
    package init?(_ text: some StringProtocol) {
        guard text.isWord(max: 32) else { return nil }
        description = String(text)
    }

    /// The ID of a device that the configuration gives none: `f00000000001`.
    package init(_ address: BluetoothAddress) { description = address.joined(by: "").lowercased() }

    package static func < (left: Self, right: Self) -> Bool { left.description < right.description }
}

/// A device's number while the poller runs.
///
/// A number is never given again, not even to a device that comes back. What is late for a device that was removed,
/// replaced or added again therefore reaches nobody.
@usableFromInline
package struct DeviceNumber: Sendable, Hashable, Comparable, ExpressibleByIntegerLiteral, CustomStringConvertible {
    @usableFromInline package let value: Int

    package init(_ value: Int) { self.value = value }
    @usableFromInline package init(integerLiteral value: Int) { self.value = value }

    @usableFromInline package var description: String { "\(value)" }

    @inlinable package static func == (left: DeviceNumber, right: DeviceNumber) -> Bool { left.value == right.value }
    @inlinable package static func < (left: DeviceNumber, right: DeviceNumber) -> Bool { left.value < right.value }
}

/// What a part of the poller has of one device.
///
/// Each part has a list of them in the order of their numbers: a device that joins is the last one. One that left is in the
/// list for as long as there is work for it, at least until the next configuration.
@usableFromInline
package protocol DevicePart {
    var number: DeviceNumber { get }
}

extension Array where Element: DevicePart {
    /// Returns the index of a device; `nil` when it has left.
    @inlinable
    package func index(of number: DeviceNumber) -> Int? {
        // By a pointer, because an element of the array would be copied.
        withUnsafeBufferPointer { all in
            // Until the first device leaves, each one's index is its number.
            if all.indices.contains(number.value), all[number.value].number == number { return number.value }
            var (low, high) = (0, all.count)
            while low < high {
                let middle = (low + high) / 2
                if all[middle].number < number { low = middle + 1 } else { high = middle }
            }
            return low < all.count && all[low].number == number ? low : nil
        }
    }
}
