/// A record, at most once a minute, that `poll` ran at this time, with the power supply and the work since the last one.
package struct Heartbeat: Sendable, Hashable {
    /// What follows the heartbeat.
    package enum State: String, Sendable, Hashable, CaseIterable {
        case running
        /// The machine is about to sleep.
        case asleep
        /// The machine is about to shut down.
        case shutdown
        /// `poll` ends normally.
        case stopped
    }

    package var clocks: ClockReading
    package var state: State
    package var mode: PowerMode
    package var supply: PowerState
    /// The charge of the machine's battery in percent; `nil` without a battery.
    package var percentage: Double?
    /// The work for each device, without idle devices.
    package var activities: [DeviceActivity]
    /// The gap that ended before this heartbeat.
    package var downtime: Downtime?
    /// Since the last heartbeat.
    package var air = AirUse()
    /// The number of readings that wait for each sink, by its name.
    package var backlogs: [String: Int64] = [:]

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

/// What listening to sensors took and brought.
package struct AirUse: Sendable, Hashable {
    /// How long the adapters scanned actively: each sensor in range answers requests then. Of two adapters, the sum.
    package var scanned: Duration = .zero
    /// The number of packets that BlueZ passed on of devices that blekeep listens to.
    package var packets = 0

    package init(scanned: Duration = .zero, packets: Int = 0) { (self.scanned, self.packets) = (scanned, packets) }

    package static func + (left: Self, right: Self) -> Self {
        Self(scanned: left.scanned + right.scanned, packets: left.packets + right.packets)
    }

    package static func - (left: Self, right: Self) -> Self {
        Self(scanned: left.scanned - right.scanned, packets: left.packets - right.packets)
    }
}

/// The work for a device between two heartbeats.
package struct DeviceActivity: Sendable, Hashable {
    package var id: DeviceID
    /// The device's name in the configuration.
    package var device: String
    package var address: BluetoothAddress
    /// The number of ticks with values.
    package var good = 0
    /// The number of ticks without values.
    package var failed = 0
    /// The number of ticks that didn't come, because the work or the machine was late.
    package var missed = 0
    package var values = 0
    /// The number of attempts to connect.
    package var connects = 0
    /// How long blekeep's connections were up.
    package var onAir: Duration = .zero

    /// - Parameter id: `nil` for that of a device without an ID of its own.
    package init(id: DeviceID? = nil, device: String, address: BluetoothAddress) {
        self.id = id ?? DeviceID(address)
        self.device = device
        self.address = address
    }

    /// An empty count.
    package init(_ device: DeviceConfiguration) {
        self.init(id: device.id, device: device.name, address: device.address)
    }

    package var isIdle: Bool {
        good == 0 && failed == 0 && missed == 0 && values == 0 && connects == 0 && onAir == .zero
    }

    package static func + (left: DeviceActivity, right: DeviceActivity) -> DeviceActivity {
        var sum = left
        sum.good += right.good
        sum.failed += right.failed
        sum.missed += right.missed
        sum.values += right.values
        sum.connects += right.connects
        sum.onAir += right.onAir
        return sum
    }

    package static func - (left: DeviceActivity, right: DeviceActivity) -> DeviceActivity {
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
