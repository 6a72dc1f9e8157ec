import Testing

@testable import BlekeepReadings

extension Readings {
    @Suite struct QuantityTests {
        @Test(arguments: [
            ("temperature", "°C", "temperature", "temperature_celsius", 21.5, 21.5),
            ("temperature_2", "°C", "temperature", "temperature_2_celsius", -1, -1),
            ("battery_level", "%", "battery", "battery_level_ratio", 97, 0.97),
            ("humidity", "%", "humidity", "humidity_ratio", 50.55, 0.5055),
            ("pressure", "Pa", "atmospheric_pressure", "pressure_pascals", 100_883, 100_883),
            ("pressure", "hPa", "atmospheric_pressure", "pressure_pascals", 1008.83, 100_883),
            ("co2", "ppm", "carbon_dioxide", "co2_ratio", 415, 0.000415),
            ("energy", "kWh", "energy", "energy_joules", 1.5, 5_400_000),
            ("true_wind_speed", "m/s", "wind_speed", "true_wind_speed_meters_per_second", 3, 3),
            ("rain", "mm", "distance", "rain_meters", 2, 0.002),
        ])
        func speaksTheWordsOfOthers(
            field: String, unit: String, deviceClass: String, name: String, value: Double, base: Double
        ) {
            let quantity = Quantity(field: field, unit: unit)
            #expect(quantity.deviceClass == deviceClass)
            #expect(quantity.prometheusName == name)
            #expect(quantity.base(value) == base)
        }

        @Test func makesANameOfAnyUnit() {
            #expect(Quantity(field: "model_number", unit: nil).prometheusName == "model_number")
            #expect(Quantity(field: "weird", unit: "J/(kg·K)").prometheusName == "weird_j_per__kg_k_")
            #expect(Quantity(field: "1 x", unit: nil).prometheusName == "_1_x")
            #expect(Quantity(field: "heart_rate", unit: "bpm").deviceClass == nil)
        }

        @Test func everyLineCounts() {
            for line in QuantityTable.text.split(separator: "\n") {
                let columns = line.split(separator: "|", omittingEmptySubsequences: false)
                #expect(columns.count == 6, "\(line)")
                let field = columns[0].replacing("*", with: columns[0] == "*" ? "anything" : "")
                let quantity = Quantity(field: String(field), unit: String(columns[1]))
                #expect(quantity.deviceClass ?? "" == columns[2], "\(line)")
                #expect(quantity.baseUnit == columns[4], "\(line)")
                #expect(quantity.base(1) > 0, "\(line)")
            }
        }
    }
}
