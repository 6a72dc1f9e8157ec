import DBus
import RunLoop
import Testing

@testable import Swarming

/// The checker of attempts to connect: the attempts that it reports, and the ones that it allows.
@Suite struct AttemptsTests {
    private let path: ObjectPath = "/org/bluez/hci0/dev_F0_00_09_00_00_01"
    private let adapter: ObjectPath = "/org/bluez/hci0"

    private func after(_ seconds: Double) -> Uptime { .start + .seconds(seconds) }

    @Test func anOlderAnswerEndsNoNewerAttempt() {
        var attempts = Attempts()
        _ = attempts.began(path, through: adapter, at: after(0))
        attempts.over(path)
        _ = attempts.began(path, through: adapter, at: after(8))
        attempts.answered(path, begun: after(0), at: after(12))
        #expect(attempts.inProgress(through: adapter) == path)
        #expect(attempts.isMistaken(path, at: after(12)))
        #expect(!attempts.isMistaken(path, at: after(12.1)))
        attempts.answered(path, begun: after(0), at: after(12.9))
        #expect(attempts.isMistaken(path, at: after(12.9)))
        attempts.answered(path, begun: after(8), at: after(13))
        #expect(attempts.inProgress(through: adapter) == nil)
        #expect(!attempts.isMistaken(path, at: after(13)))
    }

    @Test func anAttemptMayEndAfterItsMinimumTime() {
        var attempts = Attempts()
        _ = attempts.began(path, through: adapter, at: after(0))
        attempts.over(path)
        _ = attempts.began(path, through: adapter, at: after(8))
        attempts.answered(path, begun: after(0), at: after(13))
        #expect(attempts.inProgress(through: adapter) == path)
        #expect(!attempts.isMistaken(path, at: after(13)))
    }

    @Test func reportsAnAttemptLongerThanAMinuteOnce() {
        var attempts = Attempts()
        _ = attempts.began(path, through: adapter, at: after(0))
        #expect(attempts.endless(since: .start, at: after(60)).isEmpty)
        #expect(attempts.endless(since: after(1), at: after(61)).isEmpty)
        #expect(attempts.endless(since: .start, at: after(61)).count == 1)
        #expect(attempts.endless(since: .start, at: after(62)).isEmpty)
    }

    @Test(arguments: [(nil, true), (7, false)] as [(Int?, Bool)])
    func fifteenAttemptsAMinuteAreTooManyUnlessOneWasOfUse(good: Int?, areTooMany: Bool) {
        var attempts = Attempts()
        var flaw: String?
        for number in 0..<15 {
            flaw = attempts.began(path, through: adapter, at: after(Double(number) * 4))
            attempts.answered(path, begun: after(Double(number) * 4), at: after(Double(number) * 4 + 1))
            if number == good { attempts.wellRead(path) }
        }
        #expect((flaw != nil) == areTooMany)
    }
}
