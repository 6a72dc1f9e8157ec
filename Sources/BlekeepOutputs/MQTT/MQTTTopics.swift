import BlekeepRecords

/// The topics of one gateway. They contain IDs and UUIDs, and no name that a device chose.
struct MQTTTopics: Sendable {
    let base: String
    let gateway: String
    /// The second part of the topics of devices: the fleet's name, or the gateway's.
    let group: String

    init(_ configuration: MQTTConfiguration) {
        base = configuration.base
        gateway = configuration.gateway
        group = configuration.fleet ?? configuration.gateway
    }

    /// Whether several gateways share the topics of devices.
    var isFleet: Bool { group != gateway }

    /// Whether it is a topic of this gateway or its fleet, and not one of Home Assistant's.
    func isOwn(_ topic: String) -> Bool {
        topic.hasPrefix("\(base)/\(gateway)/") || topic.hasPrefix("\(base)/\(group)/")
    }

    /// The topic filters for what all gateways retain of themselves.
    var ofGateways: [String] { ["status", "installation", "state", "devices"].map { "\(base)/+/\($0)" } }

    /// Returns the gateway of a topic of `ofGateways`, and the topic's last part; `nil` for another topic.
    func part(ofGateway topic: some StringProtocol) -> (gateway: String, part: String)? {
        let parts = topic.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count == 3, parts[0] == base else { return nil }
        return (String(parts[1]), String(parts[2]))
    }

    /// The topic filter for the status of all gateways.
    var statuses: String { "\(base)/+/status" }

    /// Returns the gateway whose status a topic has; `nil` for another topic.
    func gateway(ofStatus topic: some StringProtocol) -> String? { gateway(of: topic, "status") }

    private func gateway(of topic: some StringProtocol, _ name: String) -> String? {
        part(ofGateway: topic).flatMap { $0.part == name ? $0.gateway : nil }
    }

    /// `online` or `offline`; the broker publishes `offline` when the connection breaks.
    var status: String { "\(base)/\(gateway)/status" }

    /// What tells this machine from another one with the gateway's name.
    var installation: String { "\(base)/\(gateway)/installation" }

    /// The power mode, the backlog and the adapters.
    var gatewayState: String { "\(base)/\(gateway)/state" }

    /// What this gateway does with each of its devices; only in a fleet.
    var report: String { "\(base)/\(gateway)/devices" }

    /// The topic filter for the reports of all gateways.
    var reports: String { "\(base)/+/devices" }

    /// Returns the gateway whose report a topic has; `nil` for another topic.
    func gateway(ofReport topic: String) -> String? { gateway(of: topic, "devices") }

    /// A message of `blekeep doctor`.
    var check: String { "\(base)/\(gateway)/doctor" }

    /// The newest values of a device.
    func state(_ device: DeviceID) -> String { "\(base)/\(group)/\(device)/state" }

    /// What happens to a device's buttons. Not retained: a press would come again at each connection.
    func events(_ device: DeviceID) -> String { "\(base)/\(group)/\(device)/events" }

    /// Readings from a time without a connection to the broker.
    func history(_ device: DeviceID) -> String { "\(base)/\(group)/\(device)/history" }

    /// `online` or `offline`.
    func availability(_ device: DeviceID) -> String { "\(base)/\(group)/\(device)/availability" }

    /// `ON` while a user has paused the device, and `OFF` otherwise.
    func paused(_ device: DeviceID) -> String { "\(base)/\(group)/\(device)/paused" }

    /// Whether a rule fires for the device, since when and why.
    func rule(_ rule: String, of device: DeviceID) -> String { "\(base)/\(group)/\(device)/rules/\(rule)" }

    /// The topic filters for what the broker retains of devices, apart from their values.
    var ofDevices: [String] { ["availability", "paused", "rules/+"].map { "\(base)/\(group)/+/\($0)" } }

    /// Returns the device of a topic of `ofDevices`, and the rule if it is a rule's; `nil` for another topic.
    func retained(at topic: String) -> (device: DeviceID, rule: String?)? {
        let parts = topic.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count >= 4, parts[0] == base, parts[1] == group, let device = DeviceID(String(parts[2])) else {
            return nil
        }
        if parts.count == 5, parts[3] == "rules" { return (device, String(parts[4])) }
        return parts.count == 4 && ["availability", "paused"].contains(parts[3]) ? (device, nil) : nil
    }

    /// The topic of a command to a device, such as `poll`.
    func command(_ command: String, to device: DeviceID) -> String { "\(base)/\(group)/\(device)/command/\(command)" }

    var commands: String { "\(base)/\(group)/+/command/#" }

    /// The topic with the name of the gateway that a user wants to read a device.
    func move(_ device: DeviceID) -> String { "\(base)/\(group)/\(device)/move" }

    var moves: String { "\(base)/\(group)/+/move" }

    /// Returns the device that a topic of `moves` has; `nil` for another topic.
    func device(ofMove topic: String) -> DeviceID? {
        let parts = topic.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count == 4, parts[0] == base, parts[1] == group, parts[3] == "move" else { return nil }
        return DeviceID(String(parts[2]))
    }

    static func byID(_ devices: [DeviceConfiguration]) -> [DeviceID: DeviceConfiguration] {
        Dictionary(devices.map { ($0.id, $0) }) { first, _ in first }
    }
}
