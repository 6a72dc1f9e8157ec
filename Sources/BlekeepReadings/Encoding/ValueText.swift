/// A characteristic's value as a user writes it.
///
/// `0x0a1b` are bytes, `text:…` is text, and `u8:`, `u16:` … `s32:` are integers, little endian. Anything else is
/// encoded with the characteristic's layout.
package enum ValueText: Sendable, Hashable {
    case bytes([UInt8])
    /// One value, or several of the form `field=value`. Only the layout can encode them.
    case typed([String])

    package static let forms = "write bytes such as 0x0a1b, text:…, or a number such as u16:60 (u8 to u64, s8 to s64)"
    /// The longest value that a characteristic can have.
    package static let limit = 512

    /// - Throws: `UserError` with the ways to write a value.
    package init(_ texts: [String]) throws(UserError) {
        if let option = texts.first(where: { $0.hasPrefix("--") }) {
            throw UserError(
                "there is no option \(Self.quoted(option)); write a text that begins with a hyphen as text:--…")
        }
        guard texts.count == 1, let bytes = try Self.bytes(texts[0]) else {
            self = .typed(texts)
            return
        }
        self = .bytes(try Self.limited(bytes))
    }

    /// Returns the bytes for a characteristic.
    /// Throws `UserError` when the value doesn't fit the layout, or when there is no layout.
    package func bytes(for form: ValueForm, of characteristic: BluetoothUUID) throws(UserError) -> [UInt8] {
        switch self {
        case .bytes(let bytes): return bytes
        case .typed(let texts):
            guard let bytes = try form.encode(texts) else {
                throw UserError("blekeep has no layout for \(characteristic); \(Self.forms)")
            }
            return try Self.limited(bytes)
        }
    }

    private static func limited(_ bytes: [UInt8]) throws(UserError) -> [UInt8] {
        guard bytes.count <= limit else {
            throw UserError("the value has \(bytes.count) bytes; a characteristic takes \(limit) at most")
        }
        return bytes
    }

    /// Returns `nil` for a value without such a prefix.
    private static func bytes(_ text: String) throws(UserError) -> [UInt8]? {
        if text.hasPrefix("0x") { return try hexadecimal(text.dropFirst(2), text: text) }
        guard let colon = text.firstIndex(of: ":") else { return nil }
        let (kind, rest) = (text[..<colon], text[text.index(after: colon)...])
        switch kind {
        case "text": return Array(rest.utf8)
        case "hex": return try hexadecimal(rest, text: text)
        default: return try number(kind, digits: rest, text: text)
        }
    }

    private static func hexadecimal(_ digits: Substring, text: String) throws(UserError) -> [UInt8] {
        guard !digits.isEmpty, let bytes = [UInt8](hex: digits) else { throw refusal(text) }
        return bytes
    }

    private static func number(_ kind: Substring, digits: Substring, text: String) throws(UserError) -> [UInt8]? {
        guard kind.first == "u" || kind.first == "s", let bits = Int(kind.dropFirst()) else { return nil }
        guard bits > 0, bits <= 64, bits.isMultiple(of: 8), let value = Int128(digits) else { throw refusal(text) }
        let isSigned = kind.first == "s"
        let span = Int128(1) << Int128(bits)
        let range = isSigned ? -span / 2..<span / 2 : 0..<span
        guard range.contains(value) else {
            throw UserError(
                "\(value) doesn't fit \(kind), which goes from \(range.lowerBound) to \(range.upperBound - 1)")
        }
        return (0..<bits / 8).map { UInt8(truncatingIfNeeded: value >> Int128($0 * 8)) }
    }

    /// Quotes at most 40 characters.
    static func quoted(_ text: some StringProtocol) -> String {
        text.count > 40 ? "'\(text.prefix(40))…'" : "'\(text)'"
    }

    private static func refusal(_ text: String) -> UserError { UserError("\(quoted(text)) isn't a value; \(forms)") }
}
