/// The codes of the failures that blekeep reports: for programs, stable. In place of one of these, a failed call may have
/// the last part of the D-Bus error's name.
package enum FailureCode: String, Sendable, Hashable, CaseIterable {
    // No device's fault.
    case noBus = "no-bus"
    case noBluez = "no-bluez"
    /// bluetoothd doesn't reply.
    case bluezHung = "bluez-hung"
    case noAdapter = "no-adapter"
    case adapterOff = "adapter-off"
    /// Too little power is left to search for the device.
    case power

    // A device, and the connection to it.
    /// Only the user can help; the message says how.
    case needsUser = "needs_user"
    case notFound = "not-found"
    /// A device that blekeep listens to has stopped advertising.
    case silent
    /// Other devices' turns took the time.
    case late
    case connect
    /// BlueZ didn't resolve the device's services in time.
    case services
    /// BlueZ removed the device's object.
    case vanished
    /// The connection ended by itself.
    case dropped
    /// The values don't match what BlueZ caches of the device.
    case stale

    // A value.
    /// The time of the tick was over.
    case budget
    case noPoint = "no-point"
    /// The device has nothing that blekeep can read or decode.
    case nothing
    /// The names that D-Bus has for a call without a reply.
    case timeout = "Timeout"
    case noReply = "NoReply"
    case badLength = "bad_length"
    case badFormat = "bad_format"
    case badVersion = "bad_version"
    case noKey = "no_key"
    case badKey = "bad_key"
    case noCipher = "no_cipher"
    case replay

    // Steps to recover an adapter, bluetoothd or a device; these aren't failures of an attempt.
    case rest
    case powerCycle = "power-cycle"
    case restart
    case replug
    /// A step was due, but other programs' connections are in its way.
    case refused
    case recovered
    case forget
    case preferLowEnergy = "prefer-le"
    case noNewLinks = "no-new-links"
    case newLinks = "new-links"
    /// An adapter has too little time for all its devices, and enough again.
    case noAirTime = "no-air-time"
    case airTime = "air-time"

    /// Whether a tick that failed for this says nothing about the device. While bluetoothd is there and doesn't reply,
    /// devices do become lost.
    package var excusesDevice: Bool {
        switch self {
        case .noBus, .noBluez, .noAdapter, .adapterOff, .power: true
        case .bluezHung, .needsUser, .notFound, .silent, .late, .connect, .services, .vanished, .dropped, .stale,
            .budget, .noPoint, .nothing, .timeout, .noReply, .badLength, .badFormat, .badVersion, .noKey, .badKey,
            .noCipher, .replay, .rest, .powerCycle, .restart, .replug, .refused, .recovered, .forget, .preferLowEnergy,
            .noNewLinks, .newLinks, .noAirTime, .airTime:
            false
        }
    }
}
