import BlekeepOutputs
import BlekeepRecords

/// A list of values as JSON text. Whole numbers have neither point nor exponent, and other numbers always have one, so
/// that decoding restores each type.
struct ListText {
    private var rest: Substring.UTF8View

    static func encode(_ values: [MeasuredValue]) -> String {
        var bytes: [UInt8] = []
        JSONText.append(.list(values), to: &bytes)
        return String(decoding: bytes, as: UTF8.self)
    }

    /// `nil` for text that `encode` does not write.
    static func decode(_ text: String) -> [MeasuredValue]? {
        var reader = ListText(rest: text[...].utf8)
        guard case .list(let values) = reader.value(depth: JSONText.depth), reader.rest.isEmpty else { return nil }
        return values
    }

    private mutating func value(depth: Int) -> MeasuredValue? {
        switch rest.first {
        case UInt8(ascii: "["): depth >= 0 ? list(depth: depth) : nil
        case UInt8(ascii: "\""): text().map(MeasuredValue.text)
        case UInt8(ascii: "t"): skip("true") ? .boolean(true) : nil
        case UInt8(ascii: "f"): skip("false") ? .boolean(false) : nil
        case UInt8(ascii: "n"): skip("null") ? .text("") : nil
        default: number()
        }
    }

    private mutating func list(depth: Int) -> MeasuredValue? {
        rest.removeFirst()
        var values: [MeasuredValue] = []
        if skip("]") { return .list(values) }
        while let value = value(depth: depth - 1) {
            values.append(value)
            if skip("]") { return .list(values) }
            guard skip(",") else { return nil }
        }
        return nil
    }

    private mutating func number() -> MeasuredValue? {
        let digits = rest.prefix { $0 != UInt8(ascii: ",") && $0 != UInt8(ascii: "]") }
        rest = rest.dropFirst(digits.count)
        let text = String(Substring(digits))
        if let integer = Int64(text) { return .integer(integer) }
        return Double(text).map(MeasuredValue.number)
    }

    private mutating func text() -> String? {
        rest.removeFirst()
        var bytes: [UInt8] = []
        while let byte = rest.popFirst() {
            switch byte {
            case UInt8(ascii: "\""): return String(decoding: bytes, as: UTF8.self)
            case UInt8(ascii: "\\"):
                guard let scalar = escape() else { return nil }
                bytes.append(contentsOf: UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter)
            default: bytes.append(byte)
            }
        }
        return nil
    }

    private mutating func escape() -> Unicode.Scalar? {
        switch rest.popFirst() {
        case UInt8(ascii: "n"): return "\n"
        case UInt8(ascii: "r"): return "\r"
        case UInt8(ascii: "t"): return "\t"
        case UInt8(ascii: "u"):
            let digits = rest.prefix(4)
            rest = rest.dropFirst(4)
            return UInt32(Substring(digits), radix: 16).flatMap(Unicode.Scalar.init)
        case let byte?: return Unicode.Scalar(byte)
        case nil: return nil
        }
    }

    private mutating func skip(_ text: String) -> Bool {
        guard rest.starts(with: text.utf8) else { return false }
        rest = rest.dropFirst(text.utf8.count)
        return true
    }
}
