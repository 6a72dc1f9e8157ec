import Testing

@testable import BlekeepReadings

extension Readings {
    /// Numbers that can't be.
    @Suite struct LimitTests {
        private static let address = BluetoothAddress(bits: 0xA4C1_3812_3456)

        /// What a field says: its number, or its state.
        private func decode(
            _ hex: String, company: UInt16? = nil, service: UInt16? = nil, name: String? = nil, services: [UInt16] = [],
            key: String? = nil, from address: String? = nil
        ) throws -> [String: String] {
            let bytes = try #require([UInt8](hex: hex))
            var data = AdvertisedData(address: address.flatMap { BluetoothAddress($0) } ?? Self.address, name: name)
            data.services = services.map { BluetoothUUID($0) }
            if let company { data.manufacturerData[company] = bytes }
            if let service { data.serviceData[BluetoothUUID(service)] = bytes }
            var decoder = BroadcastDecoder(key: key.flatMap { AdvertisementKey(hex: $0) })
            let broadcast = try decoder.decode(data).first?.result?.get()
            let pairs = try #require(broadcast).measurements.map { ($0.field, $0.state ?? Self.text($0.value)) }
            return Dictionary(uniqueKeysWithValues: pairs)
        }

        private static func text(_ value: MeasuredValue?) -> String {
            switch value {
            case .integer(let integer): "\(integer)"
            case .number(let number): "\(number)"
            case .boolean(let flag): "\(flag)"
            case .text(let text): text
            case .list, nil: "?"
            }
        }

        @Test func everyLineOfTheTableIsARange() {
            #expect(LimitTable.rows.count == LimitTable.lines.count)
            // A document stands above each range.
            #expect(LimitTable.text.hasPrefix("#"))
        }

        /// Each row that a format reaches lets its bounds pass, and nothing beyond.
        @Test(arguments: BroadcastFormat.allCases) func boundsAreNumbersAndWhatLiesBeyondIsNot(format: BroadcastFormat)
        {
            for row in LimitTable.rows where row.format == nil || row.format == format {
                let field = row.field.split(separator: "*", omittingEmptySubsequences: false).joined(separator: "x")
                func state(_ number: Double) -> String? {
                    Measurement(field: field, .number(number), unit: row.unit.isEmpty ? nil : String(row.unit))
                        .limited(in: format).state
                }
                // An earlier row for the format may rule the field.
                let ruling = LimitTable.rows.first {
                    $0.unit == row.unit && ($0.format ?? format) == format && LimitTable.fits($0.field, field: field)
                }
                guard ruling?.field == row.field, ruling?.format == row.format else { continue }
                let lowest = row.cropped?.lowerBound ?? row.lowest
                let highest = row.cropped?.upperBound ?? row.highest
                if lowest.isFinite { #expect(state(lowest) == nil && state(lowest.nextDown) == row.state, "\(row)") }
                if highest.isFinite { #expect(state(highest) == nil && state(highest.nextUp) == row.state, "\(row)") }
            }
        }

        /// A charge above 100 %, in every format that has a charge in a byte.
        @Test(
            arguments: [
                ("080caffd50342d5801040d019e020201aa", nil, UInt16(0xFDCD), nil, []),
                ("563412 38c1a4 ca09 1310 b80b aa 01 00", nil, 0x181A, nil, []),
                ("40 01 aa", nil, 0xFCD2, nil, []),
                ("50205b0501 56341238c1a4 0a1001aa", nil, 0xFE95, nil, []),
                ("00 e609 bc12 aa 02", UInt16(0xEC88), nil, "Govee_H5074_3456", []),
                ("54 00 6a 05 99 32", nil, 0xFD3D, nil, []),
            ] as [(String, UInt16?, UInt16?, String?, [UInt16])])
        func aChargeAbove100PercentIsNone(
            hex: String, company: UInt16?, service: UInt16?, name: String?, services: [UInt16]
        ) throws {
            let hex = hex.filter { $0 != " " }
            #expect(
                try decode(hex, company: company, service: service, name: name, services: services)["battery"]
                    == "prohibited")
        }

        @Test func aRuuvisHundredthsAreBelow100() throws {
            #expect(try decode("03291a63ce1efc18f94202ca0b53", company: 0x0499)["temperature"] == "26.99")
            let wrong = try decode("03291a64ce1efc18f94202ca0b53", company: 0x0499)
            #expect(wrong["temperature"] == "prohibited" && wrong["humidity"] == "20.5")
        }

        @Test func aFormatsOwnVectorsRule() throws {
            #expect(try decode("03ff7f63ffff7fff7fff7fffffff", company: 0x0499)["humidity"] == "127.5")
            #expect(try decode("400370d7", service: 0xFCD2)["humidity"] == "551.52")
        }

        /// BTHome's CO₂ has all that 16 bits hold. In a saturated room, the noise of a sensor leads beyond 100 %: pvvx's firmware,
        /// an SHT4x of Sensirion in its highest and lowest number, and a KKM.
        @Test(
            arguments: [
                ("4012b8a8", nil, 0xFCD2, "co2", "43192"),
                ("56341238c1a4ca091127b80b6401 00", nil, 0x181A, "humidity", "100.0"),
                ("0006aabb0000ffff", 0x06D5, nil, "humidity", "100.0"),
                ("0006aabb00000000", 0x06D5, nil, "humidity", "0.0"),
                ("210107 0bb8 1900 6403", nil, 0xFEAA, "humidity", "100.0"),
                ("56341238c1a4ca09ffffb80b640100", nil, 0x181A, "humidity", "prohibited"),
            ] as [(String, UInt16?, UInt16?, String, String)])
        func aSaturatedRoomIsAt100Percent(
            hex: String, company: UInt16?, service: UInt16?, field: String, value: String
        ) throws {
            let found = try decode(hex.filter { $0 != " " }, company: company, service: service)
            #expect(found[field] == value)
        }

        /// Colder than absolute zero, and 0x7FFF, which stands for a fault.
        @Test func temperaturesThatCannotBe() throws {
            #expect(try decode("40020080", service: 0xFCD2)["temperature"] == "prohibited")
            #expect(try decode("7f2c0000", company: 0xFFC2, name: "TP357 (3456)")["temperature"] == "prohibited")
            #expect(
                try decode("080756341238c1a40104ff7fe803", service: 0xFDCD)
                    == ["temperature": "prohibited", "humidity": "100.0"])
        }

