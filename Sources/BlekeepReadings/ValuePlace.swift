/// The place of a value among those of its device, in the order of all lists and pages: first what the device measures, then
/// the charge of its battery, then what else is about the device itself.
package struct ValuePlace: Sendable, Hashable, Comparable {
    package enum Group: Int, Sendable {
        case main, charge
        /// About the device itself.
        case diagnostic
    }

    package let group: Group
    package let field: String
    /// Whether the unit says what it is: a temperature in °C needs no name.
    package let isClear: Bool
    /// The line of the table; those without one come last.
    private let line: Int
    /// Whether the field's name is that of the quantity, and nothing else.
    private let isPlain: Bool
    /// Tells apart values of one name.
    private let source: String

    /// - Parameters:
    ///   - format: that of an advertisement, or a recipe; `nil` for a characteristic, whose fields may have any names.
    ///   - source: tells apart values of one name.
    package init(field: String, unit: String?, format: String?, source: String = "") {
        let line = Quantity.line(field: field, unit: unit ?? "")
        let kind = line.map { Quantity.classes[$0] }
        let first = unit.flatMap { unit in Quantity.classes.firstIndex { $0.units.contains(unit) } }
        let isOfClass = kind?.name.map(QuantityTable.diagnosticClasses.contains) ?? false
        let isNamed = format.map { format in
            FieldName.ends(field, with: QuantityTable.diagnosticNames)
                && !(field == "battery_voltage" && QuantityTable.batteryMonitors.contains(format))
        }
        group =
            kind?.name == "battery" && ["battery_level", "battery"].contains(field)
            ? .charge : isOfClass || isNamed == true ? .diagnostic : .main
        isClear = line != nil && line == first
        self.line = line ?? Quantity.classes.count + (unit == nil ? 1 : 0)
        isPlain = kind?.names.contains(field[...]) ?? false
        (self.field, self.source) = (field, source)
    }

    /// The place of a value of a device, by what it is read of. Of a single value, the characteristic's name says more than
    /// the field's.
    package init(_ key: SeriesKey, name: String) {
        let source = key.source
        self.init(
            field: key.field == "value" ? name.lowercased().replacing(" ", with: "_") : key.field ?? "", unit: key.unit,
            format: source.characteristic == nil ? source.recipe ?? name : nil,
            source: "\(source.instance &+ 1_000_000) \(source.service?.description ?? "") "
                + (source.characteristic?.description ?? name))
    }

    package var isMain: Bool { group == .main }

    package static func < (left: ValuePlace, right: ValuePlace) -> Bool {
        if left.group != right.group { return left.group.rawValue < right.group.rawValue }
        if left.line != right.line { return left.line < right.line }
        if left.isPlain != right.isPlain { return left.isPlain }
        if left.field != right.field { return NaturalOrder.precedes(left.field, right.field) }
        return left.source < right.source
    }
}
