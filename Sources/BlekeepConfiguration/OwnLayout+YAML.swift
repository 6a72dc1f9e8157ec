import BlekeepOutputs
import BlekeepRecords

/// Layouts as `LayoutParser` reads them.
extension OwnLayout {
    /// The lines of an item of `layouts`.
    package var yaml: [String] {
        var lines = ["- uuid: \(YAMLString.scalar(characteristic.description))"]
        if !name.isEmpty { lines.append("  name: \(YAMLString.scalar(name))") }
        if endian != .little { lines.append("  endian: \(endian.rawValue)") }
        return lines + ["  fields:"] + fields.map { "    - \($0.yaml)" }
    }
}

extension Field {
    fileprivate var yaml: String {
        let condition = conditions.map { SettingValue.mapping($0) }
        if name.isEmpty, case .hex(let bytes?) = type {
            return YAMLString.mapping([("skip", .number(bytes)), ("if", condition)])
        }
        let special = states.map { "\($0.raw): \(YAMLString.scalar($0.word))" }.joined(separator: ", ")
        return YAMLString.mapping([
            ("name", .text(name)), ("type", .text("\(type)\(repeats ? "[]" : "")")),
            ("scale", scale.yaml.map { .mapping($0) }), ("offset", scale.offsetYAML.map { .mapping($0) }),
            ("unit", unit.map { .text($0) }), ("special", special.isEmpty ? nil : .mapping("{\(special)}")),
            ("if", condition),
        ])
    }

    private var conditions: String? {
        guard case .ifFields(let conditions) = presence else { return nil }
        return "[\(conditions.map(\.yaml).joined(separator: ", "))]"
    }
}

extension Field.Condition {
    fileprivate var yaml: String {
        guard mask != .max else {
            return YAMLString.mapping([("field", .text(field)), ("is", .number(Int(Int64(bitPattern: value))))])
        }
        return YAMLString.mapping([
            ("field", .text(field)), ("bit", .number(mask.trailingZeroBitCount)), ("is", .number(value == 0 ? 0 : 1)),
        ])
    }
}

extension Scale {
    fileprivate var yaml: String? {
        multiplier == 1 && decimal == 0 ? nil : DecimalNumber(digits: multiplier, exponent: decimal).description
    }

    fileprivate var offsetYAML: String? {
        offset == 0 ? nil : DecimalNumber(digits: offset, exponent: decimal).description
    }
}
