package enum FieldType: Sendable, Hashable {
    case unsigned(bits: Int)
    case signed(bits: Int)
    /// The most significant bit is the sign of the others.
    case signMagnitude(bits: Int)
    case real(RealFormat)
    /// Year, month, day, hour, minute, second.
    case dateTime
    /// One byte N: 1.1^(N - 64) s; 0 is 0 s.
    case exponentialTime
    /// UTF-8 of `bytes` bytes; to the end when `nil`.
    case text(bytes: Int?)
    /// UTF-8 up to a NUL.
    case terminatedText
    /// Bytes as hexadecimal digits; to the end when `bytes` is `nil`.
    case hex(bytes: Int?)
    /// Eight bytes, least significant first, as 16 hex digits.
    case eui64
    /// A UUID of 16 or of 128 bits.
    case uuid

    /// Reads `uint16`, `sint24`, `smag8`, `bits8`, `medfloat16`, `utf8s(16)` and so on; `nil` for other text.
    package init?(_ text: Substring) {
        let parts = text.split(separator: "(", maxSplits: 1)
        let size = parts.count == 2 ? Int(parts[1].dropLast()) : nil
        if parts.count == 2 { guard parts[1].last == ")", let size, 1...512 ~= size else { return nil } }
        switch parts.first {
        case "datetime": self = .dateTime
        case "timeexp8": self = .exponentialTime
        case "utf8s": self = .text(bytes: size)
        case "utf8z": self = .terminatedText
        case "hex": self = .hex(bytes: size)
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
        // ByteReader reads up to 56 bits wherever an integer starts.
        guard let bits = UInt8(text.dropFirst(4)).map({ Int($0) }), 1...56 ~= bits else { return nil }
        switch text.prefix(4) {
        case "uint", "bits": self = .unsigned(bits: bits)
        case "sint": self = .signed(bits: bits)
        case "smag" where bits > 1: self = .signMagnitude(bits: bits)
        default: return nil
        }
    }
}

extension FieldType: CustomStringConvertible {
    /// The text that `init` reads as this type.
    package var description: String {
        func sized(_ name: String, bytes: Int?) -> String { bytes.map { "\(name)(\($0))" } ?? name }
        return switch self {
        case .unsigned(let bits): "uint\(bits)"
        case .signed(let bits): "sint\(bits)"
        case .signMagnitude(let bits): "smag\(bits)"
        case .real(let format): format.rawValue
        case .dateTime: "datetime"
        case .exponentialTime: "timeexp8"
        case .text(let bytes): sized("utf8s", bytes: bytes)
        case .terminatedText: "utf8z"
        case .hex(let bytes): sized("hex", bytes: bytes)
        case .eui64: "eui64"
        case .uuid: "uuid"
        }
    }
}

extension FieldType {
    /// Names of types, for the message about a misspelled type.
    package static let examples = [
        "uint8", "uint16", "uint24", "uint32", "uint48", "sint8", "sint16", "sint24", "sint32", "smag8", "smag16",
        "bits8", "bits16",
        "medfloat16", "medfloat32", "float32", "float64", "datetime", "timeexp8", "utf8s", "utf8z", "hex", "eui64",
        "uuid",
    ]

    package var isInteger: Bool {
        switch self {
        case .unsigned, .signed, .signMagnitude: true
        default: false
        }
    }

    package var isFloat: Bool { [.real(.float32), .real(.float64)].contains(self) }

    /// Whether the type has a scale: integers and medical floats do.
    package var isScaled: Bool {
        switch self {
        case .unsigned, .signed, .signMagnitude, .real(.medfloat16), .real(.medfloat32): true
        default: false
        }
    }

    /// Whether the type takes all bytes to the end.
    package var takesTheRest: Bool { [.text(bytes: nil), .hex(bytes: nil), .uuid].contains(self) }

    /// Whether the type may be used in a big-endian layout.
    package var hasBigForm: Bool { ![.eui64, .uuid].contains(self) }

    /// The number of bits beyond whole bytes; 0 for whole bytes.
    package var oddBits: Int {
        switch self {
        case .unsigned(let bits), .signed(let bits), .signMagnitude(let bits): bits % 8
        default: 0
        }
    }
}
