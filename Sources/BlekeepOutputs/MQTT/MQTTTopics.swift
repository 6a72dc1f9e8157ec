import BlekeepRecords

/// The topics of one gateway. They contain IDs and UUIDs, and no name that a device chose.
struct MQTTTopics: Sendable {
    let base: String
    let gateway: String

    init(_ configuration: MQTTConfiguration) {
        base = configuration.base
        gateway = configuration.gateway
    }

    /// Whether it is a topic of this gateway, and not one of Home Assistant's.
    func isOwn(_ topic: String) -> Bool { topic.hasPrefix("\(base)/\(gateway)/") }

    /// `online` or `offline`; the broker publishes `offline` when the connection breaks.
    var status: String { "\(base)/\(gateway)/status" }

    /// The power mode, the backlog and the adapters.
    var gatewayState: String { "\(base)/\(gateway)/state" }

    /// A message of `blekeep doctor`.
    var check: String { "\(base)/\(gateway)/doctor" }

    /// The newest values of a device.
    func state(_ device: DeviceID) -> String { "\(base)/\(gateway)/\(device)/state" }

    /// Readings from a time without a connection to the broker.
    func history(_ device: DeviceID) -> String { "\(base)/\(gateway)/\(device)/history" }

    /// `online` or `offline`.
    func availability(_ device: DeviceID) -> String { "\(base)/\(gateway)/\(device)/availability" }

    /// `ON` while a user has paused the device, and `OFF` otherwise.
    func paused(_ device: DeviceID) -> String { "\(base)/\(gateway)/\(device)/paused" }

    /// The topic of a command to a device, such as `poll`.
    func command(_ command: String, to device: DeviceID) -> String {
        "\(base)/\(gateway)/\(device)/command/\(command)"
    }

    /// The topic filter for all commands.
    var commands: String { "\(base)/\(gateway)/+/command/#" }

    static func byID(_ devices: [DeviceConfiguration]) -> [DeviceID: DeviceConfiguration] {
        Dictionary(devices.map { ($0.id, $0) }) { first, _ in first }
    }
}
