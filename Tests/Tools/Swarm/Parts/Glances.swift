import Blekeep
import RunLoop

/// Observations of the poller and its machine, one a second.
struct Glances {
    private(set) var modes: [(moment: Uptime, mode: PowerMode)] = []
    /// The number of sleeps and announcements at these times.
    private var sleeps: [Int] = []
    /// The number of consecutive observations without bluetoothd.
    private var outage = 0

    mutating func add(_ mode: PowerMode, sleeps count: Int, hasBluez: Bool, at now: Uptime) {
        modes.append((now, mode))
        sleeps.append(count)
        outage = hasBluez ? 0 : outage + 1
    }

    /// Whether the machine slept, or announced a sleep, between the last two observations.
    var isRestless: Bool { sleeps.count > 1 && sleeps[sleeps.count - 2] != sleeps[sleeps.count - 1] }

    /// Whether the machine has slept since the last observation.
    func isBehind(_ count: Int) -> Bool { sleeps.last != count }

    /// Whether bluetoothd has been missing for so long that the poller must know.
    var isLongOutage: Bool { outage > 3 }

    /// Returns the intervals of the power modes, with their start times; `nil` is paused. A sleep, or only its end, causes an
    /// extra tick.
    func intervals(of interval: Duration) -> [(moment: Uptime, interval: Duration?)] {
        intervals(of: [(.start, interval)])
    }

    /// - Parameter history: the intervals in normal mode with their start times; `nil` while the device isn't configured.
    func intervals(of history: [(moment: Uptime, interval: Duration?)]) -> [(moment: Uptime, interval: Duration?)] {
        var intervals: [(moment: Uptime, interval: Duration?)] = []
        func add(_ moment: Uptime, _ interval: Duration?, in mode: PowerMode) {
            intervals.append((moment, interval.flatMap { PowerIntervals().interval(of: $0, in: mode) }))
        }
        var next = 0
        for place in modes.indices {
            let (moment, mode) = modes[place]
            while next < history.count, history[next].moment <= moment {
                if place > 0 { add(history[next].moment, history[next].interval, in: modes[place - 1].mode) }
                next += 1
            }
            guard place == 0 || mode != modes[place - 1].mode || sleeps[place] != sleeps[place - 1] else { continue }
            add(moment, next > 0 ? history[next - 1].interval : nil, in: mode)
        }
        return intervals
    }
}
