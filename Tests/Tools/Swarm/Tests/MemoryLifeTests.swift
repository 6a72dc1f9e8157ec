import Swarming
import Testing

/// What gaps are filled with, whatever was away: even seeds have a RuuviTag, odd ones a Govee thermometer.
@Suite struct MemoryLifeTests {
    @Test(arguments: 1...40 as ClosedRange<UInt64>)
    func eachRecordIsInTheHistoryOnceWhateverWasAway(seed: UInt64) throws {
        #expect(try MemoryLife.run(seed: seed) == nil)
    }
}
