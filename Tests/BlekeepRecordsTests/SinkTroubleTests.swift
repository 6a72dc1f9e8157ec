import RunLoop
import Testing

@testable import BlekeepRecords

@Suite struct SinkTroubleTests {
    private struct Failure: Error, CustomStringConvertible { let description: String }

    @Test func doublesThePauseUpToAMinuteAndReportsOnlyAnotherFailureAsNew() {
        var trouble = SinkTrouble()
        #expect(!trouble.isThere)
        let full = (0..<8).map { _ in trouble.record(Failure(description: "full"), at: .start) }
        #expect(full == [true] + Array(repeating: false, count: 7))
        #expect(trouble.nextTry == .start + .seconds(60))
        let isOtherNew = trouble.record(Failure(description: "gone"), at: .start)
        #expect(isOtherNew && trouble.text == "gone" && trouble.isThere)
    }

    @Test func triesAgainAfter12And4Seconds() {
        var trouble = SinkTrouble()
        let tries = (0..<3).map { _ in
            _ = trouble.record(Failure(description: "full"), at: .start)
            return trouble.nextTry
        }
        #expect(tries == [1, 2, 4].map { .start + .seconds($0) })
    }

    /// A server that was away would meet all of them in one second otherwise.
    @Test func gatewaysThatLoseTheirServerAtOneMomentDoNotComeBackAtOne() {
        var all = (0..<1000).map { SinkTrouble(of: "gateway-\($0)") }
        for length in [1, 2, 4, 8, 16, 32, 60, 60] {
            var tries: [Int: Int] = [:]
            for index in all.indices {
                _ = all[index].record(Failure(description: "gone"), at: .start)
                let pause = all[index].nextTry.sinceStart / .seconds(length)
                #expect(pause >= 0.5 && pause <= 1)
                tries[Int(pause * 20), default: 0] += 1
            }
            // A tenth of them, on average.
            #expect(tries.values.max() ?? 0 < 150, "\(length) s: \(tries)")
        }
    }

    /// As when two gateways of one name throw each other out.
    @Test func aSuccessThatDoesNotLastResetsNoPauseAndEndsNoTrouble() {
        var (trouble, now, attempts) = (SinkTrouble(), Uptime.start, 0)
        var ended = trouble.succeed(at: now)
        while now < .start + .seconds(600) {
            attempts += 1
            now = now + .seconds(20)
            _ = trouble.record(Failure(description: "thrown out"), at: now)
            now = trouble.nextTry
            ended = trouble.succeed(at: now)
        }
        #expect(!ended && trouble.isThere && !trouble.isFailing)
        #expect(attempts == 12)
        #expect(trouble.end == now + OutputRetryPause.proof)
        let isOver = trouble.succeed(at: now + OutputRetryPause.proof)
        #expect(isOver && !trouble.isThere)
        _ = trouble.record(Failure(description: "gone"), at: now + .seconds(1000))
        #expect(trouble.nextTry == now + .seconds(1001))
    }

    @Test func theFirstSuccessAfterAnOutageEndsTheTrouble() {
        var trouble = SinkTrouble()
        _ = trouble.succeed(at: .start)
        for second in 1..<100 { _ = trouble.record(Failure(description: "gone"), at: .start + .seconds(second)) }
        let isOver = trouble.succeed(at: .start + .seconds(200))
        #expect(isOver && !trouble.isThere)
    }
}
