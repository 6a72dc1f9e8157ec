/// The names that Home Assistant and Prometheus have for a field.
///
/// ```swift
/// let quantity = Quantity(field: "battery_level", unit: "%")
/// print(quantity.prometheusName, quantity.base(87))                  // battery_level_ratio 0.87
/// ```
///
/// What a field measures is the last word or words of its name, in front of a number: `probe_1_moisture` and `moisture_1` are
/// both moistures. The sources are Home Assistant's `SensorDeviceClass`, and Prometheus's "Metric and label naming".
public struct Quantity: Sendable, Hashable {
    /// Home Assistant's device class, such as `temperature`; `nil` when none accepts the name and the unit.
    public let deviceClass: String?
    /// Home Assistant's state class for that device class, such as `measurement`; `nil` without a device class.
    public let stateClass: String?
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
        let kind = Self.line(field: field, unit: unit).map { Self.classes[$0] }
        (deviceClass, stateClass) = (kind?.name, kind?.state)
        // BTHome's name for the same.
        let plain = Self.identifier(field == "battery" && unit == "%" ? "battery_level" : field)
        let known = Self.units[unit]
        // Of an unknown unit, the symbol becomes the name.
        let base = known?.base ?? Self.identifier(unit)
        baseUnit = base
        factor = known?.factor ?? ExactDecimal(1)
        prometheusName = base.isEmpty || plain.hasSuffix(base) && known != nil ? plain : "\(plain)_\(base)"
    }

    /// Returns the number of the table's line for a field; `nil` when none has it.
    static func line(field: String, unit: String) -> Int? {
        classes.firstIndex { $0.units.contains(unit) && FieldName.ends(field, with: $0.names) }
    }

    /// Looks up the field of a measurement.
    public init(_ measurement: Measurement) { self.init(field: measurement.field, unit: measurement.unit) }

    /// Converts a value to the base unit: 50 % to 0.5.
    public func base(_ value: Double) -> Double {
        let number = Double(UInt64(truncatingIfNeeded: factor.magnitude))
        // Both operands are exact, so each step rounds once. 0.01 isn't exact.
        let power = ExactDecimal(1, exponent: abs(factor.exponent)).nearest
        return factor.exponent < 0 ? value * number / power : value * number * power
    }

    /// Converts a number to another unit; `nil` if the units don't measure the same.
    ///
    /// - Parameter isDifference: whether it is a difference of two values, such as that of two temperatures.
    package static func convert(_ value: Double, from: String, to: String, isDifference: Bool) -> Double? {
        if from == to { return value }
        if let own = celsius(from), let other = celsius(to) {
            let degrees = (value - (isDifference ? 0 : own.zero)) * own.size
            return degrees / other.size + (isDifference ? 0 : other.zero)
        }
        guard let old = units[from], let new = units[to], old.base == new.base else { return nil }
        return value * old.factor.nearest / new.factor.nearest
    }

    /// The zero of degrees Celsius on a scale of temperatures, and how many of these a degree there is.
    private static func celsius(_ unit: String) -> (zero: Double, size: Double)? {
        switch unit {
        case "°C": (0, 1)
        case "K": (273.15, 1)
        case "°F": (32, 5.0 / 9)
        default: nil
        }
    }

    /// All units that can be converted, and those that fields have.
    package static var unitSymbols: [String] { units.keys.sorted() }

    struct Kind {
        /// The device class and the state class; `nil` for fields that have none.
        let name, state: String?
        let units: Set<String>
        let names: [Substring]

        init(_ line: Substring) {
            let columns = line.split(separator: "|", omittingEmptySubsequences: false)
            (name, state) = (
                columns[0].isEmpty ? nil : String(columns[0]), columns[3].isEmpty ? nil : String(columns[3])
            )
            units = Set(columns[1].split(separator: " ").map(String.init))
            names = columns[2].split(separator: " ")
        }
    }

    private struct Unit {
        let base: String
        let factor: ExactDecimal
    }

    static let classes = QuantityTable.classes.split(separator: "\n").map(Kind.init)

    private static let units: [String: Unit] = {
        let lines = QuantityTable.units.split(separator: "\n").map { $0.split(separator: "|") }
        return lines.reduce(into: [:]) { units, columns in
            let parts = columns[2].split(separator: "e")
            let factor = ExactDecimal(Int64(parts[0]) ?? 1, exponent: parts.count < 2 ? 0 : Int(parts[1]) ?? 0)
            units[String(columns[0])] = Unit(base: String(columns[1]), factor: factor)
        }
    }()

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

/// What the name of a field says about it.
package enum FieldName {
    /// Whether a field's name ends with the words of one of these names, also in front of numbers: `soil_moisture_2` ends
    /// with `moisture`. A name with `=` in front must be all of it, and `*` is any.
    package static func ends(_ field: String, with names: [Substring]) -> Bool {
        var rest = field[...]
        while true {
            if names.contains(where: { ends(rest, with: $0) }) { return true }
            guard let mark = rest.lastIndex(of: "_"), rest[mark...].dropFirst().allSatisfy(\.isNumber) else {
                return false
            }
            rest = rest[..<mark]
        }
    }

    private static func ends(_ field: Substring, with name: Substring) -> Bool {
        switch name.first {
        case "*": true
        case "=": field == name.dropFirst()
        default: field.hasSuffix(name) && (field.count == name.count || field.dropLast(name.count).last == "_")
        }
    }
}
