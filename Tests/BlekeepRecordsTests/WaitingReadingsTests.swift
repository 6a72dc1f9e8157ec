import Testing

@testable import BlekeepRecords

@Suite struct WaitingReadingsTests {
    private func readings(_ ticks: ClosedRange<Int>) -> [Reading] {
        ticks.map { tick in
            Reading(
                time: 0, tick: tick, device: "a", address: BluetoothAddress(bits: 1), service: nil,
                characteristic: nil, name: "",
                outcome: .failure(ReadingFailure(code: .other("x"), message: "x"), raw: nil))
        }
    }

    private func clocks(_ seconds: Int, ahead: Duration = .zero, set: Bool? = nil, boot: String = "1") -> ClockReading {
        ClockReading(
            boot: boot, sinceBoot: .seconds(seconds), awake: .seconds(seconds),
            time: (.seconds(seconds) + ahead).wholeMilliseconds, isSynchronized: set)
    }

    @Test func keepsReadingsApartBetweenWhichTheClockWasSet() {
        var waiting = WaitingReadings()
        waiting.add(readings(1...2), at: clocks(10, set: false))
        waiting.add(readings(3...3), at: clocks(11, ahead: .milliseconds(900), set: false))
        waiting.add(readings(4...4), at: clocks(12, ahead: .milliseconds(900), set: true))
        waiting.add(readings(5...5), at: clocks(13, ahead: .seconds(-86_400), set: true))
        waiting.add(readings(6...6), at: clocks(14, ahead: .seconds(-86_400), set: true, boot: "2"))
        #expect(waiting.groups.map { $0.readings.map(\.tick) } == [[1, 2, 3], [4], [5], [6]])
        #expect(waiting.groups.map { $0.clocks?.isSynchronized } == [false, true, true, true])
        #expect(waiting.groups.map { $0.clocks?.sinceBoot } == [11, 12, 13, 14].map { .seconds($0) })
    }

    @Test func showsEachReadingOnceAcrossGroups() {
        var waiting = WaitingReadings()
        waiting.add(readings(1...2), at: clocks(10, set: false))
        #expect(waiting.show().map(\.reading.tick) == [1, 2])
        waiting.add(readings(3...3), at: clocks(10, set: false))
        waiting.add(readings(4...5), at: clocks(11, set: true))
        #expect(waiting.show().map(\.reading.tick) == [3, 4, 5])
        #expect(waiting.show().isEmpty)
        waiting.add(readings(6...6), at: clocks(12, set: true))
        #expect(waiting.removeFirst() == 3)
        #expect(waiting.removeFirst() == 2)
        #expect(waiting.isEmpty && waiting.shown == 0)
    }

    @Test func dropsTheOldestWhicheverGroupTheyAreIn() {
        var waiting = WaitingReadings()
        waiting.add(readings(1...3), at: clocks(10, set: false))
        waiting.add(readings(4...6), at: clocks(11, set: true))
        _ = waiting.show()
        waiting.add(readings(7...7), at: clocks(12, set: true))
        waiting.drop(4)
        #expect(waiting.count == 3 && waiting.shown == 2)
        #expect(waiting.show().map(\.reading.tick) == [7])
        #expect(waiting.removeFirst() == 3)
    }
}