        /// Nothing is measured yet.
        @Test func aPacketOfZerosSaysNothing() throws {
            #expect(
                try decode("540000000000", service: 0xFD3D)
                    == ["battery": "unknown", "temperature": "unknown", "humidity": "unknown"])
            #expect(
                try decode("640000000000000000", service: 0xFD3D).values.allSatisfy { $0 == "unknown" })
            #expect(try decode("54000005990a", service: 0xFD3D)["battery"] == "0")
        }

        /// Real thermometers: the tests of ble_monitor and theengs.
        @Test(arguments: [
            ("00001893d7353559d200f6fff6fff6fff6fff6ff", ["21.0"] + Array(repeating: "unknown", count: 5)),
            ("0000aabbccddeefff6ff4402", ["unknown", "58.0"]),
            ("0000aabbccddeeffd200c800f6ffd200f6fff6ff", ["21.0", "20.0", "unknown", "21.0", "unknown", "unknown"]),
            ("0000aabbccddeeffffff4402", ["unknown", "58.0"]),
        ])
        func aMissingProbeHasNoTemperature(hex: String, probes: [String]) throws {
            let found = try decode(hex, company: 0, name: "iBBQ")
            #expect((1...probes.count).map { found["temperature_probe_\($0)"] ?? "" } == probes)
        }

        /// The tests of xiaomi-ble.
        @Test(arguments: [
            ("5859756302bc9a785634123e2fa5ff02000062d939cb", ["bottom_submersion": "true"]),
            ("5859756301bc9a78563412718a5187010000c63e1514", ["bottom_submersion": "true"]),
            ("5859756303bc9a785634127bd9ed380300007d2c7f22", ["top_splash": "true"]),
        ])
        func theLeakSensorWithTwoContactsNamesThem(hex: String, fields: [String: String]) throws {
            let found = try decode(
                hex, service: 0xFE95, key: "00112233445566778899aabbccddeeff", from: "12:34:56:78:9A:BC")
            #expect(found == fields)
        }

        /// The tests of mopeka-iot-ble, with the medium air.
        @Test(arguments: [("0a73404e4d6a75107f80", "588"), ("0a71407dd06a75108020", "729")])
        func aTankSensorAtTheTopLooksThroughAir(hex: String, level: String) throws {
            #expect(try decode(hex, company: 0x0059, services: [0xFEE5])["tank_level"] == level)
        }

        /// Values of mopeka-iot-ble with each medium.
        @Test(arguments: [(TankMedium.propane, "1262"), (.air, "588"), (.water, "2535")])
        func theUserChoosesTheMedium(medium: TankMedium, level: String) throws {
            var data = AdvertisedData(address: Self.address)
            data.manufacturerData[0x0059] = [UInt8](hex: "0a73404e4d6a75107f80")
            data.services = [BluetoothUUID(0xFEE5)]
            var decoder = BroadcastDecoder(medium: medium)
            let values = try #require(decoder.decode(data).first?.broadcast).measurements
            #expect(values.first { $0.field == "tank_level" }.map { Self.text($0.value) } == level)
        }

        @Test func anIBeaconMayHaveBytesBehindIt() throws {
            let beacon = "0215e2c56db5dffb48d2b060d0f5a71096e000010002c5"
            let found = try decode(beacon, company: 0x004C)
            #expect(found.count == 4)
            #expect(try decode(beacon + "00ff", company: 0x004C) == found)
        }
    }
}
