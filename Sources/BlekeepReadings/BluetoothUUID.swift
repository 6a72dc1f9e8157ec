/// A UUID of a service, characteristic or descriptor.
///
/// The 16-bit numbers that the Bluetooth SIG assigns are short for `0000xxxx-0000-1000-8000-00805f9b34fb`; both
/// forms are equal here, and the short one is shown.
public struct BluetoothUUID: Sendable, Hashable, Comparable, CustomStringConvertible {
    let high: UInt64
    let low: UInt64

    static let baseLow: UInt64 = 0x8000_0080_5F9B_34FB
    static let baseHigh: UInt64 = 0x0000_0000_0000_1000

    init(high: UInt64, low: UInt64) {
        self.high = high
        self.low = low
    }

    /// An assigned number.
    public init(_ short: UInt16) {
        self.init(high: UInt64(short) << 32 | Self.baseHigh, low: Self.baseLow)
    }

    /// Reads `2a6e`, `0x2A6E`, `00002a6e` or the 36-character form, in either case. `nil` for anything else.
    public init?(_ text: some StringProtocol) {
        var text = String(text)
        guard let uuid = text.withUTF8(Self.init(octets:)) else { return nil }
        self = uuid
    }

    private init?(octets: UnsafeBufferPointer<UInt8>) {
        let isDashed = octets.count == 36
        let isPrefixed = octets.count > 2 && octets[0] == UInt8(ascii: "0") && octets[1] == UInt8(ascii: "x")
        var (high, low, digits): (UInt64, UInt64, Int) = (0, 0, 0)
        for place in (isPrefixed && !isDashed ? 2 : 0)..<octets.count {
            let octet = octets[place]
            if isDashed, octet == UInt8(ascii: "-") {
                guard Self.isDash(place) else { return nil }
                continue
            }
            guard digits < 32, let digit = octet.hexDigit else { return nil }
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

    /// The assigned number, if this is one.
    public var short: UInt16? {
        low == Self.baseLow && high & 0xFFFF_FFFF == Self.baseHigh ? UInt16(exactly: high >> 32) : nil
    }

    /// Four lower-case hex digits for an assigned number, else the 36-character form.
    public var description: String {
        guard let short else { return full }
        return String(unsafeUninitializedCapacity: 4) { text in
            for place in 0..<4 { text[place] = UInt8(hexDigit: UInt64(short) >> UInt64(12 - 4 * place)) }
            return 4
        }
    }

    /// The 36-character form in lower case, as BlueZ writes it.
    public var full: String {
        String(unsafeUninitializedCapacity: 36) { text in
            var place = 0
            for shift in stride(from: 124, through: 0, by: -4) {
                if Self.isDash(place) {
                    text[place] = UInt8(ascii: "-")
                    place += 1
                }
                let half = shift < 64 ? low >> UInt64(shift) : high >> UInt64(shift - 64)
                text[place] = UInt8(hexDigit: half)
                place += 1
            }
            return place
        }
    }

    public static func < (left: Self, right: Self) -> Bool {
        (left.high, left.low) < (right.high, right.low)
    }

    private static func isDash(_ place: Int) -> Bool { place == 8 || place == 13 || place == 18 || place == 23 }
}
