import BlekeepReadings

extension DecodeError {
    /// The vectors' word.
    var word: String {
        switch self {
        case .short: "short"
        case .long: "long"
        case .format: "format"
        case .version: "version"
        case .key: "key"
        case .authentication: "auth"
        case .replay: "replay"
        case .plain: "plain"
        }
    }
}

/// The rules of the vectors' compare.py.
enum Comparison {
    /// How a field differs from its expected cell (`value`, `unit`, `state`, `tol`); empty if it does not.
    static func differences(_ measurement: Measurement?, _ cell: JSON?) -> [String] {
        guard let measurement, let cell else { return ["\(measurement?.field ?? "a field"): present or missing"] }
        var found: [String] = []
        if !isSame(measurement.value, cell["value"] ?? .null, tolerance: cell["tol"]?.number ?? 0) {
            found.append("value \(String(describing: measurement.value)), not \(cell["value"] ?? .null)")
        }
        if measurement.unit != cell["unit"]?.text { found.append("unit \(measurement.unit ?? "none")") }
        if measurement.state != cell["state"]?.text { found.append("state \(measurement.state ?? "none")") }
        return found.map { "\(measurement.field): \($0)" }
    }

    private static func isSame(_ value: MeasuredValue?, _ expected: JSON, tolerance: Double = 0) -> Bool {
        switch (value, expected) {
        case (nil, .null): true
        case (.text(let text), .text(let wanted)): text == wanted
        case (.boolean(let boolean), .boolean(let wanted)): boolean == wanted
        case (.integer(let integer), .number(let wanted)): isNear(Double(integer), wanted, tolerance)
        case (.number(let number), .number(let wanted)): isNear(number, wanted, tolerance)
        case (.list(let values), .list(let wanted)):
            values.count == wanted.count && zip(values, wanted).allSatisfy { isSame($0, $1) }
        default: false
        }
    }

    private static func isNear(_ number: Double, _ wanted: Double, _ tolerance: Double) -> Bool {
        abs(number - wanted) <= max(tolerance, 1e-9 * max(abs(number), abs(wanted)))
    }
}
