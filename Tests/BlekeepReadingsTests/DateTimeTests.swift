import Testing

@testable import BlekeepReadings

extension Readings {
    @Suite struct DateTimeTests {
        private func value(_ year: UInt16, _ rest: UInt8...) throws -> FieldValue {
            var reader = ByteReader([UInt8(year & 0xFF), UInt8(year >> 8)] + rest)
            return try DateTime(&reader).value
        }

        @Test func writesValidTimes() throws {
            #expect(try value(2024, 2, 29, 1, 2, 3) == .value(.text("2024-02-29T01:02:03")))
            #expect(try value(2000, 2, 29, 23, 59, 59) == .value(.text("2000-02-29T23:59:59")))
        }

        @Test func namesUnknownValues() throws {
            #expect(try value(0, 13, 1, 0, 0, 0) == .state("unknown"))
            #expect(try value(2024, 0, 1, 0, 0, 0) == .state("unknown"))
            #expect(try value(2024, 1, 0, 0, 0, 0) == .state("unknown"))
            #expect(try value(1900, 2, 29, 0, 0, 0) == .state("prohibited"))
            #expect(try value(2024, 4, 31, 0, 0, 0) == .state("prohibited"))
            #expect(try value(2024, 1, 1, 24, 0, 0) == .state("prohibited"))
            #expect(try value(2024, 1, 1, 0, 0, 60) == .state("prohibited"))
            #expect(try value(10_000, 1, 1, 0, 0, 0) == .state("prohibited"))
        }
    }
}
