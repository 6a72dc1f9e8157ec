import Testing

@testable import BlekeepRecords

@Suite struct PendingRecordsTests {
    private func reading(_ tick: Int) -> Reading {
        Reading(
            time: 0, tick: tick, device: "a", address: BluetoothAddress(bits: 1), service: nil, characteristic: nil,
            name: "", outcome: .failure(ReadingFailure(code: .other("x"), message: "x"), raw: nil))
    }

    private func clocks(isSet: Bool) -> ClockReading {
        ClockReading(boot: "this", sinceBoot: .zero, awake: .zero, time: 0, isSynchronized: isSet)
    }

    private func make() -> PendingRecords { PendingRecords(book: nil, heartbeats: nil, clocks: nil) { 0 } }

    @Test func `writes readings from before and after the clock was set in two commits`() {
        let pending = make()
        pending.take([reading(1)], at: clocks(isSet: false))
        pending.take([reading(2)], at: clocks(isSet: true))
        #expect(pending.earlierCommit?.group.readings.map(\.tick) == [1])
        #expect(pending.earlierCommit?.group.readings.map(\.isClockSet) == [false])
        #expect(pending.tookReadings() == 0)
        #expect(pending.earlierCommit == nil)
        let last = pending.lastCommit(nil, ledger: nil, durable: true, at: .start)
        #expect(last.group.readings.map(\.tick) == [2])
        #expect(last.group.readings.map(\.isClockSet) == [true])
        #expect(last.isDurable)
    }

    @Test func `is empty only when the store holds the readings and the news`() {
        let pending = make()
        #expect(pending.isEmpty)
        pending.take([reading(1)], at: nil)
        #expect(pending.show().map(\.reading.tick) == [1])
        #expect(!pending.isEmpty)
        #expect(pending.tookAll(nil, at: .start) == 1)
        #expect(pending.isEmpty)
        pending.note()
        #expect(!pending.isEmpty)
        #expect(pending.tookAll(nil, at: .start) == 0)
        #expect(pending.isEmpty)
    }
}
