import Testing

@testable import BlekeepReadings

@Suite struct HexadecimalTests {
    @Test func everyByteReadsBack() {
        let bytes = [UInt8](0...255)
        let text = String(hex: bytes)
        #expect(text.hasPrefix("00010203") && text.hasSuffix("fcfdfeff") && text.utf8.count == 512)
        #expect([UInt8](hex: text) == bytes && [UInt8](hex: text.uppercased()) == bytes)
        #expect([UInt8](hex: "")?.isEmpty == true)
    }

    @Test(arguments: ["0", "0x00", "0g", "g0", "00 ", "０0", "00:00", "\u{661}0"])
    func otherTextIsRefused(text: String) {
        #expect([UInt8](hex: text) == nil)
    }

    @Test func numbersKeepTheirWidth() {
        #expect(String(hex: UInt16(0x1A), width: 4) == "001a")
        #expect(String(hex: UInt32(0x12345), width: 4) == "12345")
        #expect(String(hex: UInt8(0), width: 2) == "00")
    }
}
