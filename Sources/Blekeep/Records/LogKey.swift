import Logging

/// The keys of the log's metadata.
package enum LogKey: String, CaseIterable {
    /// The device's name.
    case device
    case address
    /// What happened, such as `device-lost`.
    case event
}

extension Logger.Metadata {
    static func event(_ event: String) -> Logger.Metadata { [LogKey.event.rawValue: "\(event)"] }

    /// The metadata of a line about a device.
    static func device(_ name: String, _ address: BluetoothAddress, event: String? = nil) -> Logger.Metadata {
        var metadata: Logger.Metadata = [
            LogKey.device.rawValue: "\(name)", LogKey.address.rawValue: "\(address)",
        ]
        if let event { metadata[LogKey.event.rawValue] = "\(event)" }
        return metadata
    }
}
