/// Readings that the store hasn't taken yet, in groups that share the machine's clock: while the clock is set, readings
/// from before and after must not share a commit.
struct WaitingReadings: Sendable {
    struct Group: Sendable {
        /// When the last of them came; `nil` where nobody tells.
        var clocks: ClockReading?
        var readings: [Reading]
    }

    /// The oldest first; none is empty.
    private(set) var groups: [Group] = []
    private(set) var count = 0
    /// How many of them, from the first on, the sinks have shown without a sequence number.
    private(set) var shown = 0

    var isEmpty: Bool { count == 0 }

    /// Whether readings that come by these clocks must not share a commit with those that wait.
    func isOtherEpoch(_ clocks: ClockReading?) -> Bool {
        guard let last = groups.last, let clocks, let before = last.clocks else { return false }
        return !clocks.isOfEpoch(before)
    }

    mutating func add(_ readings: [Reading], at clocks: ClockReading?) {
        guard !readings.isEmpty else { return }
        count += readings.count
        if groups.isEmpty || isOtherEpoch(clocks) {
            groups.append(Group(clocks: clocks, readings: readings))
        } else {
            groups[groups.count - 1].readings += readings
            groups[groups.count - 1].clocks = clocks
        }
    }

    /// Drops the oldest.
    mutating func drop(_ excess: Int) {
        var left = excess
        while left > 0, let first = groups.first {
            let size = min(left, first.readings.count)
            groups[0].readings.removeFirst(size)
            if groups[0].readings.isEmpty { groups.removeFirst() }
            left -= size
            count -= size
            shown = max(0, shown - size)
        }
    }

    /// Returns what the sinks haven't shown, which they do now.
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

    /// Removes the first group, as the store has taken it.
    ///
    /// - Returns: how many of its readings, from the first on, the sinks have shown.
    mutating func removeFirst() -> Int {
        guard let first = groups.first else { return 0 }
        groups.removeFirst()
        let known = min(shown, first.readings.count)
        count -= first.readings.count
        shown -= known
        return known
    }
}

extension ClockReading {
    /// Whether nobody has set the clock between this and another time.
    func isOfEpoch(_ other: ClockReading) -> Bool {
        isSynchronized == other.isSynchronized && isUnmoved(since: other)
    }
}
