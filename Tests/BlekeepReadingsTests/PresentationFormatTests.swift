import RunLoop
import Testing

@testable import BlekeepReadings

extension Readings {
    @Suite struct PresentationFormatTests {
        @Test func answersEveryVector() throws {
            let vectors = try Vector.all("cpf")
            #expect(vectors.count == 67)
            let wrong = vectors.flatMap { vector in differences(vector).map { "\(vector.label): \($0)" } }
            #expect(wrong == [])
        }

        private func differences(_ vector: Vector) -> [String] {
            do {
                let format = try PresentationFormat(vector.bytes("hex"))
                let measurement = try format.decode(vector.bytes("value_hex"))
                if let error = vector.error { return ["decoded, expected \(error)"] }
                return Comparison.differences(measurement, vector.expected) + differences(format, vector.expected)
            } catch {
                return error.word == vector.error ? [] : ["error \(error)"]
            }
        }

        private func differences(_ format: PresentationFormat, _ expected: JSON) -> [String] {
            let unit = format.unit.description.uppercased()
            let pairs: [(String, Bool)] = [
                ("format", Double(format.format) == expected["format"]?.number),
                ("format_name", format.formatName == expected["format_name"]?.text),
                ("exponent", Double(format.exponent) == expected["exponent"]?.number),
                ("unit_uuid", unit == expected["unit_uuid"]?.text),
                ("namespace", Double(format.namespace) == expected["namespace"]?.number),
                ("description", Double(format.description) == expected["description"]?.number),
            ]
            return pairs.filter { !$0.1 }.map(\.0)
        }

        private func value(_ code: UInt8, exponent: Int8 = 0, _ bytes: [UInt8]) throws -> Measurement {
            try PresentationFormat([code, UInt8(bitPattern: exponent), 0x00, 0x27, 1, 0, 0]).decode(bytes)
        }

        @Test func writesLargeIntegersAsDigits() throws {
            let ones = [UInt8](repeating: 0xFF, count: 16)
            let lowest = [UInt8](repeating: 0, count: 15) + [0x80]
            #expect(try value(11, ones).value == .text("340282366920938463463374607431768211455"))
            #expect(try value(19, ones).value == .integer(-1))
            #expect(try value(19, lowest).value == .text("-170141183460469231731687303715884105728"))
            #expect(try value(10, [0, 0, 0, 0, 0, 0, 0x20, 0]).value == .integer(1 << 53))
            #expect(try value(10, [1, 0, 0, 0, 0, 0, 0x20, 0]).value == .text("9007199254740993"))
            #expect(try value(4, exponent: 20, [3]).value == .text("300000000000000000000"))
            #expect(try value(4, exponent: 127, [0]).value == .integer(0))
            #expect(try value(11, exponent: -128, ones).value == .number(3.402823669209385e-90))
        }

        @Test func ignoresBitsAboveTheFormats() throws {
            #expect(try value(1, [0xFF]).value == .boolean(true))
            #expect(try value(1, [0xFE]).value == .boolean(false))
            #expect(try value(2, [0xFE]).value == .integer(2))
            #expect(try value(5, [0xFF, 0xFF]).value == .integer(4095))
            #expect(try value(13, [0xFF, 0xFF]).value == .integer(-1))
        }

        @Test func readsText() throws {
            #expect(try value(25, [0x41, 0, 0]).value == .text("A"))
            #expect(try value(26, [0x41, 0, 0, 0]).value == .text("A"))
            #expect(try value(26, [0x00, 0xD8]).state == "bad_utf16")
            #expect(throws: DecodeError.short) { try value(26, [0x41]) }
        }

        @Test func takesAnyBytesWithoutATrap() {
            var random = SplitMix64(seed: 2904)
            for code in UInt8.min...UInt8.max {
                for length in 0...20 {
                    let head = [code] + (0..<6).map { _ in UInt8.random(in: 0...255, using: &random) }
                    let bytes = (0..<length).map { _ in UInt8.random(in: 0...255, using: &random) }
                    _ = try? PresentationFormat(bytes)
                    guard let format = try? PresentationFormat(head) else { continue }
                    _ = try? format.decode(bytes)
                }
            }
        }
    }
}
