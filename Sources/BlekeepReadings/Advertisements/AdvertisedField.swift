/// A field that a user names: to store it of a device that only advertises, or to correct its numbers.
package struct AdvertisedField: Sendable, Hashable {
    /// The field's name, such as `temperature`.
    package var name: String
    /// The correction of its numbers; `nil` for none.
    package var calibration: Calibration?

    package init(name: String, calibration: Calibration? = nil) {
        self.name = name
        self.calibration = calibration
    }

    /// Returns all measurements, those of the named fields corrected.
    package static func corrected(_ measurements: [Measurement], by fields: [AdvertisedField]) -> [Measurement] {
        guard fields.contains(where: { $0.calibration != nil }) else { return measurements }
        return measurements.map { measurement in
            let field = fields.first { $0.name == measurement.field && $0.calibration != nil }
            return field?.calibration?.corrected([measurement]).first ?? measurement
        }
    }

    /// Returns what is stored of a packet: the fields that are listed, corrected, or all if none is; and the derived values.
    ///
    /// - Parameter calibration: further corrections, which choose nothing.
    package static func chosen(
        _ fields: [AdvertisedField], calibration: [AdvertisedField] = [], derived: Set<DerivedValue>,
        from measurements: [Measurement]
    ) -> [Measurement] {
        let corrected = corrected(measurements, by: fields + calibration)
        let kept = fields.isEmpty ? corrected : corrected.filter { value in fields.contains { $0.name == value.field } }
        return kept + DerivedValue.allCases.filter(derived.contains).compactMap { $0.value(of: corrected) }
    }
}

/// A value that follows from a temperature and a humidity. The raw value is the field's name.
///
/// The sources are the WMO's Guide to Instruments and Methods of Observation (WMO-No. 8, 2018, annex 4.B) for the pressure of
/// saturated vapor over water, 6.112 hPa · exp(17.62 t / (243.12 °C + t)), and the gas constant of vapor, 461.5 J/(kg K).
package enum DerivedValue: String, Sendable, CaseIterable {
    case dewPoint = "dew_point"
    case absoluteHumidity = "absolute_humidity"
    case vaporPressureDeficit = "vapor_pressure_deficit"

    /// Computes the value; `nil` without a temperature between -45 and 60 °C, where the formula holds, and a humidity.
    package func value(of measurements: [Measurement]) -> Measurement? {
        func number(_ field: String, _ unit: String) -> Double? {
            switch measurements.first(where: { $0.field == field && $0.unit == unit })?.value {
            case .integer(let number)?: Double(number)
            case .number(let number)?: number
            default: nil
            }
        }
        guard let temperature = number("temperature", "°C"), let humidity = number("humidity", "%"),
            (-45...60).contains(temperature), humidity > 0, humidity <= 100
        else { return nil }
        let exponent = 17.62 * temperature / (243.12 + temperature)
        let saturated = 611.2 * exponential(exponent)
        let share = humidity / 100
        return switch self {
        case .dewPoint:
            SensorFields.rounded(
                rawValue, number: Self.temperature(exponent + Self.logarithm(share)), unit: "°C", decimals: 1)
        case .absoluteHumidity:
            SensorFields.rounded(
                rawValue, number: share * saturated / (461.5 * (temperature + 273.15)) * 1000, unit: "g/m³", decimals: 1
            )
        case .vaporPressureDeficit:
            SensorFields.rounded(rawValue, number: saturated * (1 - share), unit: "Pa", decimals: 0)
        }
    }

    private static func temperature(_ exponent: Double) -> Double { 243.12 * exponent / (17.62 - exponent) }

    /// Returns the natural logarithm of a number from 0 to 1, by Halley's method. log() would link libm.
    private static func logarithm(_ number: Double) -> Double {
        (0..<20).reduce(number - 1) { guess, _ in
            let power = exponential(guess)
            return guess + 2 * (number - power) / (number + power)
        }
    }
}
