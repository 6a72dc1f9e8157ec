/// The stable codes of the failures that blekeep reports. A failed call may have the last part of its D-Bus error's name
/// instead.
package enum FailureCode: String, Sendable, Hashable, CaseIterable {
    // Failures that aren't a device's fault.
    case noBus = "no_bus"
    case noBluez = "no_bluez"
    /// bluetoothd doesn't reply.
    case bluezHung = "bluez_hung"
    case noAdapter = "no_adapter"
    case adapterOff = "adapter_off"
    /// BlueZ refuses to search for devices.
    case noDiscovery = "no_discovery"
    /// BlueZ refuses a part of the filter of searches.
    case noFilter = "no_filter"
    /// Too little power is left to search for the device.
    case power

    // Failures of a device or of its connection.
    /// Only the user can help; the message says how.
    case needsUser = "needs_user"
    /// The device must be paired.
    case needsPairing = "needs_pairing"
    /// The device has lost the keys of its pairing, or refuses them. It must be removed and paired again.
    case lostKeys = "lost_keys"
    /// bluetoothd crashes whenever it connects the paired device, which must be removed and paired again.
    case crashesBluez = "crashes_bluez"
    /// The values don't match what BlueZ caches of the device, and blekeep may not remove it from the cache.
    case staleCache = "stale_cache"
    /// The system forbids the use of bluetoothd.
    case noPermission = "no_permission"
    case notFound = "not_found"
    /// A device that blekeep listens to has stopped advertising, or one with subscriptions sent nothing since the last tick.
    case silent
    /// The turns of other devices took the time.
    case late
    case connect
    /// BlueZ didn't resolve the device's services in time, or shows none.
    case services
    /// BlueZ removed the device's object.
    case vanished
    /// The connection ended by itself.
    case dropped
    /// The values don't match what BlueZ caches of the device.
    case stale

    // Failures of a value.
    /// The tick's time was used up.
    case budget
    /// The device doesn't have a configured characteristic.
    case noPoint = "no_point"
    /// What the device advertises lacks a field that the configuration lists.
    case noField = "no_field"
    /// The device advertises no format that blekeep knows, or not the configured one.
    case noFormat = "no_format"
    /// The device has nothing that blekeep can read or decode, or nothing that the tick could read.
    case nothing
    /// D-Bus has two names for a call without a reply.
    case timeout = "Timeout"
    case noReply = "NoReply"
    case badLength = "bad_length"
    case badFormat = "bad_format"
    case badVersion = "bad_version"
    case noKey = "no_key"
    case badKey = "bad_key"
    case replay
    case notEncrypted = "not_encrypted"
    /// A device that a recipe asks doesn't answer in time.
    case noAnswer = "no_answer"
    /// The answer to a recipe is damaged, or means nothing.
    case badAnswer = "bad_answer"

    // Recovery steps for an adapter, bluetoothd or a device.
    case rest
    case powerCycle = "power_cycle"
    case restart
    case replug
    /// A step was due, but would end connections of other programs.
    case refused
    case recovered
    case forget
    case preferLowEnergy = "prefer_le"
    /// A device with encrypted advertisements was restarted: it counts them from another number.
    case newCounter = "new_counter"
    case noNewLinks = "no_new_links"
    case newLinks = "new_links"
    /// An adapter lacks the air time for all its devices; `airTime` when it has enough again.
    case noAirTime = "no_air_time"
    case airTime = "air_time"

    /// Whether only the user can help.
    package var needsUserAction: Bool {
        [.needsUser, .needsPairing, .lostKeys, .crashesBluez, .staleCache, .noPermission, .noKey].contains(self)
    }

    /// Whether a tick that failed with this code says nothing about the device. A device does count as lost when
    /// bluetoothd runs without replying, or refuses to search.
    package var isNotDeviceFault: Bool {
        switch self {
        case .noBus, .noBluez, .noAdapter, .adapterOff, .power: true
        case .bluezHung, .noDiscovery, .noFilter, .needsUser, .needsPairing, .lostKeys, .crashesBluez, .staleCache,
            .noPermission, .notFound, .silent, .late, .connect, .services, .vanished,
            .dropped, .stale,
            .budget, .noPoint, .noField, .noFormat, .nothing, .timeout, .noReply, .badLength, .badFormat, .badVersion,
            .noKey,
            .badKey,
            .replay, .notEncrypted, .noAnswer, .badAnswer, .rest, .powerCycle, .restart, .replug, .refused, .recovered,
            .forget,
            .preferLowEnergy, .newCounter, .noNewLinks, .newLinks, .noAirTime, .airTime:
            false
        }
    }
}
