/// Something that is due at a moment. Lives on the run loop; a cancelled or fired timer may be armed again.
open class LoopTimer {
    package final fileprivate(set) var deadline: Uptime = .never
    /// Where the heap keeps it; negative while it is not armed.
    fileprivate final var slot = -1

    public init() {}

    package final var isArmed: Bool { slot >= 0 }

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
    /// When it is due, which it was to be armed, and where its timer is kept: numbers, so that to move it touches none.
    private struct Entry {
        let deadline: Uptime
        let order: UInt64
        let slot: Int

        func precedes(_ other: Entry) -> Bool {
            deadline == other.deadline ? order < other.order : deadline < other.deadline
        }
    }

    private var entries: [Entry] = []
    /// Each armed timer stays in its slot, wherever its entry goes.
    private var timers: [LoopTimer?] = []
    /// Where the entry of each slot stands.
    private var places: [Int] = []
    private var freeSlots: [Int] = []
    private var armed: UInt64 = 0

    var earliest: Uptime? { entries.first?.deadline }

    mutating func insert(_ timer: LoopTimer, at deadline: Uptime) {
        armed += 1
        timer.deadline = deadline
        if holds(timer) {
            sift(Entry(deadline: deadline, order: armed, slot: timer.slot), from: places[timer.slot])
        } else {
            let slot = keep(timer)
            let entry = Entry(deadline: deadline, order: armed, slot: slot)
            entries.append(entry)
            siftUp(entry, from: entries.count - 1)
        }
    }

    mutating func remove(_ timer: LoopTimer) {
        if holds(timer) { _ = take(timer.slot) }
    }

    /// Takes the earliest timer that is due.
    mutating func popDue(at now: Uptime) -> LoopTimer? {
        guard let first = entries.first, first.deadline <= now else { return nil }
        return take(first.slot)
    }

    // MARK: Slots

    /// A timer may still name a slot of a heap that is gone.
    private func holds(_ timer: LoopTimer) -> Bool {
        timers.indices.contains(timer.slot) && timers[timer.slot] === timer
    }

    private mutating func keep(_ timer: LoopTimer) -> Int {
        if let slot = freeSlots.popLast() {
            timers[slot] = timer
            timer.slot = slot
        } else {
            timer.slot = timers.count
            timers.append(timer)
            places.append(0)
        }
        return timer.slot
    }

    /// Takes out the entry of a slot, and frees the slot.
    private mutating func take(_ slot: Int) -> LoopTimer? {
        let hole = places[slot]
        let last = entries.removeLast()
        if last.slot != slot { sift(last, from: hole) }
        freeSlots.append(slot)
        let timer = timers[slot].take()
        timer?.slot = -1
        return timer
    }

    // MARK: Order

    /// Finds the place of an entry, from a free one.
    private mutating func sift(_ entry: Entry, from hole: Int) {
        if hole > 0, entry.precedes(entries[(hole - 1) / 2]) {
            siftUp(entry, from: hole)
        } else {
            siftDown(entry, from: hole)
        }
    }

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
        places[entry.slot] = place
    }
}
