import BlekeepReadings
import Testing

extension Readings {
    @Suite struct DisplayUnitTests {
        private func human(_ value: MeasuredValue?, _ unit: String? = nil, state: String? = nil) -> String {
            let shown = DisplayUnit.human(Measurement(field: "x", value: value, state: state, unit: unit))
            return shown.unit.isEmpty ? shown.value : "\(shown.value) \(shown.unit)"
        }

        @Test func showsUnitsThatPeopleUse() {
            #expect(human(.number(101_325), "Pa") == "1013.3 hPa")
            #expect(human(.integer(100_000), "Pa") == "1000.0 hPa")
            #expect(human(.number(12e-9), "kg/m³") == "12.0 µg/m³")
            #expect(human(.number(0.000_048_1), "T") == "48.1 µT")
            #expect(human(.number(3.5), "m/s") == "3.5 m/s")
        }

        @Test func showsDigitsThatCount() {
            #expect(human(.number(24.99), "°C") == "24.99 °C")
            #expect(human(.number(-0.01), "°C") == "-0.01 °C")
            #expect(human(.number(25), "°C") == "25 °C")
            #expect(human(.number(3.206_054_687_5), "s") == "3.206 s")
            #expect(human(.number(0.026_734_863), "s") == "0.02673 s")
            #expect(human(.number(52.516_274_8), "°") == "52.5162748 °")
            #expect(human(.number(0)) == "0")
            #expect(human(.number(1e300)) == "1e+300")
            #expect(human(.integer(.min)) == "-9223372036854775808")
        }

        @Test(arguments: [
            (45, 4, "45.000"), (45.1234, 4, "45.123"), (-1.5, 6, "-1.500"), (0.0025, 4, "0.0025"), (0.25, 2, "0.25"),
            (7, 0, "7"),
        ])
        func showsTheDecimalsOfTheLayout(number: Double, decimals: Int, text: String) {
            let measurement = Measurement(field: "x", value: .number(number), decimals: decimals)
            #expect(DisplayUnit.human(measurement).value == text)
        }

        @Test func showsTheRest() {
            #expect(human(nil, "Pa", state: "unknown") == "unknown")
            #expect(human(.text("abc")) == "abc")
            #expect(human(.boolean(true)) == "true")
            #expect(human(.list([.number(0.5), .integer(2)]), "s") == "0.5, 2 s")
        }
    }
}
