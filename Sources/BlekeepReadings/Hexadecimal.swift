extension UInt8 {
    package var isHexDigit: Bool { hexDigit != nil }

    /// The hexadecimal digit for the last four bits, as an ASCII character.
    init(hexDigit bits: UInt64, tenIs ten: Unicode.Scalar = "a") {
        let digit = UInt8(truncatingIfNeeded: bits & 15)
        self = digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: ten) + (digit - 10)
    }

    /// The value of this ASCII character as a hexadecimal digit, in either case.
    package var hexDigit: UInt8? {
        let digit = self &- UInt8(ascii: "0")
        if digit < 10 { return digit }
        // Upper and lower case differ by one bit.
        let letter = (self | 0x20) &- UInt8(ascii: "a")
        return letter < 6 ? letter + 10 : nil
    }
}

extension [UInt8] {
    /// Reads bytes of two hexadecimal digits each, in either case; `nil` for anything else.
    package init?(hex text: some StringProtocol) {
        self = []
        var high: UInt8?
        for byte in text.utf8 {
            guard let digit = byte.hexDigit else { return nil }
            if let left = high { append(left << 4 | digit) }
            high = high == nil ? digit : nil
        }
        if high != nil { return nil }
    }

    /// Adds two lower-case hexadecimal digits for each byte.
    package mutating func append(hex bytes: [UInt8]) {
        for byte in bytes {
            append(UInt8(hexDigit: UInt64(byte >> 4)))
            append(UInt8(hexDigit: UInt64(byte)))
        }
    }
}

extension String {
    /// Two lower-case hexadecimal digits for each byte.
    package init(hex bytes: some Sequence<UInt8>) {
        var text: [UInt8] = []
        text.append(hex: Array(bytes))
        self.init(decoding: text, as: UTF8.self)
    }

    /// A number in lower-case hexadecimal digits, with zeros before it up to a width.
    package init(hex number: some FixedWidthInteger & UnsignedInteger, width: Int) {
        let digits = String(number, radix: 16)
        self.init(repeating: "0", count: Swift.max(0, width - digits.utf8.count))
        self += digits
    }
}
