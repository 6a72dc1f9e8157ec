import RunLoop

/// The state of a device that the store keeps.
struct DeviceSnapshot: Sendable, Hashable {
    var link = StoredDeviceStatus.Link.none
    /// Whether blekeep's connection is up and isn't ending.
    var isInUse = false
    /// Whether a tick is in progress.
    var hasTick = false
    var nextTick = Uptime.never
    /// The end of the pause after a failure.
    var notBefore = Uptime.start
    /// The current time between ticks; `nil` when the device is paused.
    var interval: Duration?
    /// The reason for the interval, in a few words.
    var intervalReason = ""
    var goodTicks = 0
    var failedTicks = 0
    /// The number of ticks that didn't come.
    var missedTicks = 0
    /// The end of a user's pause, `.never` until the user resumes the device; `nil` without a pause.
    var pausedUntil: Uptime?
}

/// The state of the parts that all devices need: the adapters, the power, and outages.
struct MachineSnapshot: Sendable, Hashable {
    var outage: ReadingFailure?
    var adapters: [StoredKeeperStatus.Adapter] = []
    /// The connection stalls of adapters, by name.
    var stalls: [String: ConnectStall] = [:]
    /// The power mode and its reason.
    var power = ""
}

/// The numbers of the newest snapshot, and of the snapshot in the store.
struct Edition: Sendable, Hashable {
    /// Rises with each change.
    private(set) var number = 1
    private var kept = 0

    var isKept: Bool { kept == number }

    mutating func change() { number += 1 }

    /// Call this when the store holds the snapshot with this number.
    mutating func keep(_ number: Int) { kept = number }
}
