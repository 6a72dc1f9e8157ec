import Blekeep
import DBus

/// An adapter as hardware, with what is stored for it on disk: it outlives bluetoothd.
package final class Radio {
    let model: SimulatedAdapter
    package internal(set) var index: Int
    var isPlugged = true
    var isPowered: Bool
    var alias: String
    /// What alone helps, while it is stuck: nothing is heard, and nobody is reached.
    var wedge: Cure?
    /// The devices that are kept.
    var kept: [BluetoothAddress: StoredDevice] = [:]

    init(_ model: SimulatedAdapter) {
        self.model = model
        index = model.index
        isPowered = model.isPowered
        alias = model.name
    }
}

/// What brings a radio back that is stuck. Whatever is stronger does, too.
public enum Cure: Int, Sendable, Hashable, CaseIterable {
    /// It is switched off and on.
    case powerCycle
    /// bluetoothd is started anew.
    case restart
    /// It is pulled out.
    case replug
}

/// What is stored of a device.
struct StoredDevice {
    var alias: String?
    var isBonded = false
    var isTrusted = false
    var isBlocked = false
    var prefersLowEnergy = false
}
