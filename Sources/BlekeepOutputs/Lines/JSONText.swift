import BlekeepRecords

/// JSON values, written by hand: quick, and without Foundation.
package enum JSONText {
    /// The greatest depth of nested lists. Deeper lists become `null`.
    package static let depth = 32

    /// Adds a string in quotes. Control characters, line separators and bidi characters are escaped.
    package static func append(_ text: String, to bytes: inout [UInt8]) {
        bytes.append(UInt8(ascii: "\""))
        if text.utf8.allSatisfy({ 0x20..<0x7F ~= $0 && $0 != 0x22 && $0 != 0x5C }) {
            bytes.append(text: text)
        } else {
            for scalar in text.unicodeScalars {
                if scalar.needsJSONEscape {
                    appendEscape(scalar, to: &bytes)
                } else {
                    bytes.append(contentsOf: UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter)
                }
            }
        }
        bytes.append(UInt8(ascii: "\""))
    }

    /// Adds a value. Numbers that aren't finite become `null`, because JSON doesn't have them.
    package static func append(_ value: MeasuredValue, depth: Int = Self.depth, to bytes: inout [UInt8]) {
        switch value {
        case .integer(let integer): bytes.append(integer: integer)
        case .number(let number): bytes.append(text: number.isFinite ? number.description : "null")
        case .text(let text): append(text, to: &bytes)
        case .boolean(let flag): bytes.append(text: flag ? "true" : "false")
        case .list(let values):
            guard depth > 0 else {
                bytes.append(text: "null")
                return
            }
            bytes.append(UInt8(ascii: "["))
            for (index, value) in values.enumerated() {
                if index > 0 { bytes.append(UInt8(ascii: ",")) }
                append(value, depth: depth - 1, to: &bytes)
            }
            bytes.append(UInt8(ascii: "]"))
        }
    }

    /// Adds a value: `null` for none, and whole numbers without a decimal point.
    package static func append(measured value: MeasuredValue?, to bytes: inout [UInt8]) {
        switch value {
        case .number(let number)?:
            if let whole = Int64(exactly: number), whole.magnitude < 1 << 53 {
                bytes.append(integer: whole)
            } else {
                append(.number(number), to: &bytes)
            }
        case let value?: append(value, to: &bytes)
        case nil: bytes.append(text: "null")
        }
    }

    private static func appendEscape(_ scalar: Unicode.Scalar, to bytes: inout [UInt8]) {
        bytes.append(UInt8(ascii: "\\"))
        switch scalar {
        case "\"", "\\": bytes.append(UInt8(truncatingIfNeeded: scalar.value))
        case "\n": bytes.append(UInt8(ascii: "n"))
        case "\r": bytes.append(UInt8(ascii: "r"))
        case "\t": bytes.append(UInt8(ascii: "t"))
        default:
            // Escaped scalars are below U+10000, so they need no surrogates.
            bytes.append(UInt8(ascii: "u"))
            bytes.append(hex: [UInt8(truncatingIfNeeded: scalar.value >> 8), UInt8(truncatingIfNeeded: scalar.value)])
        }
    }
}

extension Unicode.Scalar {
    /// Whether JSON text should spell it out: C0, C1, DEL, the line separators, what changes the direction, and the
    /// byte order mark, which some readers drop.
    fileprivate var needsJSONEscape: Bool {
        switch value {
        case 0..<0x20, 0x22, 0x5C, 0x7F..<0xA0, 0x61C, 0x200E, 0x200F, 0x2028...0x202E, 0x2066...0x2069, 0xFEFF: true
        default: false
        }
    }
}
