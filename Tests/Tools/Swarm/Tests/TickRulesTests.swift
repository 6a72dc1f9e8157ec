import Blekeep
import RunLoop
import Testing

@testable import BlekeepSimulation
@testable import Swarming

/// The checkers of whole ticks, and of reads that don't end.
@Suite struct TickRulesTests {
    private static let address = Scenario.numbered(2, group: 9)
    private static let temperature = BluetoothUUID(0x2A6E)
    private static let heartRate = BluetoothUUID(0x2A37)

    /// A reading of a tick; a failure for what the device lacks.
    private func reading(_ characteristic: BluetoothUUID, in tick: Int) -> Reading {
        let outcome: Reading.Outcome =
            characteristic == Self.temperature
            ? .value(Measurement(field: "temperature", value: .number(20), state: nil, unit: "°C"), raw: [0, 1])
            : .failure(ReadingFailure(.noPoint, "missing"), raw: nil)
        return Reading(
            time: 0, tick: tick, device: "a", address: Self.address, service: BluetoothUUID(0x181A),
            characteristic: characteristic, name: "", outcome: outcome)
    }

    /// Returns the number of flaws, from the second of these ticks on.
    private func flaws(_ ticks: [[BluetoothUUID]]) -> Int {
        var rule = CompleteTicks()
        rule.begin(CompleteTicks.plans)
        var count = 0
        for (number, characteristics) in ticks.enumerated() {
            for characteristic in characteristics where rule.take(reading(characteristic, in: number + 1)) != nil {
                count += 1
            }
        }
        return count
    }

    @Test func aTickHasOnceWhatTheDeviceHasAndOnceWhatItLacks() {
        let whole = [Self.temperature, Self.heartRate]
        // The first one may have begun before, and the last one isn't over.
        #expect(flaws([[Self.heartRate], whole, whole, [Self.temperature]]) == 0)
        for part in [[Self.temperature], [Self.heartRate], whole + [Self.heartRate]] {
            #expect(flaws([whole, part, whole]) == 1)
        }
    }

    @Test func aReadThatDoesNotEndIsReportedOnce() {
        var rule = LongReads()
        func flaws(_ seconds: Range<Int>, ticks: (Int) -> Int) -> Int {
            seconds.count {
                rule.glance("a", isRead: true, ticks: ticks($0), at: .start + .seconds($0)) != nil
            }
        }
        #expect(flaws(0..<36) { _ in 1 } == 0)
        #expect(flaws(36..<100) { _ in 1 } == 1)
        // Ticks that follow each other are several.
        #expect(flaws(100..<300) { $0 / 20 } == 0)
        rule.forget()
        #expect(flaws(300..<330) { _ in 15 } == 0)
        #expect(rule.glance("a", isRead: false, ticks: 15, at: .start + .seconds(340)) == nil)
        #expect(flaws(341..<370) { _ in 15 } == 0)
    }
}
