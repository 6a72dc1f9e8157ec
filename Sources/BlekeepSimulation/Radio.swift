import Blekeep

/// An adapter as hardware, with what is stored for it on disk: it outlives bluetoothd.
final class Radio {
    let model: SimulatedAdapter
    var index: Int
    var isPlugged = true
    var isPowered: Bool
    var alias: String
    /// The devices that are kept.
    var kept: [BluetoothAddress: StoredDevice] = [:]

    init(_ model: SimulatedAdapter) {
        self.model = model
        index = model.index
        isPowered = model.isPowered
        alias = model.name
    }
}

/// What is stored of a device.
struct StoredDevice {
    var alias: String?
    var isBonded = false
    var isTrusted = false
    var isBlocked = false
}
