import Logging

/// The keys of the log's metadata.
package enum LogKey: String, CaseIterable {
    /// The device's name.
    case device
    case address
    /// A `NoticeEvent`.
    case event
    /// The code of a failure, such as one of `FailureCode`.
    case code
}

/// What users and programs want to know about. `blekeep notices` reports all events; the log names those that have an
/// entry in journald's catalog.
package enum NoticeEvent: String, Sendable, Hashable, CaseIterable {
    case deviceLost = "device_lost"
    case deviceNeedsUser = "device_needs_user"
    /// A device that was lost, or needed a user, reads again.
    case deviceBack = "device_back"
    case batteryLow = "battery_low"
    case batteryGood = "battery_good"
    case historyFails = "history_fails"
    case historyWorks = "history_works"
    case diskSlow = "disk_slow"
    case diskWorks = "disk_works"
    case sinkFails = "sink_fails"
    case sinkWorks = "sink_works"
    case adapterStuck = "adapter_stuck"
    case adapterWorks = "adapter_works"
    case ruleFires = "rule_fires"
    case ruleEnds = "rule_ends"
    /// What a device kept in its own memory would have made a rule fire.
    case ruleMissed = "rule_missed"
}

extension Logger.Metadata {
    static func event(_ event: NoticeEvent) -> Logger.Metadata { [LogKey.event.rawValue: "\(event.rawValue)"] }

    /// The metadata of a line about a device.
    package static func device(
        _ name: String, address: BluetoothAddress, event: NoticeEvent? = nil, code: OpenEnum<FailureCode>? = nil
    ) -> Logger.Metadata {
        var metadata: Logger.Metadata = [
            LogKey.device.rawValue: "\(name)", LogKey.address.rawValue: "\(address)",
        ]
        if let event { metadata[LogKey.event.rawValue] = "\(event.rawValue)" }
        metadata.add(code)
        return metadata
    }

    package mutating func add(_ code: OpenEnum<FailureCode>?) {
        if let code { self[LogKey.code.rawValue] = "\(code.rawValue)" }
    }
}
