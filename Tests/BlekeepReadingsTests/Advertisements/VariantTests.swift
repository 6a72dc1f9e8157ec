import RunLoop
import Testing

@testable import BlekeepReadings

extension Readings {
    /// Formats with several layouts: the packet of one gives nothing to the reader of another, or the same.
    ///
    /// | format | what tells the layouts apart |
    /// | --- | --- |
    /// | those of `PlainFormatTable` | the first line of each layout |
    /// | Chef iQ | the kind in byte 0, and the version in byte 1 |
    /// | Govee | the name, or else the company and the service, with the length; bytes 2 to 5 for the H5055 |
    /// | SwitchBot | byte 0 of the service data, or else its end, the user's choice, or the name |
    /// | ThermoPro, Inkbird | the name with the length |
    /// | Ruuvi, Victron, SensorPush, Eddystone | the format, the record's type, the upper bits or the frame in one byte |
    /// | ATC | the length |
    /// | BTHome, MiBeacon, Qingping | the number in front of each value |
    @Suite struct VariantTests {
        private static let address = BluetoothAddress(bits: 0xA4C1_3812_3456)

        private static func text(_ measurements: [Measurement], in format: BroadcastFormat) -> Set<String> {
            Set(measurements.map { $0.limited(in: format) }.map { "\($0.field) \($0.state ?? "\($0.value as Any)")" })
        }

        /// What the readers of a format make of the bytes of each source.
        private func readings(
            of data: AdvertisedData, by layouts: [PacketLayout], as format: BroadcastFormat
        ) -> [[Set<String>]] {
            data.sources.map { source in
                let input = BroadcastInput(
                    bytes: data[source] ?? [], source: source, data: data, key: nil, isChosen: false)
                return layouts.compactMap { layout in
                    (try? layout.decode(input)).flatMap(\.self).map { Self.text($0, in: format) }
                }
            }
        }

        private static let plain = PlainFormatTable.texts.mapValues { PacketLayout.list($0) }.filter {
            $0.value.count > 1
        }
        private static let vectors = Result {
            try (Vector.all("sensors") + Vector.all("peers")).map { try $0.advertisedData }
        }

        /// Of two readers, one may leave out what the other one reads.
        @Test(arguments: plain.keys.sorted { $0.rawValue < $1.rawValue })
        func noLayoutReadsAnotherOnesPacket(format: BroadcastFormat) throws {
            let layouts = try #require(Self.plain[format])
            let row = try #require(BroadcastTable.row(of: format))
            var packets = try Self.vectors.get().filter { $0.sources.contains(where: row.sources.contains) }
            var random = SplitMix64(seed: 0x0057)
            for layout in layouts {
                for _ in 0..<fuzzRounds(20) { packets.append(layout.packet(from: Self.address, using: &random)) }
            }
            for data in packets {
                for answers in readings(of: data, by: layouts, as: format) {
                    let all = answers.max { $0.count < $1.count } ?? []
                    #expect(answers.allSatisfy { $0.isSubset(of: all) }, "\(data): \(answers)")
                }
            }
        }

        @Test func noGoveeReadsAnotherOnesPacket() throws {
            let vectors = try (Vector.all("sensors") + Vector.all("peers")).filter {
                $0.text("format") == "govee" || $0.text("kind").contains("ovee")
            }
            for vector in vectors {
                let data = try vector.advertisedData
                for source in data.sources where source.isCompany {
                    let input = BroadcastInput(
                        bytes: data[source] ?? [], source: source, data: data, key: nil, isChosen: false)
                    let bytes = Govee.trimmed(input.bytes)
                    let answers = try Govee.candidates(bytes, input).compactMap { try $0.decode(bytes) }
                    #expect(Set(answers.map { Self.text($0, in: .govee) }).count <= 1, "\(vector.label): \(answers)")
                }
            }
        }

        /// The end of a name is that of the device's address: it is no model's number.
        @Test(arguments: [("GVH5105_5140", 8, "H5105"), ("GVH5108_5140", 8, "H5108"), ("GVH5075_5126", 24, nil)])
        func theAddressInANameIsNoModel(name: String, length: Int, model: String?) {
            let data = AdvertisedData(address: Self.address, name: name)
            let bytes: [UInt8] = [1, 1] + [UInt8](repeating: 0, count: length - 2)
            let input = BroadcastInput(bytes: bytes, source: .company(0x1234), data: data, key: nil, isChosen: false)
            let names = Govee.candidates(bytes, input).map(\.names)
            #expect(names.allSatisfy { model.map($0.contains) ?? false })
        }

