import Blekeep

/// The topics of one gateway. They are made of addresses and UUIDs: a device chooses none of it.
struct MQTTTopics: Sendable {
    let base: String
    let gateway: String

    init(_ configuration: MQTTConfiguration) {
        base = configuration.base
        gateway = configuration.gateway
    }

    /// `online` or `offline`, also by the broker's own hand.
    var status: String { "\(base)/\(gateway)/status" }

    /// The power mode, the backlog and the adapters.
    var gatewayState: String { "\(base)/\(gateway)/state" }

    /// A message of `blekeep doctor`.
    var check: String { "\(base)/\(gateway)/doctor" }

    /// What was read just now.
    func state(_ device: BluetoothAddress) -> String { "\(base)/\(gateway)/\(Self.name(device))/state" }

    /// What was read while the broker couldn't be reached.
    func history(_ device: BluetoothAddress) -> String { "\(base)/\(gateway)/\(Self.name(device))/history" }

    /// `online` or `offline`.
    func availability(_ device: BluetoothAddress) -> String { "\(base)/\(gateway)/\(Self.name(device))/availability" }

    /// `F00000000001`.
    static func name(_ device: BluetoothAddress) -> String { device.joined(by: "") }
}
