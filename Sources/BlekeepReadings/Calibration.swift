/// The user's correction of a characteristic's numbers: value × factor + offset.
package struct Calibration: Sendable, Hashable {
    package var factor: DecimalNumber
    package var offset: DecimalNumber

    package init(factor: DecimalNumber = .one, offset: DecimalNumber = .zero) {
        self.factor = factor
        self.offset = offset
    }

    /// Returns the fields of a value with corrected numbers: those that have a unit, or the only one.
    func corrected(_ measurements: [Measurement]) -> [Measurement] {
        measurements.map { measurement in
            measurement.unit != nil || measurements.count == 1 ? corrected(measurement) : measurement
        }
    }

    private func corrected(_ measurement: Measurement) -> Measurement {
        guard let value = measurement.value, let isWhole = Self.isWhole(value) else { return measurement }
        let source = isWhole ? 0 : measurement.decimals
        let decimals = source.map { shown(after: $0) }
        var result = measurement
        result.value = corrected(value, decimals: decimals)
        if source != nil { result.decimals = decimals == 0 ? nil : decimals }
        return result
    }

    /// The number of decimals that show each step of the corrected value, with one more if the factor has more.
    private func shown(after source: Int) -> Int {
        let exact = source + factor.decimals
        let steps = source + 1 - Int(Self.magnitude(factor.nearest))
        return min(9, max(min(exact, max(0, steps)), offset.decimals))
    }

    /// - Parameter decimals: the number of decimals to round to; `nil` to keep 12 significant digits.
    private func corrected(_ value: MeasuredValue, decimals: Int?) -> MeasuredValue {
        switch value {
        case .integer(let integer): corrected(Double(integer), decimals: decimals)
        case .number(let number): corrected(number, decimals: decimals)
        case .list(let values): .list(values.map { corrected($0, decimals: decimals) })
        case .text, .boolean: value
        }
    }

    private func corrected(_ number: Double, decimals: Int?) -> MeasuredValue {
        let exact = number * factor.nearest + offset.nearest
        guard exact.isFinite else { return .number(number) }
        let places = decimals ?? 11 - Int(Self.magnitude(exact))
        guard 0...22 ~= places else { return .number(exact) }
        // One division of two exact operands prints as short as it can.
        let power = ExactDecimal(1, exponent: places).nearest
        let rounded = (exact * power).rounded() / power
        guard rounded.isFinite else { return .number(exact) }
        return decimals == 0 ? Int64(exactly: rounded).map { .integer($0) } ?? .number(rounded) : .number(rounded)
    }

    /// Returns the power of ten of a number's first digit; 0 for 0.
    private static func magnitude(_ number: Double) -> Double {
        guard number != 0, number.isFinite else { return 0 }
        var (power, rest) = (0.0, number.magnitude)
        while rest >= 10 { (power, rest) = (power + 1, rest / 10) }
        while rest < 1 { (power, rest) = (power - 1, rest * 10) }
        return power
    }

    /// Whether all numbers of a value are whole; `nil` for a value without numbers.
    private static func isWhole(_ value: MeasuredValue) -> Bool? {
        switch value {
        case .integer: true
        case .number: false
        case .list(let values): values.isEmpty ? nil : values.allSatisfy { isWhole($0) == true }
        case .text, .boolean: nil
        }
    }
}
