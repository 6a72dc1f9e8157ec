/// A UUID of a service, characteristic or descriptor.
///
/// ```swift
/// let temperature = BluetoothUUID(0x2A6E)
/// let vendor = BluetoothUUID("6e400001-b5a3-f393-e0a9-e50e24dcca9e")
/// ```
///
/// A 16-bit number that the Bluetooth SIG assigned stands for `0000xxxx-0000-1000-8000-00805f9b34fb`. Both forms are
/// equal, and `description` has the short one.
public struct BluetoothUUID: Sendable, Hashable, Comparable, CustomStringConvertible {
    let high: UInt64
    let low: UInt64

    static let baseLow: UInt64 = 0x8000_0080_5F9B_34FB
    static let baseHigh: UInt64 = 0x0000_0000_0000_1000

    init(high: UInt64, low: UInt64) { (self.high, self.low) = (high, low) }

    /// Creates the UUID of a number that the Bluetooth SIG assigned, such as `0x2A6E`.
    public init(_ short: UInt16) { self.init(high: UInt64(short) << 32 | Self.baseHigh, low: Self.baseLow) }

    /// Reads `2a6e`, `0x2A6E`, `00002a6e` or the 36-character form, in upper or lower case; `nil` for other text.
    public init?(_ text: some StringProtocol) {
        var text = String(text)
        guard let uuid = text.withUTF8(Self.init(bytes:)) else { return nil }
        self = uuid
    }

    private init?(bytes: UnsafeBufferPointer<UInt8>) {
        let isDashed = bytes.count == 36
        let isPrefixed = bytes.count > 2 && bytes[0] == UInt8(ascii: "0") && bytes[1] == UInt8(ascii: "x")
        var (high, low, digits): (UInt64, UInt64, Int) = (0, 0, 0)
        for index in (isPrefixed && !isDashed ? 2 : 0)..<bytes.count {
            let byte = bytes[index]
            if isDashed, byte == UInt8(ascii: "-") {
                guard Self.isDash(index) else { return nil }
                continue
            }
            guard digits < 32, let digit = byte.hexDigit else { return nil }
            high = high << 4 | low >> 60
            low = low << 4 | UInt64(digit)
            digits += 1
        }
        switch digits {
        case 4, 8: self.init(high: low << 32 | Self.baseHigh, low: Self.baseLow)
        case 32: self.init(high: high, low: low)
        default: return nil
        }
    }

    /// The 16-bit number that the Bluetooth SIG assigned; `nil` for a vendor's UUID.
    public var short: UInt16? {
        low == Self.baseLow && high & 0xFFFF_FFFF == Self.baseHigh ? UInt16(exactly: high >> 32) : nil
    }

    /// Four lower-case hexadecimal digits for an assigned number, otherwise the 36-character form.
    public var description: String {
        guard let short else { return full }
        return String(unsafeUninitializedCapacity: 4) { text in
            for index in 0..<4 { text[index] = UInt8(hexDigit: UInt64(short) >> UInt64(12 - 4 * index)) }
            return 4
        }
    }

    /// The 36-character form in lower case, as BlueZ writes it.
    public var full: String {
        String(unsafeUninitializedCapacity: 36) { text in
            var index = 0
            for shift in stride(from: 124, through: 0, by: -4) {
                if Self.isDash(index) {
                    text[index] = UInt8(ascii: "-")
                    index += 1
                }
                let half = shift < 64 ? low >> UInt64(shift) : high >> UInt64(shift - 64)
                text[index] = UInt8(hexDigit: half)
                index += 1
            }
            return index
        }
    }

    /// Compares the UUIDs as 128-bit numbers.
    public static func < (left: Self, right: Self) -> Bool { (left.high, left.low) < (right.high, right.low) }

    private static func isDash(_ index: Int) -> Bool { index == 8 || index == 13 || index == 18 || index == 23 }
}
