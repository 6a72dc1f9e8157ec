import Testing

@testable import BlekeepReadings

struct NumberRangeTests {
    @Test func rangeIsInTheUnitOfTheLayout() {
        #expect(
            LayoutDecoder(BluetoothUUID(0x2A6E))?.numbers == NumberRange(lowest: -273.15, highest: 327.67, step: 0.01))
        #expect(LayoutDecoder(BluetoothUUID(0x2A06))?.numbers == NumberRange(lowest: 0, highest: 255, step: 1))
    }

    @Test func negativeMultiplierTurnsTheEndsRound() throws {
        let layout = try #require(
            OwnLayout(characteristic: BluetoothUUID(0x2A6E), notation: "level uint8 *-2 +10 0...5"))
        #expect(LayoutDecoder(layout).numbers == NumberRange(lowest: 0, highest: 10, step: 2))
    }

    @Test(arguments: [0x2A37, 0x2A24]) func otherLayoutsHaveNoRange(_ characteristic: UInt16) {
        #expect(LayoutDecoder(BluetoothUUID(characteristic))?.numbers == nil)
    }
}
