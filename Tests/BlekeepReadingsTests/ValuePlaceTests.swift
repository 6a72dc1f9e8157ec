import Testing

@testable import BlekeepReadings

extension Readings {
    @Suite struct ValuePlaceTests {
        /// The values of a device as a packet has them, and in the order of all lists; `|` ends those that are main.
        @Test(arguments: [
            (
                "Ruuvi",
                """
                acceleration_x gₙ, battery_voltage V, humidity %, mac, measurement_sequence, movement_counter, pressure Pa, \
                temperature °C, tx_power dBm
                """,
                """
                temperature, humidity, pressure | battery_voltage, tx_power, acceleration_x, mac, measurement_sequence, \
                movement_counter
                """
            ),
            (
                "Blue Maestro", "dew_point °C, battery %, temperature °C, humidity %",
                "temperature, humidity, dew_point | battery"
            ),
            (
                "HHCC", "battery %, conductivity µS/cm, illuminance lx, moisture %, temperature °C",
                "temperature, moisture, illuminance, conductivity | battery"
            ),
            (
                "Aranet", "age s, battery %, co2 ppm, humidity %, interval s, level, pressure Pa, temperature °C",
                "temperature, humidity, pressure, co2, level | battery, age, interval"
            ),
            (
                "daly",
                "battery_level %, cell_10 V, cell_2 V, current A, cycles, temperature_2 °C, temperature_1 °C, voltage V",
                "temperature_1, temperature_2, voltage, current | battery_level, cell_2, cell_10, cycles"
            ),
            (
                "CombustionCQ60", "temperature_probe_1 °C, food_temperature °C, ambient_temperature °C",
                "ambient_temperature, food_temperature, temperature_probe_1 |"
            ),
            ("Victron", "battery_voltage V, current A, uptime s", "battery_voltage, current | uptime"),
            ("BTHome", "count, door, packet_size B", "packet_size, door | count"),
        ])
        func mainValuesComeFirst(format: String, packet: String, shown: String) {
            let places = packet.split(separator: ", ").map { text in
                let words = text.split(separator: " ")
                return ValuePlace(
                    field: String(words[0]), unit: words.dropFirst().first.map(String.init), format: format)
            }.sorted()
            let (main, others) = (places.filter(\.isMain), places.filter { !$0.isMain })
            let text = [main, others].map { $0.map(\.field).joined(separator: ", ") }
            #expect(places == main + others)
            #expect(shown == "\(text[0]) | \(text[1])".replacing(#/ $/#, with: ""))
        }

        /// A temperature in °C needs no name, and a dew point does.
        @Test(arguments: [
            ("temperature", "°C", true), ("dew_point", "°C", false), ("humidity", "%", true), ("moisture", "%", false),
            ("position", "%", false), ("pressure", "Pa", true), ("co2", "ppm", true), ("formaldehyde", "ppb", false),
            ("mass", "kg", true), ("heart_rate", "bpm", true), ("temperature_2", "°C", true),
            ("door", nil, false), ("charge", "Ah", false),
        ])
        func aUnitSaysWhatItUsuallyMeasures(field: String, unit: String?, isClear: Bool) {
            #expect(ValuePlace(field: field, unit: unit, format: "any").isClear == isClear)
        }

        @Test func aSingleValueIsWhatItsCharacteristicIsCalled() {
            let places = ["Probe temperature", "Dew point", "Lid"].map { name in
                ValuePlace(
                    SeriesKey(ReadingSource(characteristic: BluetoothUUID(0x2A6E)), field: "value", unit: "°C"),
                    name: name)
            }
            #expect(places.map(\.isClear) == [true, false, false])
        }

        /// What a user reads over a connection, or lays out, isn't about the device because of its name.
        @Test func onlyFormatsAndRecipesNameWhatIsDiagnostic() {
            #expect(ValuePlace(field: "counter", unit: nil, format: nil).group == .main)
            #expect(ValuePlace(field: "counter", unit: nil, format: "any").group == .diagnostic)
            #expect(ValuePlace(field: "tx_power_level", unit: "dBm", format: nil).group == .diagnostic)
            #expect(ValuePlace(field: "battery_level", unit: "%", format: nil).group == .charge)
            #expect(ValuePlace(field: "probe_battery_level", unit: "%", format: nil).group == .diagnostic)
            #expect(ValuePlace(field: "battery", unit: "V", format: nil).group == .main)
        }
    }
}
