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
        modes.indices.compactMap { place in
            guard place == 0 || modes[place].mode != modes[place - 1].mode || sleeps[place] != sleeps[place - 1]
            else { return nil }
            return (modes[place].moment, PowerIntervals().interval(of: interval, in: modes[place].mode))
        }
    }
}
