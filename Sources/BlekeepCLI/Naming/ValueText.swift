import BlekeepOutputs

/// A value as a person writes it for a characteristic.
///
/// `0a1b` or `0x0a1b` are octets; `text:…` is text; `u8:`, `u16:` … `s32:` are whole numbers, least significant octet
/// first, as Bluetooth has them.
enum ValueText {
    static let forms = "write octets such as 0a1b, text:…, or a number such as u16:60 (u8 to u64, s8 to s64)"
    /// The longest value that a characteristic can have.
    static let limit = 512

    /// - Throws: `usage` with a sentence that says how to write it.
    static func octets(_ text: String) throws(Failure) -> [UInt8] {
        let octets = try parse(text)
        guard octets.count <= limit else {
            throw Failure(.usage, "the value has \(octets.count) octets; a characteristic takes \(limit) at most")
        }
        return octets
    }

    private static func parse(_ text: String) throws(Failure) -> [UInt8] {
        guard let colon = text.firstIndex(of: ":") else {
            let digits = text.hasPrefix("0x") ? text.dropFirst(2) : text[...]
            guard !digits.isEmpty, let octets = Hexadecimal.octets(digits) else { throw refusal(text) }
            return octets
        }
        let (kind, rest) = (text[..<colon], text[text.index(after: colon)...])
        switch kind {
        case "text": return Array(rest.utf8)
        case "hex":
            guard let octets = Hexadecimal.octets(rest) else { throw refusal(text) }
            return octets
        default: return try number(kind, rest, text)
        }
    }

    private static func number(
        _ kind: Substring, _ digits: Substring, _ text: String
    ) throws(Failure) -> [UInt8] {
        guard kind.first == "u" || kind.first == "s", let bits = Int(kind.dropFirst()),
            bits > 0, bits <= 64, bits.isMultiple(of: 8)
        else { throw refusal(text) }
        guard let value = Int128(digits) else { throw refusal(text) }
        let isSigned = kind.first == "s"
        let span = Int128(1) << Int128(bits)
        let range = isSigned ? -span / 2..<span / 2 : 0..<span
        guard range.contains(value) else {
            throw Failure(
                .usage, "\(value) does not fit \(kind): it goes from \(range.lowerBound) to \(range.upperBound - 1)")
        }
        return (0..<bits / 8).map { UInt8(truncatingIfNeeded: value >> Int128($0 * 8)) }
    }

    private static func refusal(_ text: String) -> Failure {
        Failure(.usage, "'\(Untrusted(text))' is no value; \(forms)")
    }
}
