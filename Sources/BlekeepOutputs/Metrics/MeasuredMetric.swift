import BlekeepRecords

/// The Prometheus metric of a field, such as `blekeep_temperature_celsius`.
struct MeasuredMetric: Sendable {
    let name: String
    private let field: String
    private let unit: String?
    private let quantity: Quantity
    private let conversion: Conversion?

    /// - Parameter reserved: the names of metrics that aren't measured.
    init(_ measurement: Measurement, reserved: Set<String>) {
        field = measurement.field
        unit = measurement.unit
        conversion = measurement.unit.flatMap { Self.conversions[$0] }
        quantity = Quantity(field: measurement.field, unit: conversion?.unit ?? measurement.unit)
        let name = "blekeep_" + Self.conventional(quantity.prometheusName)
        self.name = reserved.contains(name) ? name + "_value" : name
    }

    /// Whether the metric's name still fits the field.
    func fits(_ measurement: Measurement) -> Bool { measurement.field == field && measurement.unit == unit }

    /// The value in the metric's base unit; `nil` when it isn't a number.
    func value(_ measurement: Measurement) -> Double? {
        switch measurement.value {
        case .integer(let integer): base(Double(integer))
        case .number(let number): number.isFinite ? base(number) : nil
        case .boolean(let flag): flag ? 1 : 0
        case .text, .list, nil: nil
        }
    }

    var help: String { quantity.baseUnit.isEmpty ? "The newest value." : "The newest value, in \(unitName)." }

    private var unitName: String {
        quantity.baseUnit == "ratio" ? "parts of 1" : quantity.baseUnit.split(separator: "_").joined(separator: " ")
    }

    private func base(_ value: Double) -> Double {
        quantity.base(conversion.map { (value + $0.offset) / $0.divisor } ?? value)
    }

    /// A conversion to a unit that `Quantity` knows.
    private struct Conversion {
        let unit: String
        let offset: Double
        let divisor: Double
    }

    /// Units that `Quantity` leaves as they are, but Prometheus's conventions don't.
    private static let conversions = [
        "°F": Conversion(unit: "°C", offset: -32, divisor: 1.8),
        "km/h": Conversion(unit: "m/s", offset: 0, divisor: 3.6),
        "lb": Conversion(unit: "kg", offset: 0, divisor: 1 / 0.45359237),
    ]

    /// Changes what Prometheus reserves: the names of its types, and the last words of counters and histograms.
    private static func conventional(_ name: String) -> String {
        var words = name.split(separator: "_", omittingEmptySubsequences: false).map(String.init)
        for index in words.indices where types.contains(words[index]) { words[index] += "s" }
        if let last = words.last, endings.contains(last) { words.append("value") }
        return words.joined(separator: "_")
    }

    private static let types: Set = ["counter", "gauge", "histogram", "summary", "untyped"]
    private static let endings: Set = ["total", "count", "sum", "bucket", "info"]
}
