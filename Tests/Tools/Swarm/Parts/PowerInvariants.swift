import Blekeep
import BlekeepSimulation
import RunLoop

/// The guarantees of power and sleep, as pure functions of the observations. Each returns the violations.
package enum PowerInvariants {
    /// A commit: its time, whether it is durable, and the times of its readings.
    package struct Commit: Sendable {
        package var moment: Uptime
        package var isDurable: Bool
        package var accepted: [Uptime]

        package init(moment: Uptime, isDurable: Bool, accepted: [Uptime]) {
            self.moment = moment
            self.isDurable = isDurable
            self.accepted = accepted
        }
    }

    /// S10 flush: when the poller releases the lock before a sleep, all readings before the signal are on the disk.
    ///
    /// - Parameters:
    ///   - sleeps: the time of each announcement, and of the lock's release.
    ///   - commits: in order.
    package static func flush(_ sleeps: [(begin: Uptime, released: Uptime)], _ commits: [Commit]) -> [String] {
        // The time of the earliest reading in each commit or a later one.
        var first = Array(repeating: Uptime.never, count: commits.count + 1)
        for place in commits.indices.reversed() {
            first[place] = commits[place].accepted.reduce(first[place + 1], min)
        }
        return sleeps.compactMap { sleep in
            var place = commits.place(after: sleep.released, by: \.moment)
            while place > 0, !commits[place - 1].isDurable { place -= 1 }
            return first[place] < sleep.begin
                ? "S10 flush: the sleep at \(sleep.begin) took readings that were not safe" : nil
        }
    }

    /// S13 sparse: a device is read no more often than its mode allows. A coalesced tick may come a little early.
    ///
    /// - Parameters:
    ///   - reads: the times of ticks with values of one device, in order.
    ///   - intervals: the intervals of its mode with their start times, in order; `nil` is paused.
    ///   - extra: the times of extra ticks, such as the end of a sleep.
    ///   - late: the longest delay with which a change was observed.
    package static func sparse(
        _ reads: [Uptime], _ intervals: [(moment: Uptime, interval: Duration?)], extra: [Uptime] = [],
        late: Duration = .zero
    ) -> [String] {
        func readsBefore(_ moment: Uptime) -> Int { reads.place(after: moment.advanced(by: .nanoseconds(-1))) { $0 } }
        var violations: [String] = []
        for (place, (from, interval)) in intervals.enumerated() {
            // The last one ends with the last read, if one came.
            let last = max(from, reads.last.map { $0 + .seconds(1) } ?? from)
            let to = place + 1 < intervals.count ? intervals[place + 1].moment : last
            let end = to.advanced(by: .zero - late)
            let count = max(0, readsBefore(end) - readsBefore(from))
            let length = to - from
            // One for the change itself, one for a coalesced tick at the end, and one for each extra tick.
            let own = extra.count { $0 >= from && $0 <= to }
            let most = (interval.map { Int(length / $0) } ?? 0) + 2 + own
            if count > most { violations.append("S13 sparse: \(count) ticks in \(length) from \(from), not \(most)") }
        }
        return violations
    }

    /// S13 sparse: in the long run, there are at most two syncs a minute, apart from sleeps and ends.
    package static func syncs(_ commits: [Commit], extra: Int = 0) -> [String] {
        let durable = commits.filter(\.isDurable).map(\.moment)
        guard let first = durable.first, let last = durable.last else { return [] }
        let most = Int((last - first) / .seconds(30)) + 3 + extra
        return durable.count > most ? ["S13 sparse: \(durable.count) syncs, not \(most)"] : []
    }

    /// L5 mode: a more restrictive mode applies within a second, a less restrictive one after a minute and not before.
    ///
    /// - Parameters:
    ///   - shown: the observed mode, about once a second, in order.
    ///   - demands: the true modes with their start times, in order.
    ///   - doubts: the times in which data may be wrong, such as half a minute after a sleep.
    package static func mode(
        _ shown: [(moment: Uptime, mode: PowerMode)], _ demands: [(moment: Uptime, mode: PowerMode)],
        doubts: [(from: Uptime, to: Uptime)]
    ) -> [String] {
        func asked(_ from: Uptime, _ to: Uptime) -> some Sequence<PowerMode> {
            let first = max(1, demands.place(after: from, by: \.moment)) - 1
            return demands[first..<demands.place(after: to, by: \.moment)].lazy.map(\.mode)
        }
        func isDoubtful(_ from: Uptime, _ to: Uptime) -> Bool {
            doubts.contains { $0.from <= to && from <= $0.to }
        }
        return shown.compactMap { moment, mode in
            let lately = asked(moment.advanced(by: .seconds(-1.2)), moment)
            if lately.allSatisfy({ $0 == mode }) { return nil }
            let inTheLastMinute = asked(moment.advanced(by: .seconds(-62)), moment)
            if let least = lately.min(), mode < least, !isDoubtful(moment.advanced(by: .seconds(-2)), moment) {
                return "L5 mode: \(mode.rawValue) at \(moment), where \(least.rawValue) is asked for"
            }
            if let most = inTheLastMinute.max(), mode > most, !isDoubtful(moment.advanced(by: .seconds(-62)), moment) {
                return "L5 mode: \(mode.rawValue) at \(moment), where nothing was worse than \(most.rawValue)"
            }
            return nil
        }
    }
}

extension Array {
    /// Returns the index of the first element after a time, in an ordered collection.
    fileprivate func place(after moment: Uptime, by key: (Element) -> Uptime) -> Int {
        var (low, high) = (0, count)
        while low < high {
            let middle = (low + high) / 2
            if key(self[middle]) > moment { high = middle } else { low = middle + 1 }
        }
        return low
    }
}
