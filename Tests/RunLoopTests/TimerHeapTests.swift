import Testing

@testable import RunLoop

/// The heap against a sorted list, with many random operations.
struct TimerHeapTests {
    @Test(arguments: 1...8)
    func behavesLikeASortedList(_ seed: UInt64) {
        var generator = SplitMix64(seed: seed)
        var heap = TimerHeap()
        let timers = (0..<40).map { _ in LoopTimer() }
        var model: [(deadline: Uptime, order: Int, timer: LoopTimer)] = []
        for order in 0..<2000 {
            let timer = timers[Int.random(in: 0..<timers.count, using: &generator)]
            switch Int.random(in: 0..<5, using: &generator) {
            case 0, 1, 2:
                let deadline = Uptime(nanoseconds: Int64.random(in: 0..<50, using: &generator))
                heap.insert(timer, at: deadline)
                model.removeAll { $0.timer === timer }
                model.append((deadline, order, timer))
            case 3:
                heap.remove(timer)
                model.removeAll { $0.timer === timer }
            default:
                let now = Uptime(nanoseconds: Int64.random(in: 0..<50, using: &generator))
                let expected = model.filter { $0.deadline <= now }.min {
                    ($0.deadline, $0.order) < ($1.deadline, $1.order)
                }
                #expect(heap.popDue(at: now) === expected?.timer)
                model.removeAll { $0.timer === expected?.timer }
            }
            #expect(heap.earliest == model.map(\.deadline).min())
            #expect(timers.allSatisfy { timer in timer.isArmed == model.contains { $0.timer === timer } })
        }
    }

    @Test func keepsArmedTimersOnly() {
        var heap = TimerHeap()
        weak var fired: LoopTimer?
        weak var removed: LoopTimer?
        do {
            let (first, second) = (LoopTimer(), LoopTimer())
            (fired, removed) = (first, second)
            heap.insert(first, at: Uptime(nanoseconds: 1))
            heap.insert(second, at: Uptime(nanoseconds: 2))
        }
        #expect(fired?.isArmed == true && removed?.isArmed == true)
        if let timer = removed { heap.remove(timer) }
        #expect(removed == nil)
        _ = heap.popDue(at: Uptime(nanoseconds: 1))
        #expect(fired == nil)
        #expect(heap.earliest == nil)
    }

    /// A loop that is abandoned takes a new heap, while its timers know the old one.
    @Test func ignoresTimersOfAnotherHeap() {
        var (gone, heap) = (TimerHeap(), TimerHeap())
        let (old, new) = (LoopTimer(), LoopTimer())
        gone.insert(old, at: Uptime(nanoseconds: 1))
        heap.remove(old)
        heap.insert(new, at: Uptime(nanoseconds: 2))
        heap.remove(old)
        #expect(heap.earliest == Uptime(nanoseconds: 2))
        heap.insert(old, at: Uptime(nanoseconds: 3))
        #expect(heap.popDue(at: .never) === new)
        #expect(heap.popDue(at: .never) === old)
    }

    @Test func momentsDoNotOverflow() {
        #expect(Uptime.never + .seconds(1) == .never)
        #expect(Uptime.start + .seconds(Int64.max) == .never)
        #expect(Uptime(nanoseconds: 5) - Uptime(nanoseconds: 2) == .nanoseconds(3))
        #expect(Uptime(nanoseconds: 2) - Uptime(nanoseconds: 5) == .nanoseconds(-3))
    }
}