        @Test func aRuuviWithTheMarkOfAnotherIsNone() throws {
            let marks: Set<UInt8> = [3, 5, 6, 0xE1]
            let vectors = try (Vector.all("sensors") + Vector.all("adverts") + Vector.all("peers")).compactMap {
                try $0.advertisedData[.company(Ruuvi.company)]
            }
            let packets = vectors.filter { (try? Ruuvi($0)) != nil }
            #expect(Set(packets.compactMap(\.first)) == marks)
            for packet in packets {
                for mark in marks where mark != packet[0] {
                    #expect(throws: DecodeError.self) { try Ruuvi([mark] + packet.dropFirst()) }
                }
            }
        }

        /// The service tells the first generation from the later ones.
        @Test func aSensorPushWithTheServiceOfAnotherIsNone() throws {
            for vector in try Vector.all("sensors") where vector.text("format") == "sensorpush" {
                var data = try vector.advertisedData
                data.services = SensorPush.services.filter { !data.services.contains($0) }
                for source in data.sources where source.isCompany {
                    let input = BroadcastInput(
                        bytes: data[source] ?? [], source: source, data: data, key: nil, isChosen: false)
                    #expect(try SensorPush.decode(input) == nil, "\(vector.label)")
                }
            }
        }

        /// The length and the proof tell pvvx's and atc1441's encrypted packets apart.
        @Test func anEncryptedPacketOfATCIsNoOther() throws {
            for vector in try Vector.all("sensors") where vector.text("format") == "atc" {
                let data = try vector.advertisedData
                guard let bytes = data[.service(ATC.service)], let key = AdvertisementKey(hex: vector.text("key")),
                    [8, 11].contains(bytes.count)
                else { continue }
                for other in [bytes.prefix(8), bytes.prefix(4) + bytes] where other.count != bytes.count {
                    let input = BroadcastInput(
                        bytes: Array(other.prefix(11)), source: .service(ATC.service), data: data, key: key,
                        isChosen: true)
                    #expect((try? ATC.decode(input)) ?? nil == nil, "\(vector.label)")
                }
            }
        }

        @Test func eachSwitchBotHasItsOwnMarks() {
            for marks in [
                SwitchBot.models.flatMap { $0.codes.map { [$0] } }, SwitchBot.models.flatMap(\.endings),
                SwitchBot.models.flatMap { $0.names.map { Array($0.utf8) } },
            ] {
                #expect(Set(marks).count == marks.count)
            }
        }

        // MARK: Packets of devices

