/// Which times of a device the history knows, and so which ones to ask the device's own memory for. Pure; all times are
/// milliseconds since 1970.
///
/// What is stored is only what can't be seen in rows: that the device was asked for a time, and had nothing. All else follows
/// from the times of the values, so that a download which was cut, or killed, leaves its hole.
package struct LogCoverage: Sendable, Hashable {
    /// The time between two records of the device.
    package let every: Int64
    /// The times of values, live and logged, in order.
    private let known: [Int64]
    /// The times that a whole download was about, in order, and apart.
    private let asked: [ClosedRange<Int64>]

    package init(every: Duration, known: [Int64], asked: [ClosedRange<Int64>]) {
        self.every = max(1000, every.wholeMilliseconds)
        self.known = known.sorted()
        self.asked = Self.merged(asked)
    }

    /// Returns the times without values, the oldest first.
    ///
    /// - Parameter gap: the shortest time between two values that is a hole; `nil` for what a lost record leaves.
    package func holes(in time: ClosedRange<Int64>, gap: Int64? = nil) -> [ClosedRange<Int64>] {
        let gap = max(gap ?? 0, every + every / 2)
        var holes: [ClosedRange<Int64>] = []
        // `nil`: the time begins or ends there, and no value.
        func add(from first: Int64?, to last: Int64?) {
            let (start, end) = (first ?? time.lowerBound, last ?? time.upperBound)
            guard end - start > gap else { return }
            let hole =
                max(
                    time.lowerBound, first.map { $0 + every / 2 } ?? start)...min(
                    time.upperBound, last.map { $0 - every / 2 } ?? end)
            holes += Self.parts(of: hole, without: asked).filter { $0.upperBound - $0.lowerBound >= every }
        }
        var last: Int64?
        for moment in known where moment >= time.lowerBound - every && moment <= time.upperBound + every {
            add(from: last, to: moment)
            last = moment
        }
        add(from: last, to: nil)
        return holes
    }

    /// Returns when the request must begin that fills a hole.
    ///
    /// - Parameter overlap: how many earlier records it asks for again.
    package static func since(_ hole: ClosedRange<Int64>, overlap: Int, every: Duration) -> Int64 {
        max(0, hole.lowerBound - every.wholeMilliseconds * Int64(overlap))
    }

    // MARK: Ranges

    /// Returns ranges in order; those that touch are one.
    package static func merged(_ ranges: [ClosedRange<Int64>]) -> [ClosedRange<Int64>] {
        var merged: [ClosedRange<Int64>] = []
        for range in ranges.sorted(by: { $0.lowerBound < $1.lowerBound }) {
            if let last = merged.last, range.lowerBound <= last.upperBound + 1 {
                merged[merged.count - 1] = last.lowerBound...max(last.upperBound, range.upperBound)
            } else {
                merged.append(range)
            }
        }
        return merged
    }

    /// Returns what is left of a range.
    package static func parts(
        of range: ClosedRange<Int64>, without others: [ClosedRange<Int64>]
    ) -> [ClosedRange<Int64>] {
        var parts: [ClosedRange<Int64>] = []
        var start = range.lowerBound
        for other in merged(others) where other.upperBound >= start && other.lowerBound <= range.upperBound {
            if other.lowerBound > start { parts.append(start...other.lowerBound - 1) }
            start = max(start, other.upperBound + 1)
        }
        if start <= range.upperBound { parts.append(start...range.upperBound) }
        return parts
    }

    /// Returns what a download answered of its request, so that it needn't be asked for again: nothing if it was cut, and all but
    /// the records that lack a value.
    package static func answered(
        _ request: ClosedRange<Int64>, isComplete: Bool, incomplete: [Int64], every: Duration
    ) -> [ClosedRange<Int64>] {
        guard isComplete else { return [] }
        let half = every.wholeMilliseconds / 2
        return parts(of: request, without: incomplete.map { $0 - half...$0 + half })
    }
}

