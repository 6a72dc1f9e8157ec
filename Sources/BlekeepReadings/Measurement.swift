/// One field of a decoded value, in the base unit of its definition (Pa, not hPa).
public struct Measurement: Sendable, Hashable {
    /// The field's name in the layout table, such as `temperature`.
    public var field: String
    /// `nil` when `state` says why there is no value.
    public var value: MeasuredValue?
    /// The definition's word for a special value: `unknown`, `invalid`, `over`, `nan` …
    public var state: String?
    /// The unit's symbol, such as `°C`; `nil` for a plain number or text.
    public var unit: String?

    public init(field: String, value: MeasuredValue?, state: String? = nil, unit: String? = nil) {
        self.field = field
        self.value = value
        self.state = state
        self.unit = unit
    }
}

/// What a field can hold.
public enum MeasuredValue: Sendable, Hashable {
    case integer(Int64)
    /// Finite: infinities and NaN are states, not numbers.
    case number(Double)
    case text(String)
    case boolean(Bool)
    case list([MeasuredValue])
}