        /// Packets whose layout another one's check let pass, or that were judged value by value. An empty text stands for a
        /// value that must not be there, and a state for itself.
        @Test(
            arguments: [
                // A newer H5055: 24 and 35 °C of probes that nothing public numbers.
                Packet(
                    "5c0a", "7741000101e403000960ffffffff0dacffffffff", name: "GVH5055_0001", services: ["5550"], [:]),
                // Probe 1 alone is plugged in. The one of 25 °C is an old value.
                Packet(
                    "af2f", "55006401201a00ffffffff201900ffffffff0000", services: ["5550"],
                    ["temperature_probe_1": "26", "battery": "100", "temperature_probe_2": ""]),
                Packet(
                    "af2f", "55006402201a00ffffffff201900ffffffff0000", services: ["5550"],
                    ["temperature_probe_1": "", "temperature_probe_2": "25"]),
                Packet(
                    "05cd", "01406313c000c900c900ca00cb00c0008d11", name: "CQ60",
                    [
                        "ambient_temperature": "19.2", "food_temperature": "20.1", "temperature_probe_1": "20.1",
                        "temperature_probe_2": "20.2", "temperature_probe_3": "20.3", "battery": "99",
                        "chip_temperature": "19",
                    ]),
                // Its sensors aren't connected.
                Packet(
                    "05cd", "014063fefb7ffb7ffb7ffb7ffb7ffb7f8d11", name: "CQ60",
                    ["battery": "99", "ambient_temperature": "prohibited", "food_temperature": "prohibited"]),
                Packet(
                    "06d5", "0022abcd7b009c00b200be00",
                    ["pm1": "12.3", "pm2_5": "15.6", "pm4": "17.8", "pm10": "19.0", "co2": ""]),
                Packet("06d5", "0024abcd9a02", ["co2": "666"]),
                Packet("06d5", "0026abcd40000066", ["air_speed": "1.0", "temperature": "24.728"]),
                Packet(
                    "06d5", "0028abcd00660080c800f503",
                    ["temperature": "24.728", "humidity": "56.501", "hydrogen": "2.0", "pressure": "101300"]),
                Packet(
                    "06d5", "002aabcd006600807b00", ["temperature": "24.728", "humidity": "50.001", "pm2_5": "12.3"]),
                Packet(
                    "06d5", "002cabcd0066008064006e0001007b00",
                    ["formaldehyde": "20.0", "voc_index": "110", "nox_index": "1", "pm2_5": "12.3"]),
                // A humidifier whose meter says nothing.
                Packet(
                    "0969", "a0a3b32c9ce6488680fffff2101d008734", old: "2300e4",
                    ["temperature": "", "humidity": "", "power_on": "true", "target_humidity": "52"]),
                Packet(
                    "0969", "a0a3b32c9ce6488680ffff", old: "5400e4",
                    ["temperature": "unknown", "humidity": "unknown", "battery": "100"]),
                // The last sector, which is the fourth of four.
                Packet(
                    "00dc", "03210b0328041107373804", ["sector": "4", "number_of_sectors": "4", "sector_timer": "56"]),
                Packet("00dc", "03210b0328041107323804", ["sector": "2"]),
                Packet("00dc", "03210b032804110737", ["sector": "4"]),
                Packet("00dc", "03210b0228041107373804", ["sector": "4"]),
                Packet("00dc", "03210b0328041107303804", ["sector": "none"]),
            ])
        func readsThePacketOfADevice(packet: Packet) throws {
            let bytes = try #require([UInt8](hex: packet.hex))
            var data = AdvertisedData(
                address: Self.address, name: packet.name,
                manufacturerData: [try #require(UInt16(packet.company, radix: 16)): bytes])
            data.services = packet.services.compactMap { BluetoothUUID($0) }
            if let old = packet.old { data.serviceData[BluetoothUUID(0xFD3D)] = [UInt8](hex: old) }
            var decoder = BroadcastDecoder()
            let all = decoder.decode(data).flatMap { $0.broadcast?.measurements ?? [] }
            let found = Dictionary(all.map { ($0.field, $0.state ?? Self.text($0)) }) { first, _ in first }
            if packet.values.isEmpty { #expect(found.isEmpty) }
            for (field, value) in packet.values { #expect(found[field] ?? "" == value, "\(field)") }
        }

        private static func text(_ measurement: Measurement) -> String {
            switch measurement.value {
            case .integer(let integer): "\(integer)"
            case .number(let number): "\(number)"
            case .boolean(let flag): "\(flag)"
            case .text(let text): text
            case .list, nil: "?"
            }
        }

        struct Packet: Sendable, CustomTestStringConvertible {
            let company: String
            let hex: String
            let name: String?
            let services: [String]
            /// SwitchBot's service data.
            let old: String?
            let values: [String: String]

            init(
                _ company: String, _ hex: String, name: String? = nil, services: [String] = [], old: String? = nil,
                _ values: [String: String]
            ) {
                (self.company, self.hex, self.name) = (company, hex, name)
                (self.services, self.old, self.values) = (services, old, values)
            }

            var testDescription: String { "\(company): \(hex)" }
        }

        /// Shelly's wall switch, before firmware 1.0.20.
        @Test func aShellysButtonIsHeld() throws {
            var data = AdvertisedData(address: Self.address)
            data.serviceData[BTHome.service] = [UInt8](hex: "44008401643afe3a003a003a00")
            var decoder = BroadcastDecoder()
            let values = try #require(decoder.decode(data).first?.broadcast).measurements
            #expect(values.map(\.field) == ["battery", "button", "button_2", "button_3", "button_4"])
            #expect(
                values.dropFirst().map(\.value) == [.text("hold_press"), .text("none"), .text("none"), .text("none")])
        }
    }
}
