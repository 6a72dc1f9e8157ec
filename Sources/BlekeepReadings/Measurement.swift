/// A field of a decoded value, in the unit of its layout, without a prefix: Pa, not hPa.
///
/// ```swift
/// for measurement in try decoder.decode(bytes) {
///     let (value, unit) = DisplayUnit.human(measurement)
///     print(measurement.field, value, unit)                           // temperature 23.82 °C
/// }
/// ```
public struct Measurement: Sendable, Hashable {
    /// The field's name in the layout, such as `temperature`.
    public var field: String
    /// The value; `nil` when `state` says why there is none.
    public var value: MeasuredValue?
    /// A word instead of a value, such as `unknown`, `invalid`, `prohibited` or `nan`; `nil` when there is a value.
    public var state: String?
    /// The unit's symbol, such as `°C`; `nil` for a plain number or text.
    public var unit: String?
    /// The number of decimals that show each step of the value, such as 2 for steps of 0.01; `nil` for whole numbers,
    /// and when unknown. The history doesn't keep it.
    public var decimals: Int?

    /// Creates a measurement.
    public init(field: String, value: MeasuredValue?, state: String? = nil, unit: String? = nil, decimals: Int? = nil) {
        self.field = field
        self.value = value
        self.state = state
        self.unit = unit
        self.decimals = decimals
    }

    /// Whether something happened, such as a press of a button, and no state lasts.
    package var isEvent: Bool { value != .text("none") && isEventful }

    /// Whether the field is that of a button or the like, which says what happened last.
    package var isEventful: Bool {
        guard case .text? = value else { return false }
        return ["button", "dimmer", "cube"].contains { field.hasPrefix($0) }
    }

    /// Whether it only says which fields follow, and isn't worth a line for users.
    package var isFlags: Bool { field == "flags" }
}

/// The value of a field.
public enum MeasuredValue: Sendable, Hashable {
    /// A whole number, such as 87 %.
    case integer(Int64)
    /// A finite number. NaN and infinities are states, not values.
    case number(Double)
    /// Text, also for dates, hexadecimal digits and integers beyond 64 bits.
    case text(String)
    /// A truth value.
    case boolean(Bool)
    /// The values of a repeating field.
    case list([MeasuredValue])
}

/// The content of a field while it is read: a value, or a word such as `unknown` instead of a value.
enum FieldValue: Sendable, Hashable {
    case value(MeasuredValue)
    case state(String)

    var value: MeasuredValue? { if case .value(let value) = self { value } else { nil } }

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
        self.init(field: field, value: nil, unit: unit, decimals: decimals)
        switch value {
        case .value(let value): self.value = value
        case .state(let word): state = word
        }
    }
}
