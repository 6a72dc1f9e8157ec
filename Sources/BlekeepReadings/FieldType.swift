/// How a field's octets are to be read.
package enum FieldType: Sendable, Hashable {
    case unsigned(bits: Int)
    case signed(bits: Int)
    case real(RealFormat)
    /// Year, month, day, hour, minute, second.
    case dateTime
    /// One octet N: 1.1^(N - 64) s; 0 is 0 s.
    case exponentialTime
    /// UTF-8 of so many octets; without a number, to the end.
    case text(octets: Int?)
    /// UTF-8 up to a NUL.
    case terminatedText
    /// Octets as hex digits.
    case hex(octets: Int?)
    /// Eight octets, least significant first, as 16 hex digits.
    case eui64
    /// A UUID of 16 or of 128 bits, whichever is there.
    case uuid

    /// Reads `uint16`, `sint24`, `bits8`, `medfloat16`, `utf8s(16)` and so on. `nil` for anything else.
    package init?(_ text: Substring) {
        let parts = text.split(separator: "(", maxSplits: 1)
        let size = parts.count == 2 ? Int(parts[1].dropLast()) : nil
        if parts.count == 2 { guard parts[1].last == ")", let size, 1...512 ~= size else { return nil } }
        switch parts.first {
        case "datetime": self = .dateTime
        case "timeexp8": self = .exponentialTime
        case "utf8s": self = .text(octets: size)
        case "utf8z": self = .terminatedText
        case "hex": self = .hex(octets: size)
        case "eui64": self = .eui64
        case "uuid": self = .uuid
        default: self.init(number: text)
        }
    }

    private init?(number text: Substring) {
        if let format = RealFormat(rawValue: String(text)) {
            self = .real(format)
            return
        }
        // What OctetReader takes wherever an integer starts.
        guard let bits = UInt8(text.dropFirst(4)).map({ Int($0) }), 1...56 ~= bits else { return nil }
        switch text.prefix(4) {
        case "uint", "bits": self = .unsigned(bits: bits)
        case "sint": self = .signed(bits: bits)
        default: return nil
        }
    }
}

extension FieldType {
    /// The names of all types, for those who misspell one.
    package static let examples = [
        "uint8", "uint16", "uint24", "uint32", "uint48", "sint8", "sint16", "sint24", "sint32", "bits8", "bits16",
        "medfloat16", "medfloat32", "float32", "float64", "datetime", "timeexp8", "utf8s", "utf8z", "hex", "eui64",
        "uuid",
    ]

    package var isInteger: Bool {
        switch self {
        case .unsigned, .signed: true
        default: false
        }
    }

    /// Whether it takes a scale: integers and medical floats.
    package var isScaled: Bool {
        switch self {
        case .unsigned, .signed, .real(.medfloat16), .real(.medfloat32): true
        default: false
        }
    }

    /// Whether it goes on to the last octet.
    package var takesTheRest: Bool { [.text(octets: nil), .hex(octets: nil), .uuid].contains(self) }

    /// Whether it has the same meaning in either order of octets, or one that follows the layout's.
    package var hasBigForm: Bool { ![.eui64, .uuid].contains(self) }

    /// How many bits of an octet it leaves to the next field; 0 for whole octets.
    package var oddBits: Int {
        switch self {
        case .unsigned(let bits), .signed(let bits): bits % 8
        default: 0
        }
    }
}
