import RunLoop
import Testing

@testable import BlekeepReadings

extension Readings {
    /// The formats of sensors. `Tests/Tools/Advertisements` made the vectors.
    @Suite struct SensorTests {
        private static let address = BluetoothAddress(bits: 0xA4C1_3812_3456)

        /// The measurements with a value, from all sources.
        private func values(
            of data: AdvertisedData, as format: BroadcastFormat? = nil, key: AdvertisementKey? = nil,
            medium: TankMedium? = nil
        ) -> [String: Measurement] {
            var decoder = BroadcastDecoder(format: format, key: key, medium: medium)
            let all = decoder.decode(data).flatMap { $0.broadcast?.measurements ?? [] }
            return Dictionary(all.filter { $0.state == nil }.map { ($0.field, $0) }) { first, _ in first }
        }

        @Test func answersEveryVector() throws {
            let vectors = try Vector.all("sensors")
            var counts: [String: Int] = [:]
            var wrong: [String] = []
            for vector in vectors {
                counts[vector.text("format"), default: 0] += 1
                var found = values(
                    of: try vector.advertisedData, key: AdvertisementKey(hex: vector.text("key")),
                    medium: TankMedium(rawValue: vector.text("medium")))
                let format = try #require(BroadcastFormat(rawValue: vector.text("format")))
                wrong += found.keys.filter { !format.hasField($0) }.map { "\(format) doesn't list \($0)" }
                // The parsers turn this time into `motion`.
                found["idle_time"] = nil
                let cells = vector.expected["fields"] ?? .null
                // Some parsers read fewer fields than blekeep.
                if vector.line["partial"] != nil { found = found.filter { cells.keys.contains($0.key) } }
                wrong += Set(found.keys).union(cells.keys).flatMap { Comparison.differences(found[$0], cells[$0]) }
                    .map { "\(vector.text("format")) \($0)" }
            }
            #expect(wrong == [])
            let formats: [BroadcastFormat] = [
                .atc, .mibeacon, .govee, .thermopro, .inkbird, .qingping, .switchbot, .mopeka, .oralb, .thermobeacon,
                .sensorpush, .bluemaestro, .sensirion, .tilt, .rapt, .aranet, .victron, .bthome, .flowercare,
                .xiaomiscale,
                .ruuvi, .jaalee, .kkm, .bparasite, .hobo, .beewi, .skale, .xoss, .otodata, .tpms, .smartdry,
                .aprilbrother,
                .moko, .inode, .amazfit, .batterymonitor, .ela, .nodon, .feasycom, .oras, .polar, .mikrotik, .kegtron,
                .moat,
                .chefiq, .xiaogui, .acconeer, .airmentor, .almendo, .altbeacon, .garnet, .holyiot, .hormann, .laica,
                .mocreo,
                .relsib, .teltonika,
            ]
            #expect(Set(counts.keys) == Set(formats.map(\.rawValue)) && counts.values.allSatisfy { $0 >= 30 })
        }

        @Test func eachFormatHasARowAndAName() {
            for format in BroadcastFormat.allCases { #expect(BroadcastTable.row(of: format) != nil, "\(format)") }
            #expect(BroadcastTable.rows.count == BroadcastFormat.allCases.count)
            #expect(Set(BroadcastFormat.allCases.map(\.name)).count == BroadcastFormat.allCases.count)
            // The packets of these tell their formats apart.
            // Mocreo and Xiaogui have values in their numbers.
            let rows = BroadcastTable.rows.filter { $0.format != .mocreo && $0.format != .xiaogui }
            let counts = rows.flatMap { Array($0.sources) }.reduce(into: [:]) { $0[$1, default: 0] += 1 }
            let shared = Set(counts.filter { $1 > 1 }.keys)
            #expect(
                shared == [
                    .company(0x004C), .company(0x0131), .company(0xFFFF),
                    .service(BluetoothUUID(0x181A)),
                    .service(BluetoothUUID(0xFE95)), .service(BluetoothUUID(0xFEAA)),
                ])
            #expect(BroadcastFormat.allCases.allSatisfy { $0.name != $0.rawValue }, "a format has no name")
        }

        /// As Home Assistant shows them.
        @Test(
            arguments: [
                ("MiBeacon", "40505b0501", UInt16(0xFE95), "Xiaomi", "Temperature/Humidity Sensor LYWSD03MMC"),
                ("MiBeacon", "4050ffff01", 0xFE95, "Xiaomi", nil),
                ("Qingping", "0810aabbccddeeff", 0xFDCD, "Qingping", "Temp & RH Monitor Lite CGDK2"),
                ("SwitchBot", "d40064", 0xFD3D, "SwitchBot", "Meter"),
                ("SwitchBot", "540000aabbcc", nil, "SwitchBot", nil),
                ("Ruuvi", "05", nil, "Ruuvi", "RuuviTag"), ("Ruuvi", "e1", nil, "Ruuvi", "Ruuvi Air"),
                ("Mopeka", "035c3de8c3aabbcc0000", nil, "Mopeka", "Pro Check M1017"),
                ("Mopeka", "035c", nil, "Mopeka", "Pro"),
                ("Kegtron", "49ef138802e251326e6420506f7274000000000000000000000000", nil, "Kegtron", "KT-200"),
                ("Tilt", "0215a495bb50c5b14b44b5121370f02d74de00470424c5", nil, "Tilt", "Tilt Orange"),
                ("BTHome", "4000", 0xFCD2, nil, "BTHome sensor"), ("Victron", "1002", nil, "Victron", nil),
            ] as [(String, String, UInt16?, String?, String?)])
        func aPacketTellsItsModel(
            format: String, packet: String, service: UInt16?, manufacturer: String?, model: String?
        ) throws {
            let bytes = try #require([UInt8](hex: packet))
            let found = BroadcastMaker(
                formatNamed: format, packet: bytes, service: service.map { BluetoothUUID($0) })
            let maker = try #require(found)
            #expect(maker.manufacturer == manufacturer && maker.model == model)
        }

