/// Formats measurements for users. Programs and files should use the exact value and its unit.
public enum DisplayUnit {
    /// Returns a measurement's text, and the symbol of its unit, which is empty for a plain number.
    ///
    /// ```swift
    /// let (value, unit) = DisplayUnit.human(Measurement(field: "pressure", value: .integer(100_900), unit: "Pa"))
    /// print(value, unit)                                          // 1009.0 hPa
    /// ```
    ///
    /// Pa become hPa, T become µT, and kg/m³ become µg/m³. A number has the measurement's decimals, at most three: 20.50, not
    /// 20.5. Without these, it has at most three decimals, or more to show four significant digits, as a number below 1 has
    /// with more than three. An angle has up to seven. A measurement without a value gives its state and no unit.
    ///
    /// - Parameters:
    ///   - measurement: the field and its value.
    ///   - characteristic: whose value it is. A number that the Bluetooth SIG named becomes its name: `Chest` for 1 of Body
    ///     Sensor Location.
    public static func human(
        _ measurement: Measurement, of characteristic: BluetoothUUID? = nil
    ) -> (value: String, unit: String) {
        guard let value = measurement.value else { return (measurement.state ?? "", "") }
        if case .integer(let number) = value,
            let name = Enumeration(of: characteristic, field: measurement.field)?.name(of: number)
        {
            return (name, "")
        }
        let unit = measurement.unit ?? ""
        guard let shown = shownUnits.first(where: { $0.base == unit }), let number = value.asNumber else {
            let maxDecimals = unit == "°" ? 7 : 3
            // Rounding a small number would leave too few digits.
            if let decimals = measurement.decimals, let number = value.asNumber,
                decimals <= maxDecimals || number.magnitude >= 1
            {
                return (text(number, decimals: min(decimals, maxDecimals)), unit)
            }
            return (text(value, unit: unit), unit)
        }
        return (text(number * factor(shown), decimals: shown.decimals), shown.unit)
    }

    /// Returns the unit that replaces `base` for users, and its size as a power of ten of `base`.
    static func shown(for base: String) -> (unit: String, power: Int)? {
        shownUnits.first { $0.base == base }.map { ($0.unit, $0.power) }
    }

    /// Returns the symbol of the unit that users see, and the number by which values are multiplied to get it.
    package static func scale(of unit: String?) -> (unit: String, factor: Double) {
        let unit = unit ?? ""
        return shownUnits.first { $0.base == unit }.map { ($0.unit, factor($0)) } ?? (unit, 1)
    }

    private typealias Shown = (base: String, unit: String, power: Int, decimals: Int)

    private static let shownUnits: [Shown] = [
        ("Pa", "hPa", 2, 1),
        ("T", "µT", -6, 1),
        ("kg/m³", "µg/m³", -9, 1),
    ]

    private static func factor(_ shown: Shown) -> Double { ExactDecimal(1, exponent: -shown.power).nearest }

    private static func text(_ value: MeasuredValue, unit: String) -> String {
        switch value {
        case .integer(let integer): String(integer)
        case .number(let number): trimmed(number, decimals: unit == "°" ? 7 : 3)
        case .text(let text): text
        case .boolean(let boolean): boolean ? "true" : "false"
        case .list(let values): values.map { text($0, unit: unit) }.joined(separator: ", ")
        }
    }

    /// Formats a number with at most `decimals` decimals, or more to show four significant digits.
    private static func trimmed(_ number: Double, decimals: Int) -> String {
        var decimals = decimals
        var size = abs(number)
        while size > 0, size < 1, decimals < 12 {
            size *= 10
            decimals += 1
        }
        var result = text(number, decimals: decimals)
        guard result.contains("."), !result.contains("e") else { return result }
        while result.hasSuffix("0") { result.removeLast() }
        if result.hasSuffix(".") { result.removeLast() }
        return result
    }

    /// Formats a number with exactly `decimals` decimals. The standard library formats numbers that exceed 64 bits.
    private static func text(_ number: Double, decimals: Int) -> String {
        let power = (0..<decimals).reduce(1.0) { power, _ in power * 10 }
        // Rounds half away from zero. rounded() would link libm.
        let moved = number * power + (number < 0 ? -0.5 : 0.5)
        guard abs(moved) < 0x1p62 else { return number.description }
        let scaled = Int64(moved)
        let digits = String(scaled.magnitude)
        let padded = String(repeating: "0", count: max(0, decimals + 1 - digits.count)) + digits
        let sign = scaled < 0 ? "-" : ""
        return sign + padded.dropLast(decimals) + (decimals > 0 ? "." + padded.suffix(decimals) : "")
    }
}

extension MeasuredValue {
    fileprivate var asNumber: Double? {
        switch self {
        case .integer(let integer): Double(integer)
        case .number(let number): number
        case .text, .boolean, .list: nil
        }
    }
}
