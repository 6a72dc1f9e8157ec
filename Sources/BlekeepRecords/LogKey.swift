import Logging

/// The keys of the log's metadata.
package enum LogKey: String, CaseIterable {
    /// The device's name.
    case device
    case address
    /// A `LoggedEvent`.
    case event
}

/// What a line of the log says that programs may want to know.
package enum LoggedEvent: String, Sendable, CaseIterable {
    case deviceLost = "device-lost"
    case deviceNeedsUser = "device-needs-user"
    /// A device that was lost, or needed a user, reads again.
    case deviceBack = "device-back"
    case historyFails = "history-fails"
    case historyWorks = "history-works"
}

extension Logger.Metadata {
    static func event(_ event: LoggedEvent) -> Logger.Metadata { [LogKey.event.rawValue: "\(event.rawValue)"] }

    /// The metadata of a line about a device.
    package static func device(
        _ name: String, _ address: BluetoothAddress, event: LoggedEvent? = nil
    ) -> Logger.Metadata {
        var metadata: Logger.Metadata = [
            LogKey.device.rawValue: "\(name)", LogKey.address.rawValue: "\(address)",
        ]
        if let event { metadata[LogKey.event.rawValue] = "\(event.rawValue)" }
        return metadata
    }
}
