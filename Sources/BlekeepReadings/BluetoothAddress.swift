/// A device address: 48 bits, written as six upper-case octets with colons between them.
public struct BluetoothAddress: Sendable, Hashable, Comparable, CustomStringConvertible {
    /// The address as a number, most significant octet first.
    package let bits: UInt64

    package init(bits: UInt64) {
        self.bits = bits & 0xFFFF_FFFF_FFFF
    }

    /// Reads `F0:00:00:00:00:01` in either case; `-` and `_` are taken for colons. `nil` for anything else.
    public init?(_ text: some StringProtocol) {
        let octets = text.split(omittingEmptySubsequences: false) { $0 == ":" || $0 == "-" || $0 == "_" }
        guard octets.count == 6 else { return nil }
        var bits: UInt64 = 0
        for octet in octets {
            guard octet.utf8.count == 2, octet.utf8.allSatisfy(\.isHexDigit), let value = UInt64(octet, radix: 16)
            else { return nil }
            bits = bits << 8 | value
        }
        self.bits = bits
    }

    public var description: String { joined(by: ":") }

    /// The six octets, most significant first.
    public var octets: [UInt8] {
        [40, 32, 24, 16, 8, 0].map { UInt8(truncatingIfNeeded: bits >> ($0 as UInt64)) }
    }

    /// The octets with another separator, as object paths (`_`) and topics (none) want them.
    public func joined(by separator: String) -> String {
        String(unsafeUninitializedCapacity: 12 + 5 * separator.utf8.count) { text in
            var place = 0
            for shift in stride(from: 44, through: 0, by: -4) {
                text[place] = UInt8(hexDigit: bits >> UInt64(shift), tenIs: "A")
                place += 1
                guard shift % 8 == 0, shift > 0 else { continue }
                for octet in separator.utf8 {
                    text[place] = octet
                    place += 1
                }
            }
            return place
        }
    }

    /// Whether these bits are what a resolvable private address has: it changes every quarter of an hour.
    /// Only a random address can be one; a public address may have the same bits.
    public var looksResolvable: Bool { bits >> 46 == 0b01 }

    public static func < (left: Self, right: Self) -> Bool { left.bits < right.bits }
}
