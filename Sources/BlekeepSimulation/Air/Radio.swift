import BlekeepRecords

/// An adapter's hardware and stored devices, which outlive bluetoothd.
package final class Radio {
    let model: SimulatedAdapter
    package internal(set) var index: Int
    var isPlugged = true
    var isPowered: Bool
    var alias: String
    /// The cure, while the adapter is stuck and reaches no device; `nil` while it works.
    var wedge: Cure?
    /// What this adapter loses more of the signal strength of each peripheral than the machine does, in dB: a wall.
    var attenuations: [BluetoothAddress: Int16] = [:]
    /// The stored devices.
    var kept: [BluetoothAddress: StoredDevice] = [:]

    init(_ model: SimulatedAdapter) {
        self.model = model
        index = model.index
        isPowered = model.isPowered
        alias = model.name
    }
}

/// The cure of a stuck adapter. A stronger one works, too.
public enum Cure: Int, Sendable, Hashable, CaseIterable {
    /// Turning the adapter off and on.
    case powerCycle
    /// Restarting bluetoothd.
    case restart
    /// Unplugging the adapter.
    case replug
}

/// The stored data of a device.
struct StoredDevice {
    var alias: String?
    var isBonded = false
    var isTrusted = false
    var isBlocked = false
    var prefersLowEnergy = false
}
