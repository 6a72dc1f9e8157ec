import RunLoop
import Testing

@testable import BlekeepRecords

@Suite struct SignOfLifeTests {
    private let now = Uptime.start + .seconds(10_000)

    private func device(
        due: Duration, interval: Duration? = .seconds(30), notBefore: Duration = .zero
    ) -> DeviceSnapshot {
        DeviceSnapshot(nextTick: now + due, notBefore: now + notBefore, interval: interval)
    }

    private func silence(_ devices: [DeviceSnapshot]) -> Duration { SignOfLife.silence(of: devices, at: now) }

    @Test func isExpectedWhenTheNextDeviceIsDue() {
        #expect(silence([device(due: .seconds(30))]) == .seconds(45))
        #expect(silence([device(due: .seconds(300)), device(due: .seconds(60))]) == .seconds(75))
        // Not with every tick.
        #expect(silence([device(due: .seconds(5), interval: .seconds(5))]) == .seconds(25))
        // One that failed is left alone for a while.
        #expect(silence([device(due: .seconds(5), notBefore: .seconds(120))]) == .seconds(135))
    }

    @Test func isWrittenWhenNoReadIsDue() {
        let longest = HeartbeatScheduler.longestSilence + .seconds(15)
        #expect(silence([]) == longest)
        #expect(silence([device(due: .seconds(5), interval: nil)]) == longest)
        #expect(silence([device(due: .seconds(86_400), interval: .seconds(86_400))]) == longest)
    }

    @Test func isExpectedLaterOfADeviceThatHasBeenDueForLong() {
        #expect(silence([device(due: .seconds(-5))]) == .seconds(45))
        #expect(silence([device(due: .seconds(-200))]) == .seconds(215))
        #expect(silence([device(due: .seconds(-9000))]) == HeartbeatScheduler.longestSilence + .seconds(15))
    }

    @Test func sleepOfTheMachineDoesNotCount() {
        func clocks(_ sinceBoot: Int, asleep: Int = 0, boot: String = "a") -> ClockReading {
            ClockReading(boot: boot, sinceBoot: .seconds(sinceBoot), awake: .seconds(sinceBoot - asleep), time: 0)
        }
        let life = SignOfLife(clocks: clocks(1000), silence: .seconds(25))
        #expect(!life.isOverdue(at: clocks(1035)))
        #expect(life.isOverdue(at: clocks(1036)))
        #expect(!life.isOverdue(at: clocks(1000 + 8 * 3600, asleep: 8 * 3600 - 10)))
        // Whoever runs since the machine was started has never written.
        #expect(life.isOverdue(at: clocks(1001, boot: "b")))
        #expect(life.isOverdue(at: clocks(5)))
    }
}
