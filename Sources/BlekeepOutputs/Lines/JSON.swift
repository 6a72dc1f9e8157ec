import BlekeepRecords

/// A JSON value for one line of text. Keys keep their order.
package indirect enum JSON: Sendable, ExpressibleByStringLiteral, ExpressibleByBooleanLiteral,
    ExpressibleByIntegerLiteral
{
    case object([(key: String, value: JSON?)])
    case array([JSON])
    case text(String)
    case integer(Int)
    /// A finite number, to a thousandth.
    case number(Double)
    case boolean(Bool)
    case null
    /// A measured value in the form of `JSONLineWriter`.
    case measured(MeasuredValue?)
    /// A value that is text already.
    case written([UInt8])

    package init(stringLiteral text: String) { self = .text(text) }
    package init(booleanLiteral flag: Bool) { self = .boolean(flag) }
    package init(integerLiteral number: Int) { self = .integer(number) }

    /// The object without the keys that have no value.
    package static func object(_ pairs: KeyValuePairs<String, JSON?>) -> JSON {
        .object(pairs.map { (key: $0.key, value: $0.value) })
    }

    package static func text(_ text: String?) -> JSON? { text.map { .text($0) } }
    package static func integer(_ number: Int?) -> JSON? { number.map { .integer($0) } }

    /// `value`, and `unit` and `state` where there are any.
    package static func pairs(of measurement: Measurement) -> [(key: String, value: JSON?)] {
        [
            ("value", .measured(measurement.value)), ("unit", .text(measurement.unit)),
            ("state", .text(measurement.state)),
        ]
    }

    /// Fields by name, each with `value`, and `unit` and `state` where it has them.
    package static func fields(_ measurements: [Measurement]) -> JSON {
        .object(measurements.map { ($0.field, .object(pairs(of: $0))) })
    }

    /// Bytes in lower-case hex digits.
    package static func hex(_ bytes: [UInt8]) -> JSON { .text(String(hex: bytes)) }

    package var text: String { String(decoding: bytes, as: UTF8.self) }

    package var bytes: [UInt8] {
        var bytes: [UInt8] = []
        append(to: &bytes)
        return bytes
    }

    func append(to bytes: inout [UInt8]) {
        switch self {
        case .object(let pairs):
            let present = pairs.compactMap { pair in pair.value.map { (pair.key, $0) } }
            Self.appendList(present, open: "{", close: "}", to: &bytes) { pair, bytes in
                JSONText.append(pair.0, to: &bytes)
                bytes.append(UInt8(ascii: ":"))
                pair.1.append(to: &bytes)
            }
        case .array(let values): Self.appendList(values, open: "[", close: "]", to: &bytes) { $0.append(to: &$1) }
        case .measured(let value): JSONText.append(measured: value, to: &bytes)
        case .text(let text): JSONText.append(text, to: &bytes)
        case .number(let number):
            let rounded = (max(-1e12, min(1e12, number)) * 1000).rounded() / 1000
            JSONText.append(.number(number.isFinite ? rounded : number), to: &bytes)
        case .integer(let number): JSONText.append(.integer(Int64(number)), to: &bytes)
        case .boolean(let flag): JSONText.append(.boolean(flag), to: &bytes)
        case .null: JSONText.append(measured: nil, to: &bytes)
        case .written(let text): bytes.append(contentsOf: text)
        }
    }

    private static func appendList<Element>(
        _ elements: [Element], open: String, close: String, to bytes: inout [UInt8],
        append: (Element, inout [UInt8]) -> Void
    ) {
        bytes.append(contentsOf: open.utf8)
        for (index, element) in elements.enumerated() {
            if index > 0 { bytes.append(UInt8(ascii: ",")) }
            append(element, &bytes)
        }
        bytes.append(contentsOf: close.utf8)
    }
}