/// The logged values of one series, which takes each record of the device once. Pure.
///
/// A device counts its records by its own clock: from one download to the next, the same record is some seconds earlier or later,
/// and two records are a little more than the interval apart. So a record is known by its neighbours: it is one that is there if
/// that is less than half an interval away, and else has the slot that its distance from the one before it says.
package struct LoggedSeries: Sendable {
    package struct Row: Sendable, Hashable {
        /// Milliseconds since 1970, by the first download that had the record.
        package var time: Int64
        /// The number of the device's start, and that of the record since then; the two identify it.
        package var boot, slot: Int64
        package var value: MeasuredValue?

        package init(time: Int64, boot: Int64, slot: Int64, value: MeasuredValue?) {
            self.time = time
            self.boot = boot
            self.slot = slot
            self.value = value
        }
    }

    package enum Fate: Sendable, Hashable {
        case new(Row)
        /// A value came while blekeep listened.
        case live
        case known(isSame: Bool)
        /// More records than intervals.
        case crowded
    }

    /// In the order of their times.
    package private(set) var rows: [Row]
    private let live: [Int64]
    private let every: Int64
    package var boot: Int64

    /// - Parameter live: the times of the series' live values.
    package init(_ rows: [Row], live: [Int64], every: Duration) {
        self.rows = rows.sorted { $0.time < $1.time }
        self.live = live.sorted()
        self.every = max(1000, every.wholeMilliseconds)
        boot = rows.map(\.boot).max() ?? 1
    }

    /// Whether the device lost what it had: a whole download has none of the records that an earlier one had.
    ///
    /// - Parameters:
    ///   - times: those of the download's records.
    ///   - request: the time that it was about.
    package func isReset(by times: [Int64], in request: ClosedRange<Int64>) -> Bool {
        let times = times.sorted()
        let expected = rows.filter { row in
            row.boot == boot && row.time >= request.lowerBound + every && row.time <= request.upperBound
        }
        return !times.isEmpty && !expected.isEmpty
            && !expected.contains { row in Self.isNear(row.time, in: times, by: every / 2) }
    }

    /// By how much the times of a download's records must be moved, so that those that are known have their times; and how many
    /// values agree then.
    ///
    /// A device that counts its records back from now, by its own clock, has them up to an interval earlier or later from one download
    /// to the next. The phase is that of the first download, and which record is which, their values say.
    package func shift(of records: [(time: Int64, value: MeasuredValue?)]) -> (shift: Int64, agreeing: Int) {
        func near(_ time: Int64, by distance: Int64) -> Row? {
            let place = rows.partitioningIndex { $0.time >= time - distance }
            let next = rows[place...].prefix { $0.time <= time + distance }.filter { $0.boot == boot }
            return next.min { abs($0.time - time) < abs($1.time - time) }
        }
        let offsets = records.compactMap { record in
            near(record.time, by: every / 2).map { $0.time - record.time }
        }.sorted()
        // A record of a new start may be near an old one by chance.
        guard offsets.count > 1 else { return (0, 0) }
        func agreeing(_ shift: Int64) -> Int {
            records.count { record in near(record.time + shift, by: every / 4).map { $0.value == record.value } ?? false
            }
        }
        let phase = offsets[offsets.count / 2]
        let count = agreeing(phase)
        let others = [phase - every, phase + every].map { (shift: $0, agreeing: agreeing($0)) }
        if let best = others.max(by: { $0.agreeing < $1.agreeing }), best.agreeing > max(2, 2 * count) { return best }
        return 2 * count >= offsets.count ? (phase, count) : (0, 0)
    }

    /// Takes the record of a time.
    package mutating func add(_ value: MeasuredValue?, at time: Int64) -> Fate {
        let place = rows.partitioningIndex { $0.time > time }
        let neighbors = [place - 1, place].filter { rows.indices.contains($0) }
        func distance(of index: Int) -> Int64 { abs(rows[index].time - time) }
        if let near = neighbors.min(by: { distance(of: $0) < distance(of: $1) }), distance(of: near) <= every / 2 {
            return .known(isSame: rows[near].value == value)
        }
        if Self.isNear(time, in: live, by: every / 2) { return .live }
        guard let slot = slot(at: place, time: time) else { return .crowded }
        let row = Row(time: time, boot: boot, slot: slot, value: value)
        rows.insert(row, at: place)
        return .new(row)
    }

    private static func isNear(_ time: Int64, in times: [Int64], by distance: Int64) -> Bool {
        let place = times.partitioningIndex { $0 >= time - distance }
        return times.indices.contains(place) && times[place] <= time + distance
    }

    /// The slot of a new record in front of an index; `nil` when none is left there.
    private func slot(at place: Int, time: Int64) -> Int64? {
        func steps(_ distance: Int64) -> Int64 { max(1, (distance + every / 2) / every) }
        let before = rows[..<place].last { $0.boot == boot }
        let after = rows[place...].first { $0.boot == boot }
        switch (before, after) {
        case (nil, nil): return time.quotient(roundedDownBy: every)
        case (nil, let after?): return after.slot - steps(after.time - time)
        case (let before?, nil): return before.slot + steps(time - before.time)
        case (let before?, let after?):
            let slot = min(before.slot + steps(time - before.time), after.slot - 1)
            return slot > before.slot ? slot : nil
        }
    }
}

extension RandomAccessCollection where Index == Int {
    /// Returns the first index whose element fulfills a condition that all later ones fulfill, too.
    fileprivate func partitioningIndex(_ isLater: (Element) -> Bool) -> Int {
        var (first, last) = (startIndex, endIndex)
        while first < last {
            let middle = first + (last - first) / 2
            if isLater(self[middle]) { last = middle } else { first = middle + 1 }
        }
        return first
    }
}
