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
    init?(_ text: Substring) {
        let parts = text.split(separator: "(", maxSplits: 1)
        let size = parts.count == 2 ? Int(parts[1].dropLast()) : nil
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
        guard let bits = Int(text.dropFirst(4)), 1...56 ~= bits else { return nil }
        switch text.prefix(4) {
        case "uint", "bits": self = .unsigned(bits: bits)
        case "sint": self = .signed(bits: bits)
        default: return nil
        }
    }
}
