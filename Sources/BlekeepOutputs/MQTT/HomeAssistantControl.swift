import BlekeepRecords

/// An entity of Home Assistant that gives commands: to read a device, to pause it, or to set a value.
struct HomeAssistantControl: Sendable {
    enum Component: String, Sendable, CaseIterable {
        case button, `switch`, number, select, text

        /// The command that the configuration must allow.
        var command: MQTTConfiguration.Command {
            switch self {
            case .button: .poll
            case .switch: .pause
            case .number, .select, .text: .set
            }
        }
    }

    let component: Component
    let device: DeviceID
    /// The entity's ID without the gateway: `greenhouse-poll`.
    let object: String
    let name: String
    let settings: [(key: String, value: JSON?)]

    /// Returns the controls that don't depend on a device's characteristics.
    static func controls(
        of device: DeviceID, allowed: Set<MQTTConfiguration.Command>, topics: MQTTTopics
    ) -> [HomeAssistantControl] {
        let poll = HomeAssistantControl(
            component: .button, device: device, object: "\(device)-poll", name: "Read now",
            settings: [("command_topic", .text(topics.command("poll", to: device)))])
        let pause = HomeAssistantControl(
            component: .switch, device: device, object: "\(device)-pause", name: "Pause",
            settings: [
                ("command_topic", .text(topics.command("pause", to: device))),
                ("state_topic", .text(topics.paused(device))),
            ])
        return [poll, pause].filter { allowed.contains($0.component.command) }
    }

    /// Returns the kind of control that sets a characteristic.
    /// Returns `nil` for a layout of several fields, of which one can't be set alone.
    static func setter(of characteristic: BluetoothUUID, _ layouts: [OwnLayout]) -> Component? {
        guard let layout = LayoutDecoder(characteristic, own: layouts) else { return .text }
        guard let field = layout.onlyField else { return nil }
        if Enumeration(of: characteristic, field: field) != nil { return .select }
        return range(layout) == nil ? .text : .number
    }

    /// The numbers of a layout, if Home Assistant takes their steps: thousandths, at the finest.
    private static func range(_ layout: LayoutDecoder?) -> NumberRange? {
        guard let numbers = layout?.numbers, numbers.step >= 0.001 else { return nil }
        let thousandths = numbers.step * 1000
        return abs(thousandths - thousandths.rounded()) < 1e-6 ? numbers : nil
    }

    /// The settings that depend on the kind of control. A number is sent with the unit that blekeep reports it in.
    private static func settings(
        _ component: Component, entity: HomeAssistantEntity, range: NumberRange?
    ) -> [(key: String, value: JSON?)] {
        if component == .select, let names = entity.names {
            return [
                ("options", names.chosen), ("command_template", .text(names.command)),
                ("value_template", .text(names.template(entity.key, else: "None"))),
            ]
        }
        let command = ("command_template", JSON.text("{{ value }}\(entity.unit.map { " \($0)" } ?? "")"))
        guard component == .number, let range else { return [command, ("value_template", .text(entity.template))] }
        let (key, old) = ("value_json['\(entity.key)']", "this.state if this.state | is_number else 'None'")
        return [
            command, ("value_template", .text("{{ \(key) if \(key) is defined else \(old) }}")),
            ("min", .number(range.lowest)), ("max", .number(range.highest)), ("step", .number(range.step)),
            ("mode", "box"), ("unit_of_measurement", .text(entity.unit)),
        ]
    }
}

extension HomeAssistantControl {
    /// Creates the control that sets a value.
    /// Returns `nil` for a reading without a characteristic, and for one of several fields.
    init?(setting entity: HomeAssistantEntity, of reading: Reading, topics: MQTTTopics, layouts: [OwnLayout]) {
        guard let service = reading.service, let characteristic = reading.characteristic,
            let component = Self.setter(of: characteristic, layouts)
        else { return nil }
        let instance = reading.instance == 1 ? "" : "/\(reading.instance)"
        let target = "set/\(service)/\(characteristic)\(instance)"
        let layout = LayoutDecoder(characteristic, own: layouts)
        self.init(
            component: component, device: reading.id, object: "\(entity.object)_set", name: "Set \(entity.name)",
            settings: [
                ("command_topic", .text(topics.command(target, to: reading.id))),
                ("state_topic", .text(topics.state(reading.id))),
            ] + Self.settings(component, entity: entity, range: Self.range(layout)))
    }
}