        @Test func theTableOfModelsIsInItsNotation() throws {
            for line in BroadcastModelTable.text.split(separator: "\n") {
                let columns = line.split(separator: "|", omittingEmptySubsequences: false)
                try #require(columns.count == 5)
                #expect(BroadcastFormat(rawValue: String(columns[0])) != nil, "\(line)")
                #expect(columns[1].isEmpty || Int(columns[1]) != nil, "\(line)")
                #expect(columns[2].isEmpty == columns[3].isEmpty && !columns[4].isEmpty, "\(line)")
                #expect(columns[3].allSatisfy { $0 == "_" || $0.isHexDigit && !$0.isUppercase }, "\(line)")
            }
        }

        /// 0x388A is a company number of Govee, and here a part of the values.
        @Test func aNameWithoutACompanyCountsAlone() throws {
            let bytes = try #require([UInt8](hex: "43ac094678c9ee1ee0392ec6fba8"))
            var data = AdvertisedData(address: Self.address, manufacturerData: [0x388A: bytes])
            #expect(values(of: data).keys.sorted() == ["temperature_alarm_probe_1"])
            data.name = "TP960R (0000)"
            #expect(values(of: data).isEmpty)
        }

        @Test func everyObjectOfMiBeaconCanBeRead() throws {
            for row in MiBeaconTable.table.rows {
                let id = try #require(row.number)
                let isRead = (0...9).contains { length in
                    let content = [UInt8](repeating: 1, count: length)[...]
                    let products: [UInt16] = [0x0098, 0x07BF, 0x6375, 0x0380, 0x09B0, 0x6A0F]
                    return products.contains {
                        (try? MiBeaconObject(id: id, product: $0, content).values())?.isEmpty == false
                    }
                }
                #expect(isRead, "\(String(id, radix: 16))")
            }
        }

        /// A ThermoPro without a name isn't recognized, because its company number is a value.
        @Test func aChosenFormatNeedsNoName() {
            var data = AdvertisedData(address: Self.address, manufacturerData: [0xD7C2: [0x00, 0x2E, 0x02, 0x2C]])
            #expect(values(of: data).isEmpty)
            let chosen = values(of: data, as: .thermopro)
            #expect(chosen["temperature"]?.value == .number(21.5) && chosen["humidity"]?.value == .integer(46))
            data.name = "TP357 (3456)"
            #expect(values(of: data) == chosen)
            #expect(values(of: data, as: .govee).isEmpty, "another format was chosen")
        }

        @Test func encryptedPacketsNeedTheirKey() throws {
            let vectors = try Vector.all("sensors").filter {
                $0.text("key") != "" && $0.expected["fields"]?.keys.isEmpty == false
            }
            #expect(vectors.count > 10)
            for vector in vectors
            where ["atc", "mibeacon"].contains(vector.text("format")) && vector.line["partial"] == nil {
                func packet(_ key: AdvertisementKey?) throws -> BroadcastDecoder.Packet {
                    var decoder = BroadcastDecoder(key: key)
                    return try #require(decoder.decode(try vector.advertisedData).first)
                }
                let plain = try packet(nil)
                guard plain.broadcast == nil else { continue }
                #expect(throws: DecodeError.key) { try plain.result?.get() }
                #expect(plain.format?.rawValue == vector.text("format"))
                let wrong = try packet(AdvertisementKey([UInt8](repeating: 7, count: 16)))
                #expect(throws: DecodeError.authentication) { try wrong.result?.get() }
            }
        }

        /// Random bytes for every format, with the names and sources that it takes. `BLEKEEP_FUZZ=1000000` makes it as
        /// many.
        @Test func takesAnyBytesWithoutATrap() throws {
            var random = SplitMix64(seed: 0x181A)
            let key = try #require(AdvertisementKey((0..<16).map { UInt8($0) }))
            for row in BroadcastTable.rows {
                let names = row.names + (row.format == .govee ? Self.goveeNames : [""])
                for _ in 0..<fuzzRounds(150) {
                    var data = AdvertisedData(address: Self.address, name: names.randomElement(using: &random))
                    data.services = [BluetoothUUID(0xFEE5), BluetoothUUID(0xFFF0)]
                    for source in row.sources.count < 40 ? row.sources : Set(row.sources.prefix(3)) {
                        let bytes = random.bytes(Int.random(in: 0...26, using: &random))
                        switch source {
                        case .company(let company): data.manufacturerData[company] = bytes
                        case .service(let service): data.serviceData[service] = bytes
                        }
                    }
                    if row.companyIsValue {
                        data.manufacturerData[UInt16.random(in: 0...0xFFFF, using: &random)] =
                            random.bytes(Int.random(in: 0...26, using: &random))
                    }
                    for value in values(of: data, as: row.format, key: key).values {
                        #expect(row.format.hasField(value.field), "\(row.format): \(value.field)")
                        if case .number(let number)? = value.value { #expect(number.isFinite, "\(value)") }
                    }
                }
            }
        }

        private static let goveeNames = [5074, 5075, 5106, 5112, 5127, 5140, 5178, 5179, 5182, 5184, 5198].map {
            "GVH\($0)"
        }
    }
}
