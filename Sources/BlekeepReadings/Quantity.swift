/// The names that Home Assistant and Prometheus have for a field.
///
/// ```swift
/// let quantity = Quantity(field: "battery_level", unit: "%")
/// print(quantity.prometheusName, quantity.base(87))                  // battery_level_ratio 0.87
/// ```
///
/// The sources are Home Assistant's `SensorDeviceClass` of 2026, and Prometheus's "Metric and label naming".
public struct Quantity: Sendable, Hashable {
    /// Home Assistant's device class, such as `temperature`; `nil` when it has none.
    public let deviceClass: String?
    /// The name of the Prometheus metric, without your prefix, such as `temperature_celsius`.
    public let prometheusName: String
    /// Prometheus's base unit, such as `celsius` or `ratio`; empty for a plain number. `base` converts to it.
    public let baseUnit: String

    private let factor: ExactDecimal

    /// Looks up a field.
    ///
    /// - Parameters:
    ///   - field: the field's name, such as `battery_level`.
    ///   - unit: its symbol, such as `%`.
    public init(field: String, unit: String?) {
        let unit = unit ?? ""
        let columns = Self.line(field: field, unit: unit)
        deviceClass = columns.flatMap { $0[2].isEmpty ? nil : String($0[2]) }
        let plain = Self.identifier(field)
        guard let columns else {
            // The table lacks this unit, so its symbol becomes its name.
            baseUnit = Self.identifier(unit)
            prometheusName = baseUnit.isEmpty ? plain : "\(plain)_\(baseUnit)"
            factor = ExactDecimal(1)
            return
        }
        baseUnit = String(columns[4])
        prometheusName =
            columns[3] != "~" ? String(columns[3]) : plain.hasSuffix(baseUnit) ? plain : "\(plain)_\(baseUnit)"
        let parts = columns[5].split(separator: "e", maxSplits: 1)
        factor = ExactDecimal(
            parts.first.flatMap { Int64($0) } ?? 1, exponent: parts.count < 2 ? 0 : Int(parts[1]) ?? 0)
    }

    /// Looks up the field of a measurement.
    public init(_ measurement: Measurement) {
        self.init(field: measurement.field, unit: measurement.unit)
    }

    /// Converts a value to the base unit: 50 % to 0.5.
    public func base(_ value: Double) -> Double {
        let number = Double(UInt64(truncatingIfNeeded: factor.magnitude))
        // Both operands are exact, so each step rounds once. 0.01 isn't exact.
        let power = ExactDecimal(1, exponent: abs(factor.exponent)).nearest
        return factor.exponent < 0 ? value * number / power : value * number * power
    }

    private static func line(field: String, unit: String) -> [Substring]? {
        for line in QuantityTable.text.split(separator: "\n") {
            let columns = line.split(separator: "|", omittingEmptySubsequences: false)
            guard columns.count == 6, columns[1] == unit, fits(columns[0], field) else { continue }
            return columns
        }
        return nil
    }

    /// Whether a field matches a pattern, where `*` at either end matches any text.
    static func fits(_ pattern: Substring, _ field: String) -> Bool {
        if pattern == "*" { return true }
        let begins = pattern.hasPrefix("*")
        let ends = pattern.hasSuffix("*")
        let word = pattern.dropFirst(begins ? 1 : 0).dropLast(ends ? 1 : 0)
        return switch (begins, ends) {
        case (false, false): field == pattern
        case (false, true): field.hasPrefix(word)
        case (true, false): field.hasSuffix(word)
        case (true, true): field.firstRange(of: word) != nil
        }
    }

    /// Returns a Prometheus name: letters, digits and `_`, and a `_` in front of a digit.
    private static func identifier(_ text: String) -> String {
        var name = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "a"..."z", "0"..."9", "_": name.unicodeScalars.append(scalar)
            case "A"..."Z": name += String(scalar).lowercased()
            case "²": name += "2"
            case "³": name += "3"
            case "µ": name += "u"
            case "/": name += "_per_"
            default: name += "_"
            }
        }
        return name.first.map { $0.isNumber } == true ? "_" + name : name
    }
}
