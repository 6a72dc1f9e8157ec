/// Something that is due at a moment. Lives on the run loop; a cancelled or fired timer may be armed again.
open class LoopTimer {
    @exclusivity(unchecked) package final fileprivate(set) var deadline: Uptime = .never
    @exclusivity(unchecked) fileprivate final var position = -1
    @exclusivity(unchecked) fileprivate final var order: UInt64 = 0

    public init() {}

    package final var isArmed: Bool { position >= 0 }

    /// Called once, on the run loop, when the moment has come.
    open func fire() {}
}

/// A timer that runs a closure.
package final class ClosureTimer: LoopTimer {
    private let action: () -> Void

    package init(_ action: @escaping () -> Void) {
        self.action = action
    }

    public override func fire() { action() }
}

/// Armed timers, the earliest first; those of one moment in the order in which they were armed.
struct TimerHeap {
    private var timers: [LoopTimer] = []
    private var armed: UInt64 = 0

    var earliest: Uptime? { timers.first?.deadline }

    mutating func insert(_ timer: LoopTimer, at deadline: Uptime) {
        remove(timer)
        armed += 1
        timer.deadline = deadline
        timer.order = armed
        timer.position = timers.count
        timers.append(timer)
        siftUp(timer.position)
    }

    mutating func remove(_ timer: LoopTimer) {
        let hole = timer.position
        guard hole >= 0, hole < timers.count, timers[hole] === timer else { return }
        timer.position = -1
        let last = timers.removeLast()
        guard last !== timer else { return }
        timers[hole] = last
        last.position = hole
        siftUp(hole)
        siftDown(last.position)
    }

    /// Takes the earliest timer that is due.
    mutating func popDue(at now: Uptime) -> LoopTimer? {
        guard let first = timers.first, first.deadline <= now else { return nil }
        remove(first)
        return first
    }

    private mutating func siftUp(_ start: Int) {
        var index = start
        while index > 0 {
            let parent = (index - 1) / 2
            guard precedes(index, parent) else { return }
            exchange(index, parent)
            index = parent
        }
    }

    private mutating func siftDown(_ start: Int) {
        var index = start
        while true {
            var least = index
            for child in [2 * index + 1, 2 * index + 2] where child < timers.count && precedes(child, least) {
                least = child
            }
            guard least != index else { return }
            exchange(index, least)
            index = least
        }
    }

    private func precedes(_ left: Int, _ right: Int) -> Bool {
        let (a, b) = (timers[left], timers[right])
        return a.deadline == b.deadline ? a.order < b.order : a.deadline < b.deadline
    }

    private mutating func exchange(_ left: Int, _ right: Int) {
        timers.swapAt(left, right)
        timers[left].position = left
        timers[right].position = right
    }
}
