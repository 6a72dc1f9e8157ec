import Blekeep
import BlekeepSimulation
import RunLoop

/// What must hold of power and sleep, as pure functions of what was seen; each returns the violations in words.
package enum PowerInvariants {
    /// A commit: when, whether durable, and the moments at which its readings had come.
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

    /// S10 flush: when the lock is let go before a sleep, all that was accepted before the signal is on disk.
    ///
    /// - Parameters:
    ///   - sleeps: when each was announced, and when its lock was let go.
    ///   - commits: in order.
    package static func flush(_ sleeps: [(begin: Uptime, released: Uptime)], _ commits: [Commit]) -> [String] {
        // When the first reading came of those that were kept with each commit or later.
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

    /// S13 sparse: a device is read no more often than its mode allows; a tick may come a little early for company.
    ///
    /// - Parameters:
    ///   - reads: when ticks of one device had values, in order.
    ///   - intervals: the interval of its mode from each moment on, in order; `nil`: paused.
    ///   - extra: moments that have a tick of their own, such as the end of a sleep.
    ///   - late: by how much a change may have been seen too late: what is read then may belong to the next interval.
    package static func sparse(
        _ reads: [Uptime], _ intervals: [(moment: Uptime, interval: Duration?)], extra: [Uptime] = [],
        late: Duration = .zero
    ) -> [String] {
        func readsBefore(_ moment: Uptime) -> Int { reads.place(after: moment.advanced(by: .nanoseconds(-1))) { $0 } }
        var violations: [String] = []
        for (place, (from, interval)) in intervals.enumerated() {
            let to =
                place + 1 < intervals.count ? intervals[place + 1].moment : reads.last.map { $0 + .seconds(1) } ?? from
            let end = to.advanced(by: .zero - late)
            let count = max(0, readsBefore(end) - readsBefore(from))
            let length = to - from
            // One for the change itself, one for company at the end, one for each moment that has its own.
            let own = extra.count { $0 >= from && $0 <= to }
            let most = (interval.map { Int(length / $0) } ?? 0) + 2 + own
            if count > most { violations.append("S13 sparse: \(count) ticks in \(length) from \(from), not \(most)") }
        }
        return violations
    }

    /// S13 sparse: the disk is asked twice a minute at most in the long run, but for sleeps and ends.
    package static func syncs(_ commits: [Commit], extra: Int = 0) -> [String] {
        let durable = commits.filter(\.isDurable).map(\.moment)
        guard let first = durable.first, let last = durable.last else { return [] }
        let most = Int((last - first) / .seconds(30)) + 3 + extra
        return durable.count > most ? ["S13 sparse: \(durable.count) syncs, not \(most)"] : []
    }

    /// L5 mode: a worse mode shows within a second, a better one after a minute and not before.
    ///
    /// - Parameters:
    ///   - shown: the mode at moments about a second apart, in order.
    ///   - demands: what is really asked for, from each moment on, in order.
    ///   - doubts: when nothing need be believed, such as half a minute after a sleep.
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
    /// Where what came after a moment begins, in what is in the order of its moments.
    fileprivate func place(after moment: Uptime, by key: (Element) -> Uptime) -> Int {
        var (low, high) = (0, count)
        while low < high {
            let middle = (low + high) / 2
            if key(self[middle]) > moment { high = middle } else { low = middle + 1 }
        }
        return low
    }
}
