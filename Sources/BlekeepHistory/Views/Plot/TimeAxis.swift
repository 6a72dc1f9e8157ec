import BlekeepRecords

/// A horizontal axis with ticks at round local times.
package struct TimeAxis {
    package struct Tick: Sendable, Hashable {
        package var time: Int64
        /// `18:30`, at midnight `11-22`; for longer steps `11-22`, `2026-11` or `2026`.
        package var text: String
        /// From 0 to 1.
        package var position: Double
    }

    /// The time from one tick to the next.
    private enum Step {
        case milliseconds(Int64)
        case days(Int64)
        case months(Int64)
    }

    package let time: ClosedRange<Int64>
    private let offset: (Int64) -> Int

    private static let day = UTCTime.perDay

    /// - Parameter offset: returns the seconds that the local clock is ahead of UTC at a time.
    package init(_ time: ClosedRange<Int64>, offset: @escaping (Int64) -> Int) {
        let end: Int64 = 1 << 50
        self.time = max(-end, min(end, time.lowerBound))...max(-end, min(end, time.upperBound))
        self.offset = offset
    }

    /// Returns the ticks.
    ///
    /// - Parameter most: about how many there may be.
    package func ticks(most: Int) -> [Tick] {
        let step = step(most: max(1, most))
        let local = UTCTime.local(time.lowerBound, offset: offset)
        var index = index(of: local, step) - 1
        var ticks: [Tick] = []
        for _ in 0..<(3 * max(1, most) + 8) {
            let wall = start(of: index, step)
            let moment = UTCTime.universal(wall, offset: offset).lowerBound
            if moment > time.upperBound { break }
            // Where daylight saving skips an hour, two ticks may be one.
            if moment >= time.lowerBound, moment > ticks.last?.time ?? .min {
                let share = (Double(moment) - Double(time.lowerBound)) / max(1, Double(length))
                ticks.append(Tick(time: moment, text: text(wall, step: step), position: share))
            }
            index += 1
        }
        return ticks
    }

    private var length: Int64 { time.upperBound - time.lowerBound }

    private func step(most: Int) -> Step {
        let least = Double(length) / Double(most)
        let seconds: [Int64] = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 10_800, 21_600, 43_200]
        if let found = seconds.first(where: { Double($0) * 1000 >= least }) { return .milliseconds(found * 1000) }
        let days: [Int64] = [1, 2, 7, 14]
        if let found = days.first(where: { Double($0 * Self.day) >= least }) { return .days(found) }
        let months: [Int64] = [1, 2, 3, 6, 12, 24, 60, 120, 240, 600, 1200, 6000, 12_000]
        return .months(months.first { Double($0 * 30 * Self.day) >= least } ?? 120_000)
    }

    // MARK: Local times

    private func index(of local: Int64, _ step: Step) -> Int64 {
        switch step {
        case .milliseconds(let length): return local.quotient(roundedDownBy: length)
        // Weeks begin on Mondays; 1970 began on a Thursday.
        case .days(let days): return (UTCTime.days(milliseconds: local) + 3).quotient(roundedDownBy: days)
        case .months(let months):
            let date = UTCTime(milliseconds: local)
            return (Int64(date.year) * 12 + Int64(date.month) - 1).quotient(roundedDownBy: months)
        }
    }

    private func start(of index: Int64, _ step: Step) -> Int64 {
        switch step {
        case .milliseconds(let length): return index * length
        case .days(let days): return (index * days - 3) * Self.day
        case .months(let months):
            let month = index * months
            let year = month.quotient(roundedDownBy: 12)
            return UTCTime.days(year: year, month: month - year * 12 + 1, day: 1) * Self.day
        }
    }

    private func text(_ wall: Int64, step: Step) -> String {
        let iso = UTCTime(milliseconds: wall).iso
        let halves = iso.split(separator: "T")
        guard halves.count == 2 else { return iso }
        let isMidnight = wall % Self.day == 0
        switch step {
        case .milliseconds(let length):
            return String(isMidnight ? halves[0].suffix(5) : halves[1].prefix(length < 60_000 ? 8 : 5))
        case .days: return String(halves[0].suffix(5))
        case .months(let months): return String(months % 12 == 0 ? halves[0].dropLast(6) : halves[0].dropLast(3))
        }
    }
}
