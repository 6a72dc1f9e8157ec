import Blekeep
import RunLoop

/// What a look at the keeper and its machine shows, once a second.
struct Glances {
    private(set) var modes: [(moment: Uptime, mode: PowerMode)] = []
    /// How often the machine has slept, or was said to, at the same times; it grows with each, by whatever.
    private var sleeps: [Int] = []
    /// How many consecutive glances found no bluetoothd.
    private var outage = 0

    mutating func add(_ mode: PowerMode, sleeps count: Int, hasBluez: Bool, at now: Uptime) {
        modes.append((now, mode))
        sleeps.append(count)
        outage = hasBluez ? 0 : outage + 1
    }

    /// Whether the machine slept between the last two glances, or was said to.
    var isRestless: Bool { sleeps.count > 1 && sleeps[sleeps.count - 2] != sleeps[sleeps.count - 1] }

    /// Whether the machine has slept since the last glance.
    func isBehind(_ count: Int) -> Bool { sleeps.last != count }

    /// Whether the keeper must have noticed that there is no bluetoothd.
    var isLongOutage: Bool { outage > 3 }

    /// Returns the interval of the mode from each time on; `nil` is paused. A sleep has a tick of its own, and so has
    /// one of which only the end is told.
    func intervals(of interval: Duration) -> [(moment: Uptime, interval: Duration?)] {
        modes.indices.compactMap { place in
            guard place == 0 || modes[place].mode != modes[place - 1].mode || sleeps[place] != sleeps[place - 1]
            else { return nil }
            return (modes[place].moment, PowerIntervals().interval(of: interval, in: modes[place].mode))
        }
    }
}
