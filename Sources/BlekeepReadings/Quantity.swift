/// What a field measures, for those outside who have words of their own for that.
public struct Quantity: Sendable, Hashable {
    /// Home Assistant's, such as `temperature`; `nil` where it has none.
    public let deviceClass: String?
    /// Without a prefix, such as `temperature_celsius`.
    public let prometheusName: String
    /// Prometheus's word for the unit after `base`, such as `celsius` or `ratio`; empty for a plain number.
    public let baseUnit: String

    private let factor: ExactDecimal

    /// - Parameters:
    ///   - field: the field's name, such as `battery_level`.
    ///   - unit: its symbol, such as `%`.
    public init(field: String, unit: String?) {
        let unit = unit ?? ""
        let columns = Self.line(field: field, unit: unit)
        deviceClass = columns.flatMap { $0[2].isEmpty ? nil : String($0[2]) }
        let plain = Self.identifier(field)
        guard let columns else {
            // A unit that has no line is told by its letters.
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

    public init(_ measurement: Measurement) {
        self.init(field: measurement.field, unit: measurement.unit)
    }

    /// The value in the base unit: 50 % are 0.5.
    public func base(_ value: Double) -> Double {
        let number = Double(UInt64(truncatingIfNeeded: factor.magnitude))
        // Two exact operands, and one rounding each: 0.01 would not be exact.
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

    /// Whether a field is of a pattern, in which `*` at either end is anything.
    private static func fits(_ pattern: Substring, _ field: String) -> Bool {
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

    /// Letters, digits and `_`, as Prometheus wants names; what begins with a digit gets a `_` before it.
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
