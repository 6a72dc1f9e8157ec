/// A device address: 48 bits, written as six upper-case octets with colons between them.
public struct BluetoothAddress: Sendable, Hashable, Comparable, CustomStringConvertible {
    /// The address as a number, most significant octet first.
    public let bits: UInt64

    init(bits: UInt64) {
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
        var text = ""
        text.reserveCapacity(12 + 5 * separator.utf8.count)
        for shift in stride(from: 44, through: 0, by: -4) {
            text.unicodeScalars.append(Self.digits[Int(bits >> UInt64(shift) & 15)])
            if shift % 8 == 0, shift > 0 { text += separator }
        }
        return text
    }

    private static let digits = Array("0123456789ABCDEF".unicodeScalars)

    /// Whether these bits are what a resolvable private address has: it changes every quarter of an hour.
    /// Only a random address can be one; a public address may have the same bits.
    public var looksResolvable: Bool { bits >> 46 == 0b01 }

    public static func < (left: Self, right: Self) -> Bool { left.bits < right.bits }
}

extension UInt8 {
    var isHexDigit: Bool { hexDigit != nil }

    /// What this ASCII character stands for as a hexadecimal digit.
    var hexDigit: UInt8? {
        switch self {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): self - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): self - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): self - UInt8(ascii: "A") + 10
        default: nil
        }
    }
}
