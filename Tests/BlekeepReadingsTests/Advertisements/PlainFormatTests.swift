import RunLoop
import Testing

@testable import BlekeepReadings

extension Readings {
    /// The formats that are data, and the packets of other parsers' own tests.
    @Suite struct PlainFormatTests {
        private static let address = BluetoothAddress(bits: 0xA4C1_3812_3456)

        private func measurements(of data: AdvertisedData, as format: BroadcastFormat? = nil) -> [String: Measurement] {
            var decoder = BroadcastDecoder(format: format)
            let all = decoder.decode(data).flatMap { $0.broadcast?.measurements ?? [] }
            return Dictionary(all.map { ($0.field, $0) }) { first, _ in first }
        }

        // MARK: The notation

        @Test func everyLineIsInTheNotation() {
            var faults: [String] = []
            for (format, text) in PlainFormatTable.texts {
                let layouts = PacketLayout.list(text) { faults.append("\(format): \($0)") }
                #expect(!layouts.isEmpty && layouts.allSatisfy { !$0.fields.isEmpty }, "\(format)")
                for layout in layouts {
                    #expect(!layout.companies.isEmpty || !layout.services.isEmpty || layout.companyIsValue, "\(format)")
                    #expect(!layout.lengths.isEmpty, "\(format) has no length")
                }
            }
            for text in SwitchBot.models.flatMap(\.notation) + Victron.texts.values {
                _ = PacketLayout.fields(text) { faults.append(String($0)) }
            }
            #expect(faults == [])
        }

        @Test(arguments: [
            "company", "company 12345", "service xyz", "starts 0", "starts 0g", "4 byte s", "bytes", "300 bytes",
            "9...7 bytes", "masked", "masked 1ff", "address at", "reversed address 4", "address at 300", "unknown 5",
        ])
        func aFaultyFirstLineIsSeen(line: String) {
            var faults = 0
            _ = PacketLayout.list(line + "; 4 bytes;\n  x uint8") { _ in faults += 1 }
            #expect(faults == 1)
        }

        @Test(arguments: [
            "x", "x uint99", "x uint8 @", "x uint8 @1.8", "x uint8 @a", "x uint8 ÷0", "x uint8 ÷x", "x uint8 +x",
            "x uint8 ÷3 +x", "x uint8 ~1:2", "x uint8 ~2:1,1:2", "x uint8 ~1,2:3", "x uint8 ?", "x uint8 ?63",
            "x uint8 ?!x",
        ])
        func aFaultyFieldIsSeen(text: String) {
            #expect(RecipeField(notation: text[...]) == nil)
        }

