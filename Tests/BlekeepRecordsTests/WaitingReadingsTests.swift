import Testing

@testable import BlekeepRecords

@Suite struct WaitingReadingsTests {
    private func reading(_ tick: Int) -> Reading {
        Reading(
            time: 0, tick: tick, device: "a", address: BluetoothAddress(bits: 1), service: nil, characteristic: nil,
            name: "", outcome: .failure(ReadingFailure(code: .other("x"), message: "x"), raw: nil))
    }

    private func clocks(isSet: Bool) -> ClockReading {
        ClockReading(boot: "this", sinceBoot: .zero, awake: .zero, time: 0, isSynchronized: isSet)
    }

    @Test func readingsFromBeforeAndAfterTheClockWasSetAreInTwoGroups() {
        var waiting = WaitingReadings()
        waiting.add([reading(1)], at: clocks(isSet: false))
        waiting.add([reading(2)], at: clocks(isSet: true))
        #expect(waiting.groups.map { $0.readings.map(\.tick) } == [[1], [2]])
        #expect(waiting.groups.map { $0.readings.map(\.isClockSet) } == [[false], [true]])
        waiting.beginWriting()
        #expect(waiting.removeFirst() == 0)
        #expect(waiting.groups.map(\.clocks?.isSynchronized) == [true] && waiting.count == 1)
    }

    @Test func whatTheSinksHaveShownLeavesWithTheReadings() {
        var waiting = WaitingReadings()
        #expect(waiting.isEmpty)
        waiting.add([reading(1), reading(2)], at: nil)
        #expect(waiting.show().map(\.reading.tick) == [1, 2] && waiting.show().isEmpty)
        waiting.drop(1)
        waiting.add([reading(3)], at: nil)
        #expect(!waiting.isEmpty && waiting.shown == 1)
        waiting.beginWriting()
        #expect(waiting.removeFirst() == 1)
        #expect(waiting.isEmpty)
    }

    @Test func readingsThatAreBeingWrittenStayAsTheyAre() {
        var waiting = WaitingReadings()
        waiting.add([reading(1), reading(2)], at: nil)
        waiting.beginWriting()
        waiting.add([reading(3)], at: nil)
        waiting.add([reading(4)], at: nil)
        #expect(waiting.groups.map { $0.readings.map(\.tick) } == [[1, 2], [3, 4]])
        _ = waiting.show()
        waiting.drop(1)
        #expect(waiting.groups.map { $0.readings.map(\.tick) } == [[1, 2], [4]] && waiting.shown == 3)
        // More than there is to drop.
        waiting.drop(5)
        #expect(waiting.groups.map { $0.readings.map(\.tick) } == [[1, 2]] && waiting.shown == 2)
        #expect(waiting.removeFirst() == 2 && waiting.isEmpty)
    }

    @Test func whatCameWhileNothingWasWrittenIsntTakenForWritten() {
        var waiting = WaitingReadings()
        waiting.beginWriting()
        waiting.add([reading(1)], at: nil)
        #expect(waiting.removeFirst() == 0)
        #expect(waiting.count == 1)
    }
}
