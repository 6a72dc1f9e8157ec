import Testing

@testable import RunLoop

struct OutputQueueTests {
    private func waiting(_ queue: OutputQueue) -> String {
        queue.withWaiting { String(decoding: $0, as: UTF8.self) }
    }

    /// Adds lines, and drops those that there is no room for.
    private func add(_ text: String, to queue: inout OutputQueue) -> Int {
        queue.drop(queue.add(Array(text.utf8)[...]))
    }

    @Test func keepsEverythingWithoutALimit() {
        var queue = OutputQueue(limit: nil)
        for _ in 0..<1000 { #expect(add("a line\n", to: &queue) == 0) }
        #expect(queue.count == 7000)
        #expect(queue.missed == nil)
    }

    @Test func dropsWholeLinesThatExceedTheLimit() {
        var queue = OutputQueue(limit: 10)
        #expect(add("one\ntwo\nthree\n4\n", to: &queue) == 2)
        #expect(waiting(queue) == "one\ntwo\n")
        #expect(queue.missed == 2)
    }

    @Test func dropsEveryLineUntilTheReaderHasReadAll() {
        var queue = OutputQueue(limit: 10)
        #expect(add("one\ntwo\nthree\n", to: &queue) == 1)
        queue.remove(first: 6)
        // There is room for it, but it would leave a second gap.
        #expect(add("4\n", to: &queue) == 1)
        #expect(queue.resume() == nil)
        queue.remove(first: 2)
        #expect(queue.resume() == 2)
        #expect(queue.resume() == nil)
        #expect(add("5\n", to: &queue) == 0)
        #expect(waiting(queue) == "5\n")
    }

    @Test func finishesALineThatIsPartlyWritten() {
        var queue = OutputQueue(limit: 10)
        _ = add("12345678\n", to: &queue)
        queue.remove(first: 4)
        #expect(add("9 does not fit\n", to: &queue) == 1)
        #expect(waiting(queue) == "5678\n")
    }

    @Test func dropsALineThatIsLongerThanTheLimitAndGoesOn() {
        var queue = OutputQueue(limit: 4)
        #expect(add("12345678\n", to: &queue) == 1)
        #expect(queue.resume() == 1)
        #expect(add("1\n", to: &queue) == 0)
    }

    @Test func removesWhatIsReadInAnyPortions() {
        var queue = OutputQueue(limit: nil)
        var read = ""
        var text = ""
        for number in 0..<200 {
            text += "line \(number)\n"
            _ = add("line \(number)\n", to: &queue)
            let count = min(number % 13, queue.count)
            read += waiting(queue).prefix(count)
            queue.remove(first: count)
        }
        #expect(read + waiting(queue) == text)
    }
}
