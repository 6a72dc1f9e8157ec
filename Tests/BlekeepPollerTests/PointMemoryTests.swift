import RunLoop
import Testing

@testable import BlekeepPoller
@testable import BlekeepRecords

/// Characteristics without replies: one of a device, or all.
@Suite struct PointMemoryTests {
    /// Returns the times of pauses for a characteristic that is read every 30 s and never replies.
    private func rests(_ answers: (Int) -> Int) -> [Int] {
        var memory = PointMemory()
        return (0..<20).filter { round in
            let now = Uptime.start + .seconds(30 * round)
            let before = memory.restUntil
            memory.unanswered(at: now, answers: answers(round))
            return memory.restUntil != before
        }
    }

    @Test func pausesACharacteristicThatAloneDoesNotReply() {
        #expect(rests { $0 * 3 } == [2, 5, 8, 11, 14, 17])
    }

    @Test func pausesNoCharacteristicWhenNoneReplies() {
        #expect(rests { _ in 40 } == [])
        // Values from before the characteristic stopped replying don't count as answers.
        #expect(rests { $0 < 1 ? 40 : 41 } == [])
    }

    @Test func anAnswerEndsTheDoubt() {
        var memory = PointMemory()
        for round in 0..<10 {
            memory.unanswered(at: .start, answers: round * 2)
            #expect(memory.isDoubtful)
            if round % 2 == 1 { memory.answered() }
            #expect(memory.isDoubtful == (round % 2 == 0))
        }
        #expect(memory.restUntil == .start)
    }
}
