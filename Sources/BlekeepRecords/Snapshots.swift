import RunLoop

/// The state of a device that the store keeps.
package struct DeviceSnapshot: Sendable, Hashable {
    package var link = DeviceStatus.Link.released
    /// Whether blekeep's connection is up and isn't ending.
    package var isInUse = false
    package var hasTick = false
    package var nextTick = Uptime.never
    /// The end of the pause after a failure.
    package var notBefore = Uptime.start
    /// The current time between ticks; `nil` when the device is paused.
    package var interval: Duration?
    package var intervalReason = DeviceStatus.IntervalReason.configured
    package var goodTicks = 0
    package var failedTicks = 0
    /// The number of ticks that didn't come.
    package var missedTicks = 0
    /// The end of a user's pause, `.never` until the user resumes the device; `nil` without a pause.
    package var pausedUntil: Uptime?
    /// The name of the adapter that it is read with, on a machine with several.
    package var adapter: String?
    /// Whether BlueZ has keys for the device.
    package var isBonded = false

    /// Of a device of which nothing is known yet.
    package static let unknown = DeviceSnapshot()
}

/// The state of the parts that all devices need: the adapters, the power, and outages.
package struct MachineSnapshot: Sendable, Hashable {
    package var outage: ReadingFailure?
    package var adapters: [GatewayStatus.Adapter] = []
    /// The connection stalls of adapters, by name.
    package var stalls: [String: ConnectStall] = [:]
    package var power: GatewayStatus.Power?

    package init(outage: ReadingFailure? = nil, power: GatewayStatus.Power? = nil) {
        self.outage = outage
        self.power = power
    }
}

/// The failed attempts that show that an adapter can't make new connections.
package struct ConnectStall: Sendable, Hashable {
    /// When the first of these attempts failed.
    package var since: Uptime
    package var attempts: Int
    package var devices: Int

    package init(since: Uptime, attempts: Int, devices: Int) {
        self.since = since
        self.attempts = attempts
        self.devices = devices
    }
}
