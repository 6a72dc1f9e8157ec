import Blekeep
import BlekeepOutputs

/// A JSON value to be printed on one line; keys stay in the order in which they are given.
indirect enum JSON: Sendable, ExpressibleByStringLiteral, ExpressibleByBooleanLiteral, ExpressibleByIntegerLiteral {
    case object([(key: String, value: JSON?)])
    case array([JSON])
    case text(String)
    case integer(Int)
    /// A finite number, to a thousandth.
    case number(Double)
    case boolean(Bool)
    case null
    /// `value`, and `unit` and `state` where there are any.
    case measurement(Measurement)

    init(stringLiteral text: String) { self = .text(text) }
    init(booleanLiteral flag: Bool) { self = .boolean(flag) }
    init(integerLiteral number: Int) { self = .integer(number) }

    /// The object without the keys that have no value.
    static func object(_ pairs: KeyValuePairs<String, JSON?>) -> JSON {
        .object(pairs.map { (key: $0.key, value: $0.value) })
    }

    static func text(_ text: String?) -> JSON? { text.map { .text($0) } }
    static func integer(_ number: Int?) -> JSON? { number.map { .integer($0) } }

    /// Octets in lower-case hex digits.
    static func hex(_ octets: [UInt8]) -> JSON { .text(String(hex: octets)) }

    var text: String {
        var bytes: [UInt8] = []
        append(to: &bytes)
        return String(decoding: bytes, as: UTF8.self)
    }

    private func append(to bytes: inout [UInt8]) {
        switch self {
        case .object(let pairs):
            let present = pairs.compactMap { pair in pair.value.map { (pair.key, $0) } }
            Self.appendList(present, "{", "}", to: &bytes) { pair, bytes in
                JSONText.append(pair.0, to: &bytes)
                bytes.append(UInt8(ascii: ":"))
                pair.1.append(to: &bytes)
            }
        case .array(let values): Self.appendList(values, "[", "]", to: &bytes) { $0.append(to: &$1) }
        case .measurement(let measurement): bytes += JSONLine(measurement).text.utf8
        case .text(let text): JSONText.append(text, to: &bytes)
        case .number(let number):
            let rounded = (max(-1e12, min(1e12, number)) * 1000).rounded() / 1000
            bytes.append(contentsOf: (number.isFinite ? "\(rounded)" : "null").utf8)
        case .integer(let number): bytes.append(contentsOf: String(number).utf8)
        case .boolean(let flag): bytes.append(contentsOf: (flag ? "true" : "false").utf8)
        case .null: bytes.append(contentsOf: "null".utf8)
        }
    }

    private static func appendList<Element>(
        _ elements: [Element], _ open: String, _ close: String, to bytes: inout [UInt8],
        _ append: (Element, inout [UInt8]) -> Void
    ) {
        bytes.append(contentsOf: open.utf8)
        for (index, element) in elements.enumerated() {
            if index > 0 { bytes.append(UInt8(ascii: ",")) }
            append(element, &bytes)
        }
        bytes.append(contentsOf: close.utf8)
    }
}
