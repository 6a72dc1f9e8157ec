import RunLoop
import Testing

@testable import BlekeepOutputs

/// Which readings share a request, and when it is due.
@Suite struct RequestQueueTests {
    private func lines(_ count: Int, bytes: Int = 9) -> [[UInt8]] {
        (0..<count).map { _ in [UInt8](repeating: UInt8(ascii: "x"), count: bytes) }
    }

    private func take(_ queue: inout BatchQueue) -> [BatchQueue.Line] { queue.nextRequest(at: .start).lines }

    @Test func newReadingsWaitForOthers() {
        var queue = BatchQueue(age: .seconds(10))
        #expect(queue.due == nil)
        queue.add(lines(1), key: 1, isLive: true, at: .start + .seconds(5))
        queue.add(lines(1), key: 2, isLive: true, at: .start + .seconds(9))
        #expect(queue.due == .start + .seconds(15))
        #expect(take(&queue).map(\.key) == [1, 2])
        #expect(queue.due == nil)
    }

    /// A server that refuses the backlog still gets what is new.
    @Test func newReadingsAndTheBacklogHaveRequestsOfTheirOwn() {
        var queue = BatchQueue(age: .seconds(10))
        queue.add(lines(2), key: 1, isLive: false, at: .start)
        queue.add(lines(1), key: 2, isLive: true, at: .start)
        #expect(queue.due == .start)
        #expect(take(&queue).map(\.key) == [1, 1])
        queue.add(lines(2), key: 3, isLive: false, at: .start)
        let request = queue.nextRequest(at: .start + .seconds(10))
        #expect(request.isLive && request.lines.map(\.key) == [2])
        #expect(take(&queue).map(\.key) == [3, 3])
    }

    @Test func aRequestHasAtMostSoManyLines() {
        var queue = BatchQueue(age: .seconds(10))
        queue.add(lines(BatchQueue.maxLines - 1), key: 1, isLive: true, at: .start)
        #expect(queue.due == .start + .seconds(10))
        queue.add(lines(2), key: 2, isLive: true, at: .start)
        #expect(queue.due == .start)
        #expect(take(&queue).count == BatchQueue.maxLines)
        #expect(take(&queue).count == 1)
    }

    @Test func aRequestHasAtMostSoManyBytes() {
        var queue = BatchQueue(age: .seconds(10))
        // With its line feed, each is a quarter.
        queue.add(lines(5, bytes: BatchQueue.maxBytes / 4 - 1), key: 1, isLive: true, at: .start)
        #expect(queue.due == .start)
        #expect(take(&queue).count == 4)
        #expect(queue.due == .start + .seconds(10))
        #expect(take(&queue).count == 1)
    }

    @Test func aLineThatIsTooLongGoesAlone() {
        var queue = BatchQueue(age: .seconds(10))
        queue.add(lines(2, bytes: BatchQueue.maxBytes), key: 1, isLive: false, at: .start)
        #expect(take(&queue).count == 1)
        #expect(take(&queue).count == 1)
        #expect(take(&queue).isEmpty)
    }

    @Test func aKeyIsDoneWithItsLastLine() {
        var queue = BatchQueue(age: .seconds(10))
        queue.add(lines(3), key: 1, isLive: true, at: .start)
        queue.add(lines(1), key: 2, isLive: true, at: .start)
        let request = take(&queue)
        #expect(queue.finish(request[..<2]).isEmpty)
        #expect(queue.finish(request[2...]) == [1, 2])
        #expect(queue.finish(request).isEmpty)
    }

    @Test func requestsShrinkToWhatTheServerTakes() {
        var queue = BatchQueue(age: .seconds(10))
        queue.shrink(below: 10_000)
        #expect(queue.maxBytes == 5000)
        queue.shrink(below: 1 << 20)
        #expect(queue.maxBytes == 5000)
        queue.shrink(below: 1)
        #expect(queue.maxBytes == BatchQueue.leastBytes)
    }

    // MARK: Bisection

    private func bisect(_ count: Int, bad: Set<Int>) -> (refused: Int, requests: Int, hasAccepted: Bool) {
        var bisection = Bisection(count: count)
        var (requests, isRefused) = (0, [Bool](repeating: true, count: count))
        while let part = bisection.next {
            requests += 1
            if bad.isDisjoint(with: part) {
                for line in part { isRefused[line] = false }
                bisection.accepted()
            } else {
                bisection.refused("no")
            }
        }
        #expect(bisection.refused == isRefused.count { $0 })
        return (bisection.refused, requests, bisection.hasAccepted)
    }

    @Test func findsTheLinesThatTheServerRefuses() {
        #expect(bisect(5000, bad: []) == (0, 1, true))
        #expect(bisect(5000, bad: [0, 4999]).refused == 2)
        #expect(bisect(5000, bad: [1234]).refused == 1)
        #expect(bisect(5000, bad: [1234]).requests <= 80)
        #expect(bisect(1, bad: [0]) == (1, 1, false))
        #expect(bisect(0, bad: []) == (0, 0, false))
    }

    @Test func fewRequestsShowThatTheServerTakesNothing() {
        #expect(bisect(5000, bad: Set(0..<5000)) == (5000, 17, false))
        #expect(bisect(32, bad: Set(0..<32)).requests < 64)
    }

    /// As with a retention policy that ends in the middle.
    @Test func theGoodHalfArrives() {
        let half = bisect(5000, bad: Set(0..<2400))
        #expect(half.refused == 2400 && half.requests < 600)
    }

    @Test func theReadingsOfOneOfTwoDevicesArrive() {
        #expect(bisect(640, bad: Set((0..<320).map { $0 * 2 + 1 })).refused == 320)
        #expect(bisect(640, bad: Set((0..<320).map { $0 * 2 })).refused == 320)
    }
}