        @Test func allWordsMeanWhatTheySay() throws {
            let layouts = PacketLayout.list(
                """
                # A comment.
                company 12__; 7, 9...10 bytes; starts 01__; reversed address at 2  # and another
                  _flags uint8 @1; first bit @1.0; low uint4 @1.4 5:five 6:7 8:true; _low uint4 @1.4; none uint8 ?0 ?!1
                  last uint8 @-1 *2 ÷3 +-1 V; sum uint8 @8 +_low; curve uint8 @8 ~0:0,10:100,20:50 %
                service fff0; 2 bytes or more; big endian
                  number uint16; part uint4 @0.4 bool ?number≥256; rest uint8 @0 ?number<256; many uint8 ?size≥3
                  other uint8 @1 ?number≠257; same uint8 @1 ?number=257
                """)
            #expect(layouts.count == 2)
            func decode(_ layout: Int, _ bytes: [UInt8], _ source: AdvertisedData.Source) throws -> [String]? {
                let data = AdvertisedData(address: BluetoothAddress(bits: 0x0605_0403_0201))
                let input = BroadcastInput(bytes: bytes, source: source, data: data, key: nil, isChosen: false)
                return try layouts[layout].decode(input)?.map {
                    "\($0.field) \(DisplayUnit.human($0).value) \($0.unit ?? "")"
                }
            }
            let good: [UInt8] = [1, 0x51, 1, 2, 3, 4, 5, 6, 10]
            let found = try decode(0, good, .company(0x12AB))
            #expect(
                found == [
                    "first true ", "low five ", "none 1 ", "last 5.667 V", "sum 15 ", "curve 100 %",
                ])
            #expect(
                try decode(0, good, .company(0x11AB)) == nil && decode(0, good, .service(BluetoothUUID(0x12AB))) == nil)
            #expect(try decode(0, good.dropLast(), .company(0x1200)) == nil)
            #expect(try decode(0, [2] + good.dropFirst(), .company(0x1200)) == nil)
            #expect(try decode(0, [1, 0, 1, 2, 3, 4, 5, 7, 10], .company(0x1200)) == nil, "another address")
            let service = AdvertisedData.Source.service(BluetoothUUID(0xFFF0))
            #expect(try decode(1, [1, 1], service) == ["number 257 ", "part false ", "same 1 "])
            #expect(try decode(1, [0, 2], service) == ["number 2 ", "rest 0 ", "other 2 "])
            #expect(try decode(1, [1], service) == nil)
        }

        @Test func maskedBytesAreDecodedUnmasked() throws {
            let layout = PacketLayout.list("service fff0; 2 bytes; starts a1; masked a0; big endian\n  x uint16")[0]
            let input = BroadcastInput(
                bytes: [0xA1, 0xA2], source: .service(BluetoothUUID(0xFFF0)),
                data: AdvertisedData(address: Self.address),
                key: nil, isChosen: false)
            #expect(try layout.decode(input)?.map(\.value) == [.integer(0x0102)])
        }

        /// Three digits of a tank, with a space in front or a word instead; a temperature in °F; and the tanks of the BTP7.
        @Test(
            arguments: [
                ("0131", "0c464e 00 303435 303030303030 30", "fresh_tank", MeasuredValue.integer(45), nil),
                ("0131", "0c464e 03 203735 303030303030 30", "lpg_tank", .integer(75), nil),
                ("0131", "0c464e 02 313030 303030303030 30", "grey_tank", .integer(100), nil),
                ("0131", "0c464e 01 4f504e 303030303030 30", "black_tank", nil, "open"),
                ("0131", "0c464e 0b 455252 303030303030 30", "chemical_tank", nil, "error"),
                ("0131", "0c464e 07 303731 303030303030 30", "temperature_1", .number(21.7), nil),
                ("0131", "0c464e 0d 313332 303030303030 31", "battery_voltage", .number(13.2), nil),
                ("0cc0", "910400 1900006e6e6e6e6e 820000", "fresh_tank", .integer(25), nil),
                ("0cc0", "910400 1900006e6e6e6e6e 820000", "lpg_tank", nil, "disabled"),
                ("0cc0", "910400 1900006e6e6e6e6e 820000", "battery_voltage", .number(13), nil),
            ] as [(String, String, String, MeasuredValue?, String?)])
        func readsTanksOfGarnet(
            company: String, bytes: String, field: String, value: MeasuredValue?, state: String?
        ) throws {
            let bytes = try #require([UInt8](hex: bytes.filter { $0 != " " }))
            let number = try #require(UInt16(company, radix: 16))
            let data = AdvertisedData(address: Self.address, manufacturerData: [number: bytes])
            let found = try #require(measurements(of: data)[field])
            #expect(found.value == value && found.state == state, "\(found)")
        }

        @Test func aShortPacketIsShort() {
            let layout = PacketLayout.list("service fff0; 1 byte or more\n  x uint16")[0]
            let input = BroadcastInput(
                bytes: [1], source: .service(BluetoothUUID(0xFFF0)), data: AdvertisedData(address: Self.address),
                key: nil,
                isChosen: false)
            #expect(throws: DecodeError.short) { try layout.decode(input) }
        }

        // MARK: Packets of other parsers

        /// Packets of the parsers' own tests, with the values that they have there. `differs` says where blekeep differs, and why.
        @Test func answersThePacketsOfOtherParsers() throws {
            let vectors = try Vector.all("peers")
            #expect(vectors.count == 154 && vectors.count { $0.line["differs"] == nil } == 142)
            for vector in vectors {
                var decoder = BroadcastDecoder(
                    key: AdvertisementKey(hex: vector.text("key")),
                    model: SwitchBotModel(rawValue: vector.text("model")))
                let packets = decoder.decode(try vector.advertisedData)
                let all = packets.flatMap { $0.broadcast?.measurements ?? [] }
                let found = Dictionary(all.map { ($0.field, $0) }) { first, _ in first }
                for packet in packets {
                    for value in packet.broadcast?.measurements ?? [] {
                        #expect(packet.format?.hasField(value.field) == true, "\(value)")
                    }
                }
                let fields = vector.expected["fields"] ?? .null
                for field in fields.keys {
                    guard let measurement = found[field], let cell = fields[field] else {
                        Issue.record("\(vector.text("kind")) \(vector.text("note")): no \(field)")
                        continue
                    }
                    let tolerance = cell["tol"]?.number ?? 0
                    let wanted = cell["value"] ?? .null
                    let isRight =
                        switch (measurement.value, wanted) {
                        case (.integer(let value)?, .number(let number)): abs(Double(value) - number) <= tolerance
                        case (.number(let value)?, .number(let number)):
                            abs(value - number) <= max(tolerance, 1e-9 * abs(number))
                        case (.boolean(let value)?, .boolean(let flag)): value == flag
                        case (.boolean(let value)?, .number(let number)): value == (number == 1)
                        case (.text(let value)?, .text(let text)): value == text
                        default: false
                        }
                    #expect(isRight, "\(vector.text("kind")) \(vector.text("note")): \(measurement), not \(wanted)")
                }
            }
        }

        @Test func aSwitchBotsModelComesFromItsServiceDataItsUserOrItsName() throws {
            let bytes = try #require([UInt8](hex: "aabbccddeeff3e0908965b"))
            var data = AdvertisedData(address: Self.address, manufacturerData: [0x0969: bytes])
            var decoder = BroadcastDecoder()
            #expect(decoder.decode(data).allSatisfy { $0.broadcast == nil })
            decoder = BroadcastDecoder(model: .meter)
            #expect(decoder.decode(data).first?.broadcast?.measurements.map(\.field) == ["temperature", "humidity"])
            data.name = "WoSensorTH"
            #expect(measurements(of: data)["humidity"]?.value == .integer(91))
            // What the packets say wins.
            data.serviceData[BluetoothUUID(0xFD3D)] = [0x63, 0xC0, 0x53]
            decoder = BroadcastDecoder(model: .meter)
            let fields = decoder.decode(data).flatMap { $0.broadcast?.measurements.map(\.field) ?? [] }
            #expect(fields.contains("position") && !fields.contains("humidity"))
        }

        /// The record types of Victron's document, with the values that victron-ble reads.
        @Test func victronNeedsItsKey() throws {
            let bytes = try #require([UInt8](hex: "100289a302b040af925d09a4d89aa0128bdef48c6298a9"))
            let key = try #require(AdvertisementKey(hex: "aff4d0995b7d1e176c0c33ecb9e70dcd"))
            let data = AdvertisedData(address: Self.address, manufacturerData: [Victron.company: bytes])
            var decoder = BroadcastDecoder()
            #expect(throws: DecodeError.key) { try decoder.decode(data).first?.result?.get() }
            decoder = BroadcastDecoder(key: AdvertisementKey([UInt8](repeating: 7, count: 16)))
            #expect(throws: DecodeError.authentication) { try decoder.decode(data).first?.result?.get() }
            decoder = BroadcastDecoder(key: key)
            let broadcast = try #require(decoder.decode(data).first?.broadcast)
            let found = Dictionary(broadcast.measurements.map { ($0.field, $0) }) { first, _ in first }
            #expect(found["battery_voltage"]?.value == .number(12.53) && found["battery"]?.value == .number(50))
            #expect(broadcast.counter == PacketCounter(value: 0x40B0, bits: 16))
        }

        // MARK: Hostile bytes

        /// Random bytes with the beginnings, the addresses and the lengths that a layout has, and cut ones. `BLEKEEP_FUZZ=1000000`
        /// makes as many.
        @Test func takesAnyBytesWithoutATrap() {
            var random = SplitMix64(seed: 0x0055)
            for (format, text) in PlainFormatTable.texts.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
                let layouts = PacketLayout.list(text)
                for _ in 0..<fuzzRounds(150) {
                    let layout = layouts[Int.random(in: 0..<layouts.count, using: &random)]
                    for value in measurements(of: layout.packet(from: Self.address, using: &random), as: format).values
                    {
                        if case .number(let number)? = value.value { #expect(number.isFinite, "\(value)") }
                        #expect(format.hasField(value.field), "\(format): \(value.field)")
                    }
                }
            }
        }

        /// For SwitchBot, Victron, SensorPush, iNode, BTHome v1, MiBeacon's locks and buttons, and Govee's hidden packets.
        @Test func takesAnyBytesOfCodedFormatsWithoutATrap() {
            var random = SplitMix64(seed: 0x0056)
            let key = AdvertisementKey([UInt8](repeating: 7, count: 16))
            for _ in 0..<fuzzRounds(400) {
                let model = SwitchBot.models[Int.random(in: 0..<SwitchBot.models.count, using: &random)]
                var data = AdvertisedData(address: Self.address, services: SensorPush.services)
                func bytes(_ count: Int) -> [UInt8] { random.bytes(Int.random(in: 0...count, using: &random)) }
                data.manufacturerData = [
                    0x0969: bytes(26),
                    Victron.company: [0x10, 2, 0x89, 0xA3, UInt8.random(in: 0...16, using: &random), 1, 2, 7]
                        + bytes(20),
                    0x8290: random.bytes(11), 0xEF88: random.bytes(24), 0x0000: bytes(9),
                ]
                data.serviceData = [
                    BluetoothUUID(0xFD3D): [model.codes.first ?? 0] + bytes(8)
                        + (model.endings.first.map { [0] + $0 } ?? []),
                    BTHome.oldService: bytes(20),
                    MiBeacon.service: [0x40, 0x50, 0x80, 0x03, 1] + bytes(16),
                ]
                var decoder = BroadcastDecoder(key: random.next() & 1 == 0 ? key : nil, model: model.model)
                for packet in decoder.decode(data) {
                    for value in packet.broadcast?.measurements ?? [] {
                        #expect(packet.format?.hasField(value.field) == true, "\(value)")
                        if case .number(let number)? = value.value { #expect(number.isFinite, "\(value)") }
                    }
                }
            }
            for row in MiBeaconTable.table.rows {
                guard let id = row.number else { continue }
                for _ in 0..<fuzzRounds(200) {
                    let products: [UInt16] = [0x04E1, 0x03B6, 0x0153, 0x0DFD, 0x0380, 0x069F, 0x6A0F, 0x09B0, 0x1C10]
                    let content = random.bytes(Int.random(in: 0...10, using: &random))
                    let product = products[Int.random(in: 0..<products.count, using: &random)]
                    for value in (try? MiBeaconObject(id: id, product: product, content[...]).values()) ?? [] {
                        #expect(BroadcastFormat.mibeacon.hasField(value.field), "\(value)")
                    }
                }
            }
        }
    }
}

extension PacketLayout {
    /// Returns a random packet of this layout, one in three of them cut.
    func packet(from address: BluetoothAddress, using random: inout SplitMix64) -> AdvertisedData {
        let range = lengths.randomElement(using: &random) ?? 0...31
        let count = Int.random(in: range.lowerBound...min(range.upperBound, range.lowerBound + 8), using: &random)
        var bytes = random.bytes(count)
        for (index, byte) in start.enumerated() where index < count { bytes[index] = byte ?? bytes[index] }
        if let place = addressPlace, place.byte + 6 <= count {
            let own = place.isReversed ? address.bytes.reversed() : address.bytes
            bytes.replaceSubrange(place.byte..<place.byte + 6, with: own)
        }
        if random.next() % 3 == 0 { bytes = Array(bytes.prefix(Int.random(in: 0...count, using: &random))) }
        var data = AdvertisedData(address: address, name: names.first, services: advertised)
        if let company = companies.randomElement(using: &random) {
            data.manufacturerData = [company: bytes]
        } else if let service = services.randomElement(using: &random) {
            data.serviceData = [service: bytes]
        } else {
            data.manufacturerData = [UInt16.random(in: 0...0xFFFF, using: &random): bytes]
        }
        return data
    }
}
