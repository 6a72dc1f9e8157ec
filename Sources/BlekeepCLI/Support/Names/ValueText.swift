import Blekeep
import BlekeepOutputs

/// A value as a person writes it for a characteristic.
///
/// `0x0a1b` are octets, whatever the characteristic; `text:…` is text; `u8:`, `u16:` … `s32:` are whole numbers, least
/// significant octet first, as Bluetooth has them. Anything else is a value in the characteristic's own form.
enum ValueText: Sendable, Equatable {
    case octets([UInt8])
    /// To be understood when the form is known: one value, or `field=value` several times.
    case typed([String])

    static let forms = "write octets such as 0x0a1b, text:…, or a number such as u16:60 (u8 to u64, s8 to s64)"
    /// The longest value that a characteristic can have.
    static let limit = 512

    /// - Throws: `usage` with a sentence that says how to write it.
    init(_ texts: [String]) throws(Failure) {
        if let option = texts.first(where: { $0.hasPrefix("--") }) {
            throw Failure(
                .usage, "there is no option '\(Untrusted(option))'; a text that begins so is written text:--…")
        }
        guard texts.count == 1, let octets = try Self.octets(texts[0]) else {
            self = .typed(texts)
            return
        }
        self = .octets(try Self.limited(octets))
    }

    /// The octets for a characteristic.
    ///
    /// - Throws: `usage` where the value does not fit the form, or nothing is known of that.
    func octets(for form: ValueForm, of characteristic: BluetoothUUID) throws(Failure) -> [UInt8] {
        switch self {
        case .octets(let octets): return octets
        case .typed(let texts):
            let octets: [UInt8]?
            do throws(EncodeError) { octets = try form.encode(texts) } catch {
                throw Failure(.usage, Untrusted(error.message, limit: 1000).description)
            }
            guard let octets else {
                throw Failure(.usage, "nothing is known of the form of \(characteristic); \(Self.forms)")
            }
            return try Self.limited(octets)
        }
    }

    private static func limited(_ octets: [UInt8]) throws(Failure) -> [UInt8] {
        guard octets.count <= limit else {
            throw Failure(.usage, "the value has \(octets.count) octets; a characteristic takes \(limit) at most")
        }
        return octets
    }

    /// `nil` for a value that has no such mark before it.
    private static func octets(_ text: String) throws(Failure) -> [UInt8]? {
        if text.hasPrefix("0x") { return try hexadecimal(text.dropFirst(2), text) }
        guard let colon = text.firstIndex(of: ":") else { return nil }
        let (kind, rest) = (text[..<colon], text[text.index(after: colon)...])
        switch kind {
        case "text": return Array(rest.utf8)
        case "hex": return try hexadecimal(rest, text)
        default: return try number(kind, rest, text)
        }
    }

    private static func hexadecimal(_ digits: Substring, _ text: String) throws(Failure) -> [UInt8] {
        guard !digits.isEmpty, let octets = [UInt8](hex: digits) else { throw refusal(text) }
        return octets
    }

    private static func number(
        _ kind: Substring, _ digits: Substring, _ text: String
    ) throws(Failure) -> [UInt8]? {
        guard kind.first == "u" || kind.first == "s", let bits = Int(kind.dropFirst()) else { return nil }
        guard bits > 0, bits <= 64, bits.isMultiple(of: 8), let value = Int128(digits) else { throw refusal(text) }
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
