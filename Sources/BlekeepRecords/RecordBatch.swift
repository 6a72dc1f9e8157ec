/// What one commit writes.
struct RecordBatch: Sendable {
    var readings: WaitingReadings.Group
    var heartbeat: Heartbeat?
    var changes = LedgerChanges()
    /// Whether the ledger had changed.
    var hasNews = false
    /// Whether the commit must survive a power cut.
    var isDurable = false

    /// Whether there is nothing but a heartbeat.
    var isEmpty: Bool { readings.readings.isEmpty && !hasNews }

    /// Writes the batch; without the changes if the store has no ledger. Returns the readings with their numbers.
    func write(to store: any Store) throws -> [StoredReading] {
        guard let ledger = store as? any Ledger else {
            return try heartbeat.map { try store.append(readings.readings, $0, durable: isDurable) }
                ?? store.append(readings.readings, durable: isDurable)
        }
        var changes = changes
        changes.clocks = readings.clocks
        return try ledger.append(readings.readings, heartbeat, changes, durable: isDurable)
    }
}

/// Readings that wait for the store, in groups. Readings from before and after a change of the machine's clock must not
/// share a commit, so they are in different groups.
struct WaitingReadings: Sendable {
    struct Group: Sendable {
        /// The clocks when the last reading came; `nil` when unknown.
        var clocks: ClockReading?
        var readings: [Reading]
    }

    /// The groups, the oldest first, without empty groups.
    private(set) var groups: [Group] = []
    private(set) var count = 0
    /// How many readings, counted from the first, the sinks have shown without a sequence number.
    private(set) var shown = 0
    /// Whether the first group is being written.
    private var isWriting = false

    var isEmpty: Bool { count == 0 }

    /// Whether readings with these clocks need another commit than those that wait.
    func isOtherEpoch(_ clocks: ClockReading?) -> Bool {
        guard let last = groups.last, let clocks, let before = last.clocks else { return false }
        return !clocks.isOfEpoch(before)
    }

    /// - Parameter clocks: when the readings came; `nil` when unknown. Readings by a clock that isn't set are marked.
    mutating func add(_ readings: [Reading], at clocks: ClockReading?) {
        guard !readings.isEmpty else { return }
        var readings = readings
        if clocks?.isSynchronized == false {
            for index in readings.indices { readings[index].isClockSet = false }
        }
        count += readings.count
        if groups.isEmpty || isOtherEpoch(clocks) || isWriting && groups.count == 1 {
            groups.append(Group(clocks: clocks, readings: readings))
        } else {
            groups[groups.count - 1].readings += readings
            groups[groups.count - 1].clocks = clocks
        }
    }

    /// Drops the oldest readings, except those that are being written.
    mutating func drop(_ excess: Int) {
        let place = isWriting ? 1 : 0
        let kept = isWriting ? groups[0].readings.count : 0
        var left = excess
        while left > 0, place < groups.count {
            let size = min(left, groups[place].readings.count)
            groups[place].readings.removeFirst(size)
            if groups[place].readings.isEmpty { groups.remove(at: place) }
            left -= size
            count -= size
            shown = min(shown, max(kept, shown - size))
        }
    }

    /// Lets the first group as it is, because it is being written, until `endWriting` or `removeFirst`.
    mutating func beginWriting() { isWriting = !groups.isEmpty }

    mutating func endWriting() { isWriting = false }

    /// Returns the readings that the sinks haven't shown yet, and marks them as shown.
    mutating func show() -> [LiveReading] {
        var skipped = shown
        var new: [LiveReading] = []
        for group in groups {
            let size = min(skipped, group.readings.count)
            skipped -= size
            new += group.readings.dropFirst(size).map { LiveReading(sequence: nil, reading: $0) }
        }
        shown = count
        return new
    }

    /// Removes the first group, because the store holds it.
    /// Returns the number of its first readings that the sinks have shown.
    mutating func removeFirst() -> Int {
        guard isWriting else { return 0 }
        isWriting = false
        guard let first = groups.first else { return 0 }
        groups.removeFirst()
        let known = min(shown, first.readings.count)
        count -= first.readings.count
        shown -= known
        return known
    }
}

extension ClockReading {
    /// Whether the clock wasn't set between these two times.
    func isOfEpoch(_ other: ClockReading) -> Bool { isSynchronized == other.isSynchronized && isUnmoved(since: other) }
}
