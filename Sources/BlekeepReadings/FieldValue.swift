/// What a field's octets say: a value, or the definition's word for having none.
enum FieldValue: Sendable, Hashable {
    case value(MeasuredValue)
    case state(String)

    /// The value, if there is one.
    var value: MeasuredValue? { if case .value(let value) = self { value } else { nil } }

    /// The word for having none.
    var word: String? { if case .state(let word) = self { word } else { nil } }

    /// A number if it is one.
    static func number(_ number: Double) -> FieldValue {
        if number.isNaN { return .state("nan") }
        if number.isInfinite { return .state(number < 0 ? "neg_inf" : "pos_inf") }
        return .value(.number(number))
    }

    /// Text without the NULs that fill it up, if it is UTF-8.
    static func text(_ octets: ArraySlice<UInt8>) -> FieldValue {
        let end = octets.lastIndex { $0 != 0 }.map { $0 + 1 } ?? octets.startIndex
        return String(validating: octets[..<end], as: UTF8.self).map { .value(.text($0)) } ?? .state("bad_utf8")
    }

    /// Two lower-case hex digits an octet.
    static func hex(_ octets: some Sequence<UInt8>) -> FieldValue {
        .value(.text(String(hex: octets)))
    }
}

extension Measurement {
    init(field: String, _ value: FieldValue, unit: String?) {
        self.init(field: field, value: value.value, state: value.word, unit: unit)
    }
}
