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
        let isAllowed = text.utf8.allSatisfy { byte in
            (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte)
                || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
                || byte == UInt8(ascii: "_")
        }
        guard isAllowed, (1...32).contains(text.utf8.count) else { return nil }
        description = String(text)
    }

    /// The ID of a device that the configuration gives none: `f00000000001`.
    package init(_ address: BluetoothAddress) { description = address.joined(by: "").lowercased() }

    package static func < (left: Self, right: Self) -> Bool { left.description < right.description }
}
