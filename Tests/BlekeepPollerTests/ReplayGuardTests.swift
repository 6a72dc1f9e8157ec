import RunLoop
import Testing

@testable import BlekeepPoller
@testable import BlekeepReadings
@testable import BlekeepRecords

/// Counters and times in, verdicts out.
@Suite struct ReplayGuardTests {
    /// Sends counters, each this many seconds after the one before.
    private func verdicts(
        _ counters: [UInt32], every seconds: Int = 60, bits: Int = 32
    ) -> [ReplayGuard.Verdict] {
        var replayGuard = ReplayGuard()
        var now = Uptime.start
        return counters.map { counter in
            now = now + .seconds(seconds)
            return replayGuard.check(PacketCounter(value: counter, bits: bits), at: now)
        }
    }

    @Test(arguments: [8, 32]) func acceptsWhatRises(bits: Int) {
        #expect(verdicts([7, 7, 8, 100, 101], bits: bits) == [.new, .same, .new, .new, .new])
        let last: UInt32 = bits == 8 ? 255 : .max
        #expect(verdicts([last - 1, last, 0, 1], bits: bits) == [.new, .new, .new, .new])
    }

    @Test func takesASteadyRiseFromAnyNumberForARestart() {
        #expect(
            verdicts([65530, 65531, 19911, 19912, 19913, 19914]) == [.new, .new, .replay, .replay, .restart, .new])
        #expect(verdicts([65531, 0, 1, 2, 3]) == [.new, .replay, .replay, .restart, .new])
        #expect(verdicts([200, 100, 101, 102, 103], bits: 8) == [.new, .replay, .replay, .restart, .new])
    }

    @Test func aRestartTakesItsTime() {
        let soon = verdicts([900, 10, 11, 12, 13, 14, 15, 16], every: 6)
        #expect(soon == [.new] + Array(repeating: .replay, count: 5) + [.restart, .new])
    }

    @Test(
        arguments: [
            // One recorded packet, for ever.
            [900] + Array(repeating: 10, count: 20),
            // A run that doesn't rise, and one that jumps.
            [900, 10, 9, 8, 7, 6, 5, 4],
            [100_000, 10, 20_000, 40_000, 60_000],
            // A recorded run, while the device goes on.
            [900, 10, 901, 11, 902, 12, 903, 13, 904, 14],
            [900, 10, 11, 901, 12, 13, 902, 14, 15],
        ] as [[UInt32]])
    func neverTakesRecordedPacketsForARestart(counters: [UInt32]) {
        #expect(!verdicts(counters).contains(.restart))
    }

    @Test func ignoresWhatIsOnlyLate() {
        #expect(verdicts([900, 899, 901, 898], every: 4) == [.new, .late, .new, .late])
        // The two packets of a restarted device that came in the wrong order.
        #expect(verdicts([9000, 900, 899], every: 5) == [.new, .replay, .replay])
    }

    /// It may have gone round.
    @Test func aShortCounterSaysNothingAfterALongSilence() {
        #expect(verdicts([200, 100], every: 301, bits: 8) == [.new, .new])
        #expect(verdicts([200, 100], every: 299, bits: 8) == [.new, .replay])
        #expect(verdicts([200, 100], every: 301, bits: 32) == [.new, .replay])
    }

    /// Anybody can rewrite the version of a recorded MiBeacon packet.
    @Test func aShorterCounterIsOlder() {
        var replayGuard = ReplayGuard()
        let now = Uptime.start
        #expect(replayGuard.check(PacketCounter(value: 0x110, bits: 32), at: now) == .new)
        #expect(replayGuard.check(PacketCounter(value: 0x20, bits: 8), at: now + .seconds(900)) == .replay)
        #expect(replayGuard.check(PacketCounter(value: 0x111, bits: 32), at: now + .seconds(901)) == .new)
    }
}
