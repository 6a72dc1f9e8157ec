import RunLoop
import Testing

@testable import BlekeepReadings

extension Readings {
    @Suite struct LayoutDecoderTests {
        @Test func answersEveryVector() throws {
            let vectors = try Vector.all("gatt")
            #expect(vectors.count == 794)
            var wrong: [String] = []
            for vector in vectors {
                let uuid = try #require(BluetoothUUID(vector.text("uuid")))
                let decoder = try #require(LayoutDecoder(uuid))
                wrong += differences(decoder, vector).map { "\(vector.label): \($0)" }
                #expect(decoder.name == vector.text("name"))
            }
            #expect(wrong == [])
        }

        private func differences(_ decoder: LayoutDecoder, _ vector: Vector) -> [String] {
            do {
                let measurements = try decoder.decode(vector.bytes("hex"))
                if let error = vector.error { return ["decoded, expected \(error)"] }
                let fields = Dictionary(measurements.map { ($0.field, $0) }) { first, _ in first }
                return Set(fields.keys).union(vector.expected.keys)
                    .flatMap { Comparison.differences(fields[$0], vector.expected[$0]) }
            } catch {
                return error.word == vector.error ? [] : ["error \(error)"]
            }
        }

        @Test func knowsAllLayouts() {
            let decoders = CharacteristicTable.table.rows.compactMap { row in
                row.number.flatMap { LayoutDecoder(BluetoothUUID($0)) }
            }
            let lines = CharacteristicTable.table.rows.filter { !$0[2].isEmpty }
            #expect(decoders.count == 274)
            #expect(lines.count == 274)
            #expect(LayoutDecoder(BluetoothUUID(0x2A02)) == nil, "a name without a layout")
            #expect(LayoutDecoder(BluetoothUUID(0xFFF0)) == nil, "no assigned number")
        }

        @Test func readsTemperaturesBelowZero() throws {
            let decoder = try #require(LayoutDecoder(BluetoothUUID(0x2A6E)))
            let bytes: [[UInt8]] = [[0xFF, 0xFF], [0x3D, 0xF6], [0x4D, 0x95], [0xC3, 0x09]]
            let values = try bytes.map { try decoder.decode($0)[0].value }
            #expect(values == [.number(-0.01), .number(-24.99), .number(-273.15), .number(24.99)])
            #expect(try decoder.decode([0x4C, 0x95])[0].state == "prohibited")
            #expect(try decoder.decode([0x00, 0x80])[0].state == "unknown")
            #expect(throws: DecodeError.short) { try decoder.decode([0xFF]) }
            #expect(throws: DecodeError.long) { try decoder.decode([0xFF, 0xFF, 0x00]) }
        }

        @Test func readsEveryTemperatureDigitByDigit() throws {
            let decoder = try #require(LayoutDecoder(BluetoothUUID(0x2A6E)))
            let wrong = try (Int16(-27_315)...Int16.max).filter { raw in
                let (whole, hundredths) = raw.magnitude.quotientAndRemainder(dividingBy: 100)
                let digits = "\(raw < 0 ? "-" : "")\(whole).\(hundredths < 10 ? "0" : "")\(hundredths)"
                let bits = UInt16(bitPattern: raw)
                let bytes = [UInt8(bits & 0xFF), UInt8(bits >> 8)]
                return try decoder.decode(bytes)[0].value != Double(digits).map { .number($0) }
            }
            #expect(wrong == [])
        }

        @Test func readsHeartRatesAsFlagsSay() throws {
            let decoder = try #require(LayoutDecoder(BluetoothUUID(0x2A37)))
            let measurements = try decoder.decode([0x19, 0x48, 0x00, 0x02, 0x00, 0x00, 0x04, 0x00, 0x02])
            #expect(
                measurements == [
                    Measurement(field: "flags", value: .integer(0x19)),
                    Measurement(field: "heart_rate", value: .integer(72), unit: "bpm"),
                    Measurement(field: "energy_expended", value: .integer(2000), unit: "J"),
                    Measurement(
                        field: "rr_interval", value: .list([.number(1), .number(0.5)]), unit: "s", decimals: 6),
                ])
            #expect(throws: DecodeError.short) { try decoder.decode([0x10, 0x48, 0x00]) }
            #expect(try decoder.decode([0x10, 0x48]).last?.value == .list([]), "no interval since the last value")
        }

        @Test func cutsBytesIntoParts() throws {
            let buttons = try #require(LayoutDecoder(BluetoothUUID(0x2C21)))
            #expect(try buttons.decode([0b11_10_01_00]).map(\.value) == (0...3).map { .integer($0) })
            let power = try #require(LayoutDecoder(BluetoothUUID(0x2A63)))
            let angles = try power.decode([0x00, 0x01, 0x10, 0x00, 0x23, 0x61, 0x45])
            #expect(angles.suffix(2).map(\.value) == [.integer(0x123), .integer(0x456)])
        }

        @Test func takesAnyBytesWithoutATrap() throws {
            var random = SplitMix64(seed: 20_260_521)
            let decoders = CharacteristicTable.table.rows.compactMap { row in
                row.number.flatMap { LayoutDecoder(BluetoothUUID($0)) }
            }
            var decoded = 0
            for decoder in decoders {
                for length in 0...40 {
                    for _ in 0..<min(18, fuzzRounds(6)) {
                        let bytes = (0..<length).map { _ in UInt8.random(in: 0...255, using: &random) }
                        guard let measurements = try? decoder.decode(bytes) else { continue }
                        decoded += 1
                        guard measurements.allSatisfy({ ($0.value == nil) != ($0.state == nil) }) else {
                            Issue.record("\(decoder.name) \(bytes): neither a value nor a state")
                            continue
                        }
                    }
                }
            }
            #expect(decoded > 1000)
        }
    }
}
