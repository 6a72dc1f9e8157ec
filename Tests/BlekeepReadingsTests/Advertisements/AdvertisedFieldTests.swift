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
            #expect(FieldCalibration.chosen([], derived: [], from: all) == all)
        }

        @Test func onlyListedFieldsAreStoredAndCorrected() throws {
            let offset = try #require(DecimalNumber("-0.3"))
            let calibration = [FieldCalibration(name: "temperature", calibration: Calibration(offset: offset))]
            let stored = FieldCalibration.chosen(
                ["temperature", "humidity"], calibration: calibration, derived: [], from: Self.climate(21.5, 45))
            #expect(stored.map(\.field) == ["temperature", "humidity"])
            #expect(stored.map(\.value) == [.number(21.2), .integer(45)])
        }

        @Test func aCorrectionOfOneFieldKeepsTheOthers() throws {
            let offset = try #require(DecimalNumber("-0.3"))
            let calibration = [FieldCalibration(name: "temperature", calibration: Calibration(offset: offset))]
            let all = Self.climate(21.5, 45)
            let stored = FieldCalibration.chosen([], calibration: calibration, derived: [], from: all)
            #expect(stored.map(\.value) == [.number(21.2), .integer(45), .integer(90)])
            let chosen = ["temperature"]
            let few = FieldCalibration.chosen(chosen, calibration: calibration, derived: [], from: all)
            #expect(few.map(\.value) == [.number(21.2)])
            #expect(FieldCalibration.corrected(all, by: calibration).map(\.value) == stored.map(\.value))
        }

        /// Values of the WMO's formula, computed with Python's math module.
        @Test(arguments: [
            (25.0, 50 as Int64, 13.9, 11.5, 1580.0), (0.0, 100, 0.0, 4.8, 0.0), (-10.0, 80, -12.8, 1.9, 57.0),
            (40.0, 20, 12.8, 10.2, 5894.0), (21.5, 45, 9.1, 8.5, 1407.0),
        ])
        func derivedValuesFollowTheFormula(
            temperature: Double, humidity: Int64, dewPoint: Double, absolute: Double, deficit: Double
        ) {
            let values = FieldCalibration.chosen(
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
            let calibration = [FieldCalibration(name: "temperature", calibration: Calibration(offset: offset))]
            let stored = FieldCalibration.chosen(
                ["temperature"], calibration: calibration, derived: [.dewPoint], from: Self.climate(21.5, 50))
            #expect(stored.map(\.field) == ["temperature", "dew_point"])
            #expect(stored.last?.value == .number(13.9))
            let other = FieldCalibration.chosen(
                ["battery"], derived: [.dewPoint], from: Self.climate(25, 50))
            #expect(other.map(\.field) == ["battery", "dew_point"])
        }

        // MARK: Fields that aren't there

        private func messages(
            _ fields: [String], derived: Set<DerivedValue> = [], in formats: Set<BroadcastFormat> = [],
            model: SwitchBotModel? = nil
        ) -> [String] {
            FieldMisfit.all(fields, derived: derived, in: formats, model: model).map {
                $0.message(of: formats.isEmpty ? nil : formats.map(\.name).sorted().joined(separator: " and "))
            }
        }

        @Test func aFieldThatNoFormatHasIsNamed() {
            #expect(messages(["temperature", "temperature_probe_3", "temperature_2", "pm2_5"]) == [])
            #expect(
                messages(["temprature", "xyzzy", "temperature_probe_x"]) == [
                    "no advertising format has a field `temprature`; did you mean `temperature`?",
                    "no advertising format has a field `xyzzy`",
                    "no advertising format has a field `temperature_probe_x`; did you mean `temperature_probe_1`?",
                ])
        }

        @Test func aFieldOfOtherFormatsIsNamed() {
            #expect(messages(["temperature", "movement_counter"], derived: [.dewPoint], in: [.ruuvi]) == [])
            #expect(messages(["moisture"], in: [.ruuvi]) == ["Ruuvi has no field `moisture`"])
            #expect(messages(["moisture", "pressure"], in: [.ruuvi, .bparasite]) == [])
            #expect(messages(["illuminance", "moisture_2", "dimmer_2_steps", "pm2_5_2"], in: [.bthome]) == [])
            #expect(
                messages([], derived: [.dewPoint], in: [.mopeka])
                    == ["`derive` needs a temperature and a humidity; Mopeka has no humidity"])
            #expect(
                messages([], derived: [.dewPoint], in: [.tpms, .polar])
                    == ["`derive` needs a temperature and a humidity; Polar and TPMS has no humidity"])
            #expect(
                messages([], derived: [.absoluteHumidity], in: [.skale])
                    == ["`derive` needs a temperature and a humidity; Skale has no temperature and no humidity"])
        }

        @Test func aSwitchBotsFieldsAreThoseOfItsModel() {
            #expect(messages(["position", "humidity", "firmware_version"], in: [.switchbot]) == [])
            #expect(messages(["position", "battery", "calibrated"], in: [.switchbot], model: .curtain) == [])
            #expect(messages(["humidity"], in: [.switchbot], model: .curtain) == ["SwitchBot has no field `humidity`"])
        }

        @Test func eachFormatNamesFields() {
            for format in BroadcastFormat.allCases {
                let names = AdvertisedFieldNames.of(format).names
                #expect(!names.isEmpty, "\(format)")
                let isGood = names.allSatisfy { name in
                    !name.isEmpty
                        && name.utf8.allSatisfy {
                            (97...122).contains($0) || (48...57).contains($0) || $0 == 95 || $0 == 35
                        }
                }
                #expect(isGood || format == .mibeacon, "\(format): \(names.sorted())")
            }
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
