/// Something that is due at a moment. Lives on the run loop; a cancelled or fired timer may be armed again.
open class LoopTimer {
    @exclusivity(unchecked) package final fileprivate(set) var deadline: Uptime = .never
    @exclusivity(unchecked) fileprivate final var position = -1

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
    /// When it is due, and which it was to be armed: beside the timer, so that to compare two is to look at neither.
    private struct Entry {
        let deadline: Uptime
        let order: UInt64
        let timer: LoopTimer

        func precedes(_ other: Entry) -> Bool {
            deadline == other.deadline ? order < other.order : deadline < other.deadline
        }
    }

    private var entries: [Entry] = []
    private var armed: UInt64 = 0

    var earliest: Uptime? { entries.first?.deadline }

    mutating func insert(_ timer: LoopTimer, at deadline: Uptime) {
        remove(timer)
        armed += 1
        timer.deadline = deadline
        let entry = Entry(deadline: deadline, order: armed, timer: timer)
        entries.append(entry)
        siftUp(entry, from: entries.count - 1)
    }

    mutating func remove(_ timer: LoopTimer) {
        let hole = timer.position
        guard hole >= 0, hole < entries.count, entries[hole].timer === timer else { return }
        timer.position = -1
        let last = entries.removeLast()
        guard last.timer !== timer else { return }
        if hole > 0, last.precedes(entries[(hole - 1) / 2]) {
            siftUp(last, from: hole)
        } else {
            siftDown(last, from: hole)
        }
    }

    /// Takes the earliest timer that is due.
    mutating func popDue(at now: Uptime) -> LoopTimer? {
        guard let first = entries.first, first.deadline <= now else { return nil }
        remove(first.timer)
        return first.timer
    }

    /// Finds the place of an entry, from a free one upwards.
    private mutating func siftUp(_ entry: Entry, from start: Int) {
        var place = start
        while place > 0 {
            let parent = (place - 1) / 2
            guard entry.precedes(entries[parent]) else { break }
            put(entries[parent], at: place)
            place = parent
        }
        put(entry, at: place)
    }

    /// Finds the place of an entry, from a free one downwards.
    private mutating func siftDown(_ entry: Entry, from start: Int) {
        var place = start
        while true {
            var child = 2 * place + 1
            guard child < entries.count else { break }
            if child + 1 < entries.count, entries[child + 1].precedes(entries[child]) { child += 1 }
            guard entries[child].precedes(entry) else { break }
            put(entries[child], at: place)
            place = child
        }
        put(entry, at: place)
    }

    private mutating func put(_ entry: Entry, at place: Int) {
        entries[place] = entry
        entry.timer.position = place
    }
}
