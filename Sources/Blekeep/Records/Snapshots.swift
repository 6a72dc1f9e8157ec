import RunLoop

/// A device as the keeper's state has it, as far as the store keeps it.
struct DeviceSnapshot: Sendable, Hashable {
    var link = StoredDeviceStatus.Link.none
    /// Whether a connection of blekeep's is up and isn't being ended.
    var isInUse = false
    /// Whether a tick has begun that has not ended.
    var hasTick = false
    var nextTick = Uptime.never
    /// The device is left alone until then, after a failure.
    var notBefore = Uptime.start
    /// From tick to tick at present; `nil`: it is paused.
    var interval: Duration?
    /// Why the interval is this one, in a few words.
    var intervalReason = ""
    var goodTicks = 0
    var failedTicks = 0
    /// Times that passed unused.
    var missedTicks = 0
}

/// What stands above the devices: adapters, power, and what keeps every device from being polled.
struct MachineSnapshot: Sendable, Hashable {
    var outage: ReadingFailure?
    var adapters: [StoredKeeperStatus.Adapter] = []
    /// Of adapters, by name, what shows that they can't make new connections while existing ones work.
    var stalls: [String: ConnectStall] = [:]
    /// The power mode and why it is this one.
    var power = ""
}

/// The number of something's newest snapshot, and of the one that the store holds.
struct Edition: Sendable, Hashable {
    /// Rises with each change.
    private(set) var number = 1
    private var kept = 0

    var isKept: Bool { kept == number }

    mutating func change() { number += 1 }

    /// The store holds the snapshot with this number.
    mutating func keep(_ number: Int) { kept = number }
}
