/// The content of a field: a value, or a word such as `unknown` instead of a value.
enum FieldValue: Sendable, Hashable {
    case value(MeasuredValue)
    case state(String)

    var value: MeasuredValue? { if case .value(let value) = self { value } else { nil } }

    /// The word instead of a value.
    var word: String? { if case .state(let word) = self { word } else { nil } }

    /// Returns a number; NaN and infinities become words.
    static func number(_ number: Double) -> FieldValue {
        if number.isNaN { return .state("nan") }
        if number.isInfinite { return .state(number < 0 ? "neg_inf" : "pos_inf") }
        return .value(.number(number))
    }

    /// Decodes UTF-8 without the NULs at its end; the word `bad_utf8` when it isn't UTF-8.
    static func text(_ bytes: ArraySlice<UInt8>) -> FieldValue {
        guard let last = bytes.lastIndex(where: { $0 != 0 }) else { return .value(.text("")) }
        guard let text = String(validating: bytes[...last], as: UTF8.self) else { return .state("bad_utf8") }
        return .value(.text(text))
    }

    /// Returns two lower-case hexadecimal digits for each byte.
    static func hex(_ bytes: some Sequence<UInt8>) -> FieldValue {
        .value(.text(String(hex: bytes)))
    }
}

extension Measurement {
    init(field: String, _ value: FieldValue, unit: String?, decimals: Int? = nil) {
        self.init(field: field, value: value.value, state: value.word, unit: unit, decimals: decimals)
    }
}
