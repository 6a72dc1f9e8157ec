/// A sign of life, kept in the same commit as readings and once a minute at most: that the keeper ran until this
/// moment, how the machine was fed, and what was done for each device since the heartbeat before.
package struct Heartbeat: Sendable, Hashable {
    /// What comes after it.
    package enum State: String, Sendable, Hashable {
        case running
        /// The machine is about to sleep.
        case asleep
        /// The machine is about to shut down.
        case shutdown
        /// The keeper was told to end.
        case stopped
    }

    package var clocks: ClockReading
    package var state: State
    package var mode: PowerMode
    package var supply: PowerState
    /// What the machine's own battery holds, from 0 to 100; `nil` without one.
    package var percentage: Double?
    /// Only devices for which something was done.
    package var activities: [DeviceActivity]
    /// The gap that ended just before.
    package var downtime: Downtime?

    package init(
        clocks: ClockReading, state: State = .running, mode: PowerMode = .normal, supply: PowerState = .unknown,
        percentage: Double? = nil, activities: [DeviceActivity] = [], downtime: Downtime? = nil
    ) {
        self.clocks = clocks
        self.state = state
        self.mode = mode
        self.supply = supply
        self.percentage = percentage
        self.activities = activities
        self.downtime = downtime
    }
}

/// What was done for a device in some time.
package struct DeviceActivity: Sendable, Hashable {
    /// The device's name in the configuration.
    package var device: String
    package var address: BluetoothAddress
    /// Ticks in which something was read.
    package var good = 0
    /// Ticks in which nothing was.
    package var failed = 0
    /// Moments that passed unused, because work or the machine was late.
    package var missed = 0
    /// Values that were kept.
    package var values = 0
    /// Attempts to connect.
    package var connects = 0
    /// How long links of ours were up.
    package var onAir: Duration = .zero

    package init(device: String, address: BluetoothAddress) {
        self.device = device
        self.address = address
    }

    /// Whether nothing was done.
    package var isIdle: Bool {
        good == 0 && failed == 0 && missed == 0 && values == 0 && connects == 0 && onAir == .zero
    }

    static func + (left: DeviceActivity, right: DeviceActivity) -> DeviceActivity {
        var sum = left
        sum.good += right.good
        sum.failed += right.failed
        sum.missed += right.missed
        sum.values += right.values
        sum.connects += right.connects
        sum.onAir += right.onAir
        return sum
    }

    static func - (left: DeviceActivity, right: DeviceActivity) -> DeviceActivity {
        var rest = left
        rest.good -= right.good
        rest.failed -= right.failed
        rest.missed -= right.missed
        rest.values -= right.values
        rest.connects -= right.connects
        rest.onAir -= right.onAir
        return rest
    }
}
