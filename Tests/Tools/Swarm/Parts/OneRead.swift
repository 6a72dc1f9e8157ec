import Blekeep

/// S2 one-read: at most one read is in progress on a link.
struct OneRead: Sendable {
    private var devices: Set<BluetoothAddress> = []

    func isReading(_ device: BluetoothAddress) -> Bool { devices.contains(device) }

    /// - Returns: the violation of a read.
    mutating func begins(_ device: BluetoothAddress) -> String? {
        devices.insert(device).inserted ? nil : "a second read on \(device)"
    }

    mutating func over(_ device: BluetoothAddress) { devices.remove(device) }

    mutating func forget() { devices = [] }
}
