import Testing

@testable import BlekeepReadings

extension Readings {
    @Suite struct ByteReaderTests {
        @Test func takesNumbersOfAnyWidth() throws {
            var reader = ByteReader([0x21, 0x43, 0x65, 0xFF, 0xFF, 0x7F])
            #expect(try reader.unsigned(bits: 4) == 1)
            #expect(try reader.unsigned(bits: 12) == 0x432)
            #expect(try reader.unsigned(bits: 8) == 0x65)
            #expect(try reader.signed(bits: 12) == -1)
            #expect(try reader.signed(bits: 12) == 0x7FF)
            #expect(reader.isAtEnd)
            #expect(throws: DecodeError.short) { try reader.unsigned(bits: 1) }
            try reader.finish()
        }

        @Test func takesWholeBytes() throws {
            var reader = ByteReader([1, 2, 3, 0, 5])
            #expect(try reader.bytes(1) == [1])
            #expect(try reader.bytesBeforeNUL() == [2, 3])
            #expect(throws: DecodeError.long) { try reader.finish() }
            #expect(throws: DecodeError.short) { try reader.bytesBeforeNUL() }
            #expect(throws: DecodeError.short) { try reader.bytes(2) }
            #expect(try reader.bytes() == [5])
            #expect(try reader.bytes() == [])
        }

        @Test func takes64Bits() throws {
            var reader = ByteReader([UInt8](repeating: 0xFF, count: 16))
            #expect(try reader.unsigned(bits: 64) == .max)
            #expect(try reader.signed(bits: 64) == -1)
        }
    }
}
