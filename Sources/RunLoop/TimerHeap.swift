/// A timer of the run loop. A cancelled or fired timer may be armed again.
open class LoopTimer {
    package final fileprivate(set) var deadline: Uptime = .never
    /// The order in which timers were armed.
    fileprivate final var order: UInt64 = 0
    /// The index in the heap; negative while it isn't armed.
    fileprivate final var slot = -1

    public init() {}

    package final var isArmed: Bool { slot >= 0 }

    /// Called once at the deadline, on the run loop.
    open func fire() {}
}

/// A timer that runs a closure. It may fire when its owner is gone, so the closure holds the owner weakly.
package final class ClosureTimer: LoopTimer {
    private let action: () -> Void

    package init(_ action: @escaping () -> Void) { self.action = action }

    public override func fire() { action() }
}

/// Armed timers, the earliest first. Timers with the same deadline fire in the order in which they were armed.
struct TimerHeap {
    /// The heap. Each timer stores its index.
    private var timers: [LoopTimer] = []
    private var armed: UInt64 = 0

    var earliest: Uptime? { timers.first?.deadline }

    mutating func insert(_ timer: LoopTimer, at deadline: Uptime) {
        remove(timer)
        armed += 1
        timer.deadline = deadline
        timer.order = armed
        timers.append(timer)
        siftUp(timer, from: timers.count - 1)
    }

    mutating func remove(_ timer: LoopTimer) {
        guard holds(timer) else { return }
        let hole = timer.slot
        let last = timers.removeLast()
        timer.slot = -1
        guard last !== timer else { return }
        if hole > 0, Self.precedes(last, timers[(hole - 1) / 2]) {
            siftUp(last, from: hole)
        } else {
            siftDown(last, from: hole)
        }
    }

    /// Removes and returns the earliest due timer.
    mutating func popDue(at now: Uptime) -> LoopTimer? {
        guard let first = timers.first, first.deadline <= now else { return nil }
        remove(first)
        return first
    }

    /// Returns whether the timer is in this heap. Its index may belong to an earlier one.
    private func holds(_ timer: LoopTimer) -> Bool {
        timers.indices.contains(timer.slot) && timers[timer.slot] === timer
    }

    // MARK: Order

    private static func precedes(_ one: LoopTimer, _ other: LoopTimer) -> Bool {
        (one.deadline, one.order) < (other.deadline, other.order)
    }

    private mutating func siftUp(_ timer: LoopTimer, from start: Int) {
        var place = start
        while place > 0, Self.precedes(timer, timers[(place - 1) / 2]) {
            put(timers[(place - 1) / 2], at: place)
            place = (place - 1) / 2
        }
        put(timer, at: place)
    }

    private mutating func siftDown(_ timer: LoopTimer, from start: Int) {
        var place = start
        while 2 * place + 1 < timers.count {
            var child = 2 * place + 1
            if child + 1 < timers.count, Self.precedes(timers[child + 1], timers[child]) { child += 1 }
            guard Self.precedes(timers[child], timer) else { break }
            put(timers[child], at: place)
            place = child
        }
        put(timer, at: place)
    }

    private mutating func put(_ timer: LoopTimer, at place: Int) {
        timers[place] = timer
        timer.slot = place
    }
}
