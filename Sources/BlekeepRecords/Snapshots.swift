import RunLoop

/// The state of a device that the store keeps.
package struct DeviceSnapshot: Sendable, Hashable {
    package var link: DeviceStatus.Link
    /// Whether blekeep's connection is up and isn't ending.
    package var isInUse: Bool
    /// Whether a tick is in progress.
    package var hasTick: Bool
    package var nextTick: Uptime
    /// The end of the pause after a failure.
    package var notBefore: Uptime
    /// The current time between ticks; `nil` when the device is paused.
    package var interval: Duration?
    package var intervalReason: DeviceStatus.IntervalReason
    package var goodTicks: Int
    package var failedTicks: Int
    /// The number of ticks that didn't come.
    package var missedTicks: Int
    /// The end of a user's pause, `.never` until the user resumes the device; `nil` without a pause.
    package var pausedUntil: Uptime?
    /// Whether BlueZ has keys for the device.
    package var isBonded: Bool

    package init(
        link: DeviceStatus.Link = .released, isInUse: Bool = false, hasTick: Bool = false,
        nextTick: Uptime = .never, notBefore: Uptime = .start, interval: Duration? = nil,
        intervalReason: DeviceStatus.IntervalReason = .configured,
        goodTicks: Int = 0, failedTicks: Int = 0, missedTicks: Int = 0, pausedUntil: Uptime? = nil,
        isBonded: Bool = false
    ) {
        self.link = link
        self.isInUse = isInUse
        self.hasTick = hasTick
        self.nextTick = nextTick
        self.notBefore = notBefore
        self.interval = interval
        self.intervalReason = intervalReason
        self.goodTicks = goodTicks
        self.failedTicks = failedTicks
        self.missedTicks = missedTicks
        self.pausedUntil = pausedUntil
        self.isBonded = isBonded
    }
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
