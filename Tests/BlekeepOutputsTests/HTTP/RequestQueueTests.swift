import RunLoop
import Testing

@testable import BlekeepOutputs

/// Which readings share a request, and when it is due.
@Suite struct RequestQueueTests {
    private func lines(_ count: Int, bytes: Int = 9) -> [[UInt8]] {
        (0..<count).map { _ in [UInt8](repeating: UInt8(ascii: "x"), count: bytes) }
    }

    @Test func newReadingsWaitForOthers() {
        var queue = RequestQueue(age: .seconds(10))
        #expect(queue.due == nil)
        queue.add(lines(1), key: 1, isLive: true, at: .start + .seconds(5))
        queue.add(lines(1), key: 2, isLive: true, at: .start + .seconds(9))
        #expect(queue.due == .start + .seconds(15))
        #expect(queue.takeRequest().map(\.key) == [1, 2])
        #expect(queue.due == nil)
    }

    @Test func theBacklogDoesNotWaitAndComesLast() {
        var queue = RequestQueue(age: .seconds(10))
        queue.add(lines(2), key: 1, isLive: false, at: .start)
        queue.add(lines(1), key: 2, isLive: true, at: .start)
        #expect(queue.due == .start)
        #expect(queue.takeRequest().map(\.key) == [2, 1, 1])
    }

    @Test func aRequestHasAtMostSoManyLines() {
        var queue = RequestQueue(age: .seconds(10))
        queue.add(lines(RequestQueue.mostLines - 1), key: 1, isLive: true, at: .start)
        #expect(queue.due == .start + .seconds(10))
        queue.add(lines(2), key: 2, isLive: true, at: .start)
        #expect(queue.due == .start)
        #expect(queue.takeRequest().count == RequestQueue.mostLines)
        #expect(queue.takeRequest().count == 1)
    }

    @Test func aRequestHasAtMostSoManyBytes() {
        var queue = RequestQueue(age: .seconds(10))
        // With its line feed, each is a quarter.
        queue.add(lines(5, bytes: RequestQueue.mostBytes / 4 - 1), key: 1, isLive: true, at: .start)
        #expect(queue.due == .start)
        #expect(queue.takeRequest().count == 4)
        #expect(queue.due == .start + .seconds(10))
        #expect(queue.takeRequest().count == 1)
    }

    @Test func aLineThatIsTooLongGoesAlone() {
        var queue = RequestQueue(age: .seconds(10))
        queue.add(lines(2, bytes: RequestQueue.mostBytes), key: 1, isLive: false, at: .start)
        #expect(queue.takeRequest().count == 1)
        #expect(queue.takeRequest().count == 1)
        #expect(queue.takeRequest().isEmpty)
    }

    @Test func aKeyIsDoneWithItsLastLine() {
        var queue = RequestQueue(age: .seconds(10))
        queue.add(lines(3), key: 1, isLive: true, at: .start)
        queue.add(lines(1), key: 2, isLive: true, at: .start)
        let request = queue.takeRequest()
        #expect(queue.finish(request[..<2]).isEmpty)
        #expect(queue.finish(request[2...]) == [1, 2])
        #expect(queue.finish(request).isEmpty)
    }

    @Test func requestsShrinkToWhatTheServerTakes() {
        var queue = RequestQueue(age: .seconds(10))
        queue.shrink(below: 10_000)
        #expect(queue.mostBytes == 5000)
        queue.shrink(below: 1 << 20)
        #expect(queue.mostBytes == 5000)
        queue.shrink(below: 1)
        #expect(queue.mostBytes == RequestQueue.leastBytes)
    }

    // MARK: Bisection

    /// - Returns: the lines that are refused, and the number of requests.
    private func bisect(_ count: Int, bad: Set<Int>) -> (refused: [Int], requests: Int, hasAccepted: Bool) {
        var bisection = Bisection(count: count)
        var requests = 0
        while let part = bisection.next, !bisection.isHopeless {
            requests += 1
            if bad.isDisjoint(with: part) { bisection.accepted() } else { bisection.refused("no") }
        }
        return (bisection.refused, requests, bisection.hasAccepted)
    }

    @Test func findsTheLinesThatTheServerRefuses() {
        #expect(bisect(5000, bad: []) == ([], 1, true))
        #expect(bisect(5000, bad: [0, 4999]).refused == [0, 4999])
        #expect(bisect(5000, bad: [1234]).refused == [1234])
        #expect(bisect(5000, bad: [1234]).requests <= 2 * 13 + 1)
        #expect(bisect(1, bad: [0]) == ([0], 1, false))
        #expect(bisect(0, bad: []) == ([], 0, false))
    }

    @Test func givesUpWhereTheServerTakesNothing() {
        let all = bisect(5000, bad: Set(0..<5000))
        #expect(all.refused.count == Bisection.mostRefused)
        #expect(!all.hasAccepted)
        #expect(all.requests < 64)
    }
}
