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
            ("rain", "mm", "precipitation", "rain_meters", 2, 0.002),
            ("battery", "%", "battery", "battery_level_ratio", 97, 0.97),
            ("cell_3", "mV", "voltage", "cell_3_volts", 3412, 3.412),
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

        /// The quantity is the end of the name, in front of numbers.
        @Test(arguments: [
            ("moisture_1", "%", "moisture"), ("soil_moisture", "%", "moisture"), ("probe_1_moisture", "%", "moisture"),
            ("probe_12_battery_level", "%", "battery"), ("battery_level_1", "%", "battery"),
            ("humidity_2_1", "%", "humidity"), ("humidity_remote", "%", "humidity"), ("battery_remote", "%", "battery"),
            ("humidity_probe_1", "%", "humidity"), ("probe_1_temperature", "°C", "temperature"),
            ("outdoor_pm2_5", "µg/m³", "pm25"), ("pm2_5_2", "µg/m³", "pm25"), ("x", "mV", "voltage"),
            ("x", "µV", "voltage"), ("x", "kV", "voltage"), ("x", "MV", "voltage"),
            ("air_pressure_1", "hPa", "atmospheric_pressure"), ("pressure_2", "hPa", "atmospheric_pressure"),
            ("tire_pressure", "hPa", "pressure"), ("rain", "m", nil), ("timestamp", "s", nil),
            ("moisture_of_soil", "%", nil), ("soilmoisture", "%", nil), ("moisture", nil, nil),
            ("moisture", "mV", "voltage"),
            ("battery_health_summary", "%", nil), ("%", "%", nil), ("_", "%", nil), ("", "%", nil),
        ])
        func theEndOfANameHasTheClass(field: String, unit: String?, deviceClass: String?) {
            #expect(Quantity(field: field, unit: unit).deviceClass == deviceClass)
        }

        @Test func everyLineCounts() {
            for line in QuantityTable.units.split(separator: "\n") {
                let columns = line.split(separator: "|")
                #expect(columns.count == 3, "\(line)")
                let quantity = Quantity(field: "anything", unit: String(columns[0]))
                #expect(quantity.baseUnit == columns[1] && quantity.base(1) > 0, "\(line)")
            }
            for line in QuantityTable.classes.split(separator: "\n") {
                let columns = line.split(separator: "|", omittingEmptySubsequences: false)
                #expect(columns.count == 4 && columns[0].isEmpty == columns[3].isEmpty, "\(line)")
                for unit in columns[1].split(separator: " ") {
                    for name in columns[2].split(separator: " ") {
                        let field = name == "*" ? "anything" : name.drop { $0 == "=" }
                        let quantity = Quantity(field: String(field), unit: String(unit))
                        #expect(quantity.deviceClass ?? "" == columns[0], "\(line)")
                        #expect(quantity.stateClass ?? "" == columns[3], "\(line)")
                    }
                }
            }
        }
    }
}
