import BlekeepRecords

/// Percent-encoding of text in a URL.
package enum PercentText {
    /// Returns text as a value in a query.
    package static func text(_ value: String) -> String {
        var text: [UInt8] = []
        for byte in value.utf8 {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
                UInt8(ascii: "~"):
                text.append(byte)
            default:
                text.append(UInt8(ascii: "%"))
                text.append(hex: [byte])
            }
        }
        return String(decoding: text, as: UTF8.self)
    }

    /// Decodes a path, or a part of a query.
    ///
    /// - Parameter isQuery: whether `+` is a space.
    /// - Returns: `nil` for a malformed escape, for what isn't UTF-8, and for text with a NUL.
    package static func decode(_ text: some StringProtocol, isQuery: Bool) -> String? {
        var bytes: [UInt8] = []
        var rest = Array(text.utf8)[...]
        while let byte = rest.popFirst() {
            switch byte {
            case UInt8(ascii: "%"):
                guard let high = rest.popFirst().flatMap(\.hexDigit), let low = rest.popFirst().flatMap(\.hexDigit)
                else { return nil }
                bytes.append(high << 4 | low)
            case UInt8(ascii: "+") where isQuery: bytes.append(UInt8(ascii: " "))
            default: bytes.append(byte)
            }
        }
        return bytes.contains(0) ? nil : String(validating: bytes, as: UTF8.self)
    }
}
