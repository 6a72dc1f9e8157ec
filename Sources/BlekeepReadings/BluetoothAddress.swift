/// A Bluetooth device address: 48 bits, written as six bytes in upper-case hexadecimal with colons between them.
///
/// ```swift
/// guard let address = BluetoothAddress("F0:00:00:00:00:01") else { return }
/// let peripheral = central.peripheral(address)
/// ```
public struct BluetoothAddress: Sendable, Hashable, Comparable, CustomStringConvertible {
    package let bits: UInt64

    package init(bits: UInt64) { self.bits = bits & 0xFFFF_FFFF_FFFF }

    /// Reads `F0:00:00:00:00:01`, in upper or lower case, with `:`, `-` or `_` between the bytes; `nil` for other text.
    public init?(_ text: some StringProtocol) {
        let bytes = text.split(omittingEmptySubsequences: false) { $0 == ":" || $0 == "-" || $0 == "_" }
        guard bytes.count == 6 else { return nil }
        var bits: UInt64 = 0
        for byte in bytes {
            guard byte.utf8.count == 2, byte.utf8.allSatisfy(\.isHexDigit), let value = UInt64(byte, radix: 16)
            else { return nil }
            bits = bits << 8 | value
        }
        self.bits = bits
    }

    /// The address as BlueZ writes it, such as `F0:00:00:00:00:01`.
    public var description: String { joined(by: ":") }

    /// The six bytes, most significant first.
    public var bytes: [UInt8] {
        [40, 32, 24, 16, 8, 0].map { UInt8(truncatingIfNeeded: bits >> ($0 as UInt64)) }
    }

    /// Returns the bytes in hexadecimal with another separator: `F00000000001` with an empty one.
    public func joined(by separator: String) -> String {
        String(unsafeUninitializedCapacity: 12 + 5 * separator.utf8.count) { text in
            var index = 0
            for shift in stride(from: 44, through: 0, by: -4) {
                text[index] = UInt8(hexDigit: bits >> UInt64(shift), tenIs: "A")
                index += 1
                guard shift % 8 == 0, shift > 0 else { continue }
                for byte in separator.utf8 {
                    text[index] = byte
                    index += 1
                }
            }
            return index
        }
    }

    /// Whether the two most significant bits are those of a resolvable private address, which a device changes about every
    /// 15 minutes. A public address may have the same bits.
    package var looksResolvable: Bool { bits >> 46 == 0b01 }

    /// Compares the addresses as numbers.
    public static func < (left: Self, right: Self) -> Bool { left.bits < right.bits }
}
