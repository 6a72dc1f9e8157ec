import Testing

@testable import BlekeepReadings

extension Readings {
    @Suite struct OctetReaderTests {
        @Test func takesNumbersOfAnyWidth() throws {
            var reader = OctetReader([0x21, 0x43, 0x65, 0xFF, 0xFF, 0x7F])
            #expect(try reader.unsigned(bits: 4) == 1)
            #expect(try reader.unsigned(bits: 12) == 0x432)
            #expect(try reader.unsigned(bits: 8) == 0x65)
            #expect(try reader.signed(bits: 12) == -1)
            #expect(try reader.signed(bits: 12) == 0x7FF)
            #expect(reader.isAtEnd)
            #expect(throws: DecodeError.short) { try reader.unsigned(bits: 1) }
            try reader.finish()
        }

        @Test func takesWholeOctets() throws {
            var reader = OctetReader([1, 2, 3, 0, 5])
            #expect(try reader.octets(1) == [1])
            #expect(try reader.octetsBeforeNUL() == [2, 3])
            #expect(throws: DecodeError.long) { try reader.finish() }
            #expect(throws: DecodeError.short) { try reader.octetsBeforeNUL() }
            #expect(throws: DecodeError.short) { try reader.octets(2) }
            #expect(try reader.octets() == [5])
            #expect(try reader.octets() == [])
        }

        @Test func takes64Bits() throws {
            var reader = OctetReader([UInt8](repeating: 0xFF, count: 16))
            #expect(try reader.unsigned(bits: 64) == .max)
            #expect(try reader.signed(bits: 64) == -1)
        }
    }
}
