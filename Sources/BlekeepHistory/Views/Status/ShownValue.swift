import BlekeepOutputs
import BlekeepRecords

/// A value as people read it.
package struct ShownValue: Sendable {
    package let place: ValuePlace
    /// What it measures, such as `Temperature`.
    package let name: String
    /// The number, or the word of a special value.
    package var value: String
    /// Empty without one.
    package let unit: String

    package init(_ reading: Reading, _ measurement: Measurement) {
        let shown = DisplayUnit.human(measurement, of: reading.characteristic)
        place = ValuePlace(reading.key, name: reading.name)
        name = MeasuredName.text(reading)
        (value, unit) = (Untrusted(shown.value).description, Untrusted(shown.unit).description)
    }

    package var number: String { unit.isEmpty ? value : "\(value) \(unit)" }

    /// Whether its name must stand beside it, because its unit doesn't say what it is, or another value has that unit.
    package func isNamed(among values: [ShownValue]) -> Bool {
        !place.isClear || values.count { $0.unit == unit && $0.place.isMain } > 1
    }

    /// Returns values with their units, and with the names that they need.
    ///
    /// - Parameter more: how many values it only counts.
    package static func text(_ values: [ShownValue], more: Int) -> String {
        let shown = values.map { $0.isNamed(among: values) ? "\($0.name) \($0.number)" : $0.number }
        return (shown + (more > 0 ? ["\(more) more"] : [])).joined(separator: ", ")
    }
}
