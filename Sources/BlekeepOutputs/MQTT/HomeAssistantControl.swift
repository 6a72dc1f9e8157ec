import Blekeep

/// An entity of Home Assistant that gives commands: to read a device, to pause it, or to set a value.
struct HomeAssistantControl: Sendable {
    enum Component: String, Sendable, CaseIterable {
        case button, `switch`, text

        /// The command that the configuration must allow.
        var command: MQTTConfiguration.Command {
            switch self {
            case .button: .poll
            case .switch: .pause
            case .text: .set
            }
        }
    }

    let component: Component
    let device: BluetoothAddress
    /// The entity's ID without the gateway: `F00000000001_poll`.
    let object: String
    let name: String
    let settings: [(key: String, value: JSON?)]

    /// Returns the controls that don't depend on a device's characteristics.
    static func controls(
        of device: BluetoothAddress, _ allowed: Set<MQTTConfiguration.Command>, _ topics: MQTTTopics
    ) -> [HomeAssistantControl] {
        let poll = HomeAssistantControl(
            component: .button, device: device, object: "\(MQTTTopics.name(device))_poll", name: "Read now",
            settings: [("command_topic", .text(topics.command("poll", to: device)))])
        let pause = HomeAssistantControl(
            component: .switch, device: device, object: "\(MQTTTopics.name(device))_pause", name: "Pause",
            settings: [
                ("command_topic", .text(topics.command("pause", to: device))),
                ("state_topic", .text(topics.paused(device))),
            ])
        return [poll, pause].filter { allowed.contains($0.component.command) }
    }

    /// Creates the control that sets a value.
    ///
    /// - Returns: `nil` for a reading without a characteristic.
    init?(setting entity: HomeAssistantEntity, of reading: Reading, _ topics: MQTTTopics) {
        guard let service = reading.service, let characteristic = reading.characteristic else { return nil }
        component = .text
        device = reading.address
        object = "\(entity.object)_set"
        name = "Set \(entity.name)"
        let instance = reading.instance == 1 ? "" : "/\(reading.instance)"
        let target = "set/\(service)/\(characteristic)\(instance)"
        // A number is sent with the unit that blekeep reports it in.
        settings = [
            ("command_topic", .text(topics.command(target, to: device))),
            ("command_template", .text("{{ value }}\(entity.unit.map { " \($0)" } ?? "")")),
            ("state_topic", .text(topics.state(device))), ("value_template", .text(entity.template)),
        ]
    }

    private init(
        component: Component, device: BluetoothAddress, object: String, name: String,
        settings: [(key: String, value: JSON?)]
    ) {
        self.component = component
        self.device = device
        self.object = object
        self.name = name
        self.settings = settings
    }
}
