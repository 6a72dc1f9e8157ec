import RunLoop
import Testing

@testable import BlekeepReadings

extension Readings {
    @Suite struct LayoutEncoderTests {
        /// Returns a measurement as a user writes it; `nil` for one without words.
        private func text(_ measurement: Measurement) -> String? {
            guard let value = measurement.value else {
                let isWord = !["prohibited", "reserved", "bad_utf8"].contains(measurement.state)
                return isWord ? measurement.state : nil
            }
            return text(value, measurement.unit ?? "")
        }

        private func text(_ value: MeasuredValue, _ unit: String) -> String? {
            switch value {
            case .integer(let integer): "\(integer)\(unit)"
            case .number(let number): "\(number)\(unit)"
            case .text(let text): text
            case .boolean(let boolean): "\(boolean)"
            case .list(let all): all.compactMap { text($0, unit) }.joined(separator: ",")
            }
        }

        @Test func writesBackEveryVector() throws {
            var single = 0
            var several = 0
            var wrong: [String] = []
            for vector in try Vector.all("gatt") where vector.error == nil {
                let uuid = try #require(BluetoothUUID(vector.text("uuid")))
                let decoder = try #require(LayoutDecoder(uuid))
                let bytes = vector.bytes("hex")
                let measurements = try decoder.decode(bytes)
                let words = measurements.map { text($0) }
                // Skip values without text, such as lists with a special value: the encoder can't write them.
                guard !words.contains(nil) else { continue }
                let isOne = decoder.fields.count == 1
                let texts = zip(measurements, words).map { isOne ? $1 ?? "" : "\($0.field)=\($1 ?? "")" }
                if isOne { single += 1 } else { several += 1 }
                do {
                    let encoded = try decoder.encode(texts)
                    if try decoder.decode(encoded) != measurements { wrong.append("\(vector.label): \(texts)") }
                } catch { wrong.append("\(vector.label): \(texts): \(error)") }
            }
            #expect(wrong == [])
            #expect(single > 290 && several > 100, "\(single), \(several)")
        }

