import Testing

@testable import BlekeepSimulation
@testable import RunLoop

/// The heap against a sorted list, with many random operations.
struct TimerHeapTests {
    @Test(arguments: 1...20)
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

    @Test func momentsDoNotOverflow() {
        #expect(Uptime.never + .seconds(1) == .never)
        #expect(Uptime.start + .seconds(Int64.max) == .never)
        #expect(Uptime(nanoseconds: 5) - Uptime(nanoseconds: 2) == .nanoseconds(3))
        #expect(Uptime(nanoseconds: 2) - Uptime(nanoseconds: 5) == .nanoseconds(-3))
    }
}
