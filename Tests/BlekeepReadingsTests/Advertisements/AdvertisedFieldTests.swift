import Testing

@testable import BlekeepReadings

extension Readings {
    /// Which fields of a packet are stored, and what is computed from them.
    @Suite struct AdvertisedFieldTests {
        private static func climate(_ temperature: Double, _ humidity: Int64) -> [Measurement] {
            [
                Measurement(field: "temperature", value: .number(temperature), unit: "°C", decimals: 1),
                Measurement(field: "humidity", value: .integer(humidity), unit: "%"),
                Measurement(field: "battery", value: .integer(90), unit: "%"),
            ]
        }

        @Test func withoutAChoiceAllIsStored() {
            let all = Self.climate(21.5, 45)
            #expect(AdvertisedField.chosen([], derived: [], from: all) == all)
        }

        @Test func onlyListedFieldsAreStoredAndCorrected() throws {
            let offset = try #require(DecimalNumber("-0.3"))
            let fields = [
                AdvertisedField(name: "temperature", calibration: Calibration(offset: offset)),
                AdvertisedField(name: "humidity"),
            ]
            let stored = AdvertisedField.chosen(fields, derived: [], from: Self.climate(21.5, 45))
            #expect(stored.map(\.field) == ["temperature", "humidity"])
            #expect(stored.map(\.value) == [.number(21.2), .integer(45)])
        }

        @Test func aCorrectionOfOneFieldKeepsTheOthers() throws {
            let offset = try #require(DecimalNumber("-0.3"))
            let calibration = [AdvertisedField(name: "temperature", calibration: Calibration(offset: offset))]
            let all = Self.climate(21.5, 45)
            let stored = AdvertisedField.chosen([], calibration: calibration, derived: [], from: all)
            #expect(stored.map(\.value) == [.number(21.2), .integer(45), .integer(90)])
            let chosen = [AdvertisedField(name: "temperature")]
            let few = AdvertisedField.chosen(chosen, calibration: calibration, derived: [], from: all)
            #expect(few.map(\.value) == [.number(21.2)])
            #expect(AdvertisedField.corrected(all, by: calibration).map(\.value) == stored.map(\.value))
        }

        /// Values of the WMO's formula, computed with Python's math module.
        @Test(arguments: [
            (25.0, 50 as Int64, 13.9, 11.5, 1580.0), (0.0, 100, 0.0, 4.8, 0.0), (-10.0, 80, -12.8, 1.9, 57.0),
            (40.0, 20, 12.8, 10.2, 5894.0), (21.5, 45, 9.1, 8.5, 1407.0),
        ])
        func derivedValuesFollowTheFormula(
            temperature: Double, humidity: Int64, dewPoint: Double, absolute: Double, deficit: Double
        ) {
            let values = AdvertisedField.chosen(
                [], derived: Set(DerivedValue.allCases), from: Self.climate(temperature, humidity))
            let found = values.suffix(3).map { value -> Double in
                switch value.value {
                case .integer(let number)?: Double(number)
                case .number(let number)?: number
                default: .nan
                }
            }
            #expect(values.suffix(3).map(\.field) == ["dew_point", "absolute_humidity", "vapor_pressure_deficit"])
            #expect(found == [dewPoint, absolute, deficit])
        }

        /// The correction comes first, and the temperature need not be stored itself.
        @Test func derivedValuesUseCorrectedNumbers() throws {
            let offset = try #require(DecimalNumber("3.5"))
            let fields = [
                AdvertisedField(name: "temperature", calibration: Calibration(offset: offset))
            ]
            let stored = AdvertisedField.chosen(fields, derived: [.dewPoint], from: Self.climate(21.5, 50))
            #expect(stored.map(\.field) == ["temperature", "dew_point"])
            #expect(stored.last?.value == .number(13.9))
            let other = AdvertisedField.chosen(
                [AdvertisedField(name: "battery")], derived: [.dewPoint], from: Self.climate(25, 50))
            #expect(other.map(\.field) == ["battery", "dew_point"])
        }

        @Test(arguments: [(-46.0, 50 as Int64), (61, 50), (20, 0), (20, 101), (.infinity, 50)])
        func nothingIsDerivedBeyondTheFormula(temperature: Double, humidity: Int64) {
            for derived in DerivedValue.allCases {
                #expect(derived.value(of: Self.climate(temperature, humidity)) == nil)
            }
            #expect(
                DerivedValue.dewPoint.value(of: [Measurement(field: "temperature", value: .integer(20), unit: "°C")])
                    == nil)
        }
    }
}
