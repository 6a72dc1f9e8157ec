import RunLoop
import Testing

@testable import BlekeepPoller
@testable import BlekeepRecords

@Suite struct BluezHealthTests {
    private let now = Uptime.start + .seconds(100)

    @Test func threeSilencesInARowRaiseTheQuestionOnce() {
        var health = BluezHealth()
        let asked = (1...5).map { _ in health.unanswered() }
        #expect(asked == [false, false, true, false, false])
    }

    @Test func anAnswerEndsTheRow() {
        var health = BluezHealth()
        _ = health.unanswered()
        _ = health.unanswered()
        health.answered()
        let isAsked = health.unanswered()
        #expect(!isAsked)
    }

    @Test func pingsAHangingBluetoothdOnceAMinute() {
        var health = BluezHealth()
        for _ in 1...3 { _ = health.unanswered() }
        health.reply(false, at: now)
        #expect(health.nextPing == now + .seconds(60))
        health.ping()
        #expect(health.nextPing == .never)
        health.reply(true, at: now + .seconds(61))
        #expect(health.nextPing == .never)
    }
}