        /// Every value of each layout of one integer of up to 16 bits.
        @Test func writesBackEverySmallInteger() throws {
            var layouts = 0
            for row in CharacteristicTable.table.rows {
                guard let number = row.number, let decoder = LayoutDecoder(BluetoothUUID(number)),
                    decoder.fields.count == 1, let field = decoder.fields.first, field.type.isInteger, !field.repeats,
                    let bits = [8, 16].first(where: {
                        field.type == .unsigned(bits: $0) || field.type == .signed(bits: $0)
                    })
                else { continue }
                layouts += 1
                for raw in stride(from: 0, to: 1 << bits, by: bits == 8 ? 1 : 251) {
                    let bytes = (0..<bits / 8).map { UInt8(truncatingIfNeeded: raw >> ($0 * 8)) }
                    guard let word = text(try decoder.decode(bytes)[0]) else { continue }
                    // Two numbers may mean the same value, so compare decoded values.
                    let back = try decoder.encode([word])
                    #expect(try decoder.decode(back) == decoder.decode(bytes), "\(decoder.name) \(word)")
                    if try decoder.decode(bytes)[0].value != nil { #expect(back == bytes, "\(decoder.name) \(word)") }
                }
            }
            #expect(layouts > 60, "\(layouts)")
        }

        @Test(arguments: [
            ("2a6e", "21.5", "6608"), ("2a6e", "-0.01", "ffff"), ("2a6e", "21.5 °C", "6608"),
            ("2a6e", "unknown", "0080"),
            ("2a6e", "temperature=21.5", "6608"), ("2a06", "2", "02"), ("2a6d", "1013.25hPa", "02760f00"),
            ("2a6d", "101325 Pa", "02760f00"), ("2a00", "Lamp=2", "4c616d703d32"), ("2a00", "", ""),
            ("2a08", "2024-02-29T12:00:01", "e807021d0c0001"), ("2a23", "0123456789abcdef", "efcdab8967452301"),
            ("2a0e", "60 min", "04"),
        ])
        func writesAValue(_ uuid: String, _ text: String, _ hex: String) throws {
            let decoder = try #require(BluetoothUUID(uuid).flatMap { LayoutDecoder($0) })
            #expect(String(hex: try decoder.encode([text])) == hex)
        }

        @Test(arguments: [
            ("2a06", ["256"], "256 is out of range: alert_level goes from 0 to 255"),
            ("2a06", ["-1"], "-1 is out of range: alert_level goes from 0 to 255"),
            ("2a06", ["high"], "'high' isn't a number"),
            ("2a06", ["1", "2"], "the only field is alert_level: write one value, and quote it if it has spaces"),
            ("2a19", ["101"], "101 is out of range: battery_level goes from 0 to 100 %"),
            ("2a6e", ["21.505"], "temperature has no step at 21.505; next to it are 21.5 °C and 21.51 °C"),
            ("2a6e", ["400"], "400 is out of range: temperature goes from -273.15 to 327.67 °C; or unknown"),
            ("2a6e", ["70 °F"], "'70 °F': temperature is in °C; or unknown"),
            ("2a6e", ["99999999999999999999999999999999999"], "isn't a number"), ("2a6e", ["1e99"], "isn't a number"),
            ("2a6e", ["1e30"], "1e30 is out of range: temperature"), ("2a6e", ["0x0866"], "temperature is in °C"),
            ("2a6d", ["1013"], "1013 of what? Write 1013Pa or 1013hPa"),
            ("2a6d", ["1 bar"], "pressure is in Pa or hPa"), ("2a6e", [""], "'' isn't a number"),
            ("2a0e", ["20 min"], "time_zone has no step at 20 min; next to it are 15 min and 30 min"),
            ("2a08", ["2023-02-29T12:00:00"], "'2023-02-29T12:00:00' isn't a date of the calendar"),
            ("2a08", ["now"], "'now': date_time is a date and time such as"),
            ("2a23", ["01"], "'01': eui_64 is 16 hex digits"),
            ("2a2b", ["5"], "'5' isn't a field and its value; write date_time=… day_of_week=…"),
            ("2a2b", ["day_of_week=1"], "date_time is missing; write date_time=…"),
            ("2a37", ["flags=0", "heart_rate=60", "energy_expended=1000"], "leave energy_expended out"),
            ("2a37", ["flags=0", "flags=1", "heart_rate=60"], "flags is given twice"),
        ])
        func refuses(_ uuid: String, _ texts: [String], _ sentence: String) throws {
            let decoder = try #require(BluetoothUUID(uuid).flatMap { LayoutDecoder($0) })
            let error = #expect(throws: UserError.self) { try decoder.encode(texts) }
            #expect(error?.message.contains(sentence) == true, "\(error?.message ?? "")")
        }

        @Test func writesOwnLayouts() throws {
            let notation = "flags bits8; temperature sint16 *1e-2 +-4000 °C 0x8000=unknown; kind uint4; level uint12 ?0"
            for endian in Endian.allCases {
                let layout = try #require(
                    OwnLayout(characteristic: BluetoothUUID(0xFFF0), endian: endian, notation: notation))
                let decoder = LayoutDecoder(layout)
                let bytes = try decoder.encode(["flags=1", "temperature=-45.25", "kind=10", "level=2748"])
                #expect(String(hex: bytes) == (endian == .big ? "01fdf3aabc" : "01f3fdcaab"))
                #expect(
                    try decoder.decode(bytes).map(\.value) == [
                        .integer(1), .number(-45.25), .integer(10), .integer(2748),
                    ])
            }
        }

        @Test func neverTraps() throws {
            var random = SplitMix64(seed: 7)
            let letters = Array("0123456789.-+eE=,x:T unknown°C%")
            let decoders = CharacteristicTable.table.rows.compactMap {
                $0.number.flatMap { LayoutDecoder(BluetoothUUID($0)) }
            }
            for round in 0..<4_000 {
                let decoder = decoders[round % decoders.count]
                var texts = decoder.fields.map { field in
                    let text = String(
                        (0..<Int.random(in: 0...12, using: &random)).compactMap { _ in
                            letters.randomElement(using: &random)
                        })
                    return decoder.fields.count == 1 ? text : "\(field.name)=\(text)"
                }
                if texts.count > 1, Bool.random(using: &random) { texts.removeLast() }
                guard let bytes = try? decoder.encode(texts) else { continue }
                #expect(throws: Never.self) { try decoder.decode(bytes) }
            }
        }
    }

    @Suite struct PresentedEncoderTests {
        @Test(arguments: [
            ("0efe2f27010000", "21.5", "6608"), ("0400ad27010000", "50", "32"), ("01000027010000", "true", "01"),
            ("14000027010000", "1.5", "0000c03f"), ("19000027010000", "hello", "68656c6c6f"),
            ("05000027010000", "4095", "ff0f"), ("1b000027010000", "0a0b", "0a0b"),
        ])
        func writesBack(_ descriptor: String, _ text: String, _ hex: String) throws {
            let format = try PresentationFormat(try #require([UInt8](hex: descriptor)))
            let bytes = try format.encode([text])
            #expect(String(hex: bytes) == hex)
            #expect(throws: Never.self) { try format.decode(bytes) }
        }

        @Test(arguments: ["0b000027010000", "0a000027010000", "1a000027010000"])
        func leavesTheRestToBytes(_ descriptor: String) throws {
            let format = try PresentationFormat(try #require([UInt8](hex: descriptor)))
            #expect(throws: UserError.self) { try format.encode(["1"]) }
        }
    }
}
