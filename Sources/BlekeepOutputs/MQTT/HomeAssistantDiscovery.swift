import BlekeepRecords

/// The retained messages that describe a gateway's entities to Home Assistant, one for each entity.
struct HomeAssistantDiscovery: Sendable {
    private let prefix: String
    private let topics: MQTTTopics
    /// The node ID of the gateway itself. Those of devices have `base`, because another gateway may read them later.
    private let node: String
    private let devices: [DeviceID: DeviceConfiguration]
    private let layouts: [OwnLayout]
    /// The objects of the configured rules.
    private let rules: Set<String>
    private let allowed: Set<MQTTConfiguration.Command>
    private let version: String

    /// - Returns: `nil` if `discovery` is off in the configuration.
    init?(_ mqtt: MQTTConfiguration, configuration: PollConfiguration, version: String) {
        guard let prefix = mqtt.discovery else { return nil }
        self.prefix = prefix
        topics = MQTTTopics(mqtt)
        node = "\(mqtt.base)_\(mqtt.gateway)"
        devices = MQTTTopics.byID(configuration.devices)
        layouts = configuration.layouts
        rules = Set(
            configuration.rules.flatMap { rule in
                rule.when.subject.members(of: configuration.devices).map { Self.object(rule.name, of: $0.id) }
            })
        allowed = mqtt.commands
        self.version = version
    }

    /// The topic at which Home Assistant publishes `online` after its start. blekeep then publishes all entities again.
    var birthTopic: String { "\(prefix)/status" }

    /// The topic filter for the messages that describe entities of devices, those of other gateways too.
    var deviceTopics: String { "\(prefix)/+/\(topics.base)/+/config" }

    /// Returns the device whose entity or control a topic describes; `nil` for another topic.
    func device(announcedAt topic: String) -> DeviceID? {
        let parts = topic.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count >= 4, topic.hasSuffix("/config"), parts[parts.count - 3] == topics.base else { return nil }
        return DeviceID(parts[parts.count - 2].prefix { $0 != "-" })
    }

    /// Whether a retained message of an earlier run of this gateway describes an entity that isn't configured any more.
    ///
    /// - Parameter isElsewhere: whether another gateway of the fleet may have a device that this one hasn't.
    func isObsolete(_ topic: String, payload: [UInt8], isElsewhere: (DeviceID) -> Bool = { _ in false }) -> Bool {
        let parts = topic.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count >= 4, topic.hasSuffix("/config"), parts[parts.count - 3] == topics.base,
            case let text = String(decoding: payload, as: UTF8.self),
            text.contains("\"\(topics.status)\"")
                || topics.isFleet && text.contains("\"\(topics.base)/\(topics.group)/")
        else { return false }
        let object = parts[parts.count - 2]
        let key = object.drop { $0 != "-" }.dropFirst()
        let id = DeviceID(object.prefix { $0 != "-" })
        if key.hasPrefix(Self.rulePrefix) { return !rules.contains(String(object)) && !(id.map(isElsewhere) ?? false) }
        guard let device = id.flatMap({ devices[$0] }) else { return !(id.map(isElsewhere) ?? false) }
        if let control = HomeAssistantControl.Component(rawValue: String(parts[parts.count - 4])) {
            return !allowed.contains(control.command)
                || control.command == .set && !isSet(object, by: control, device: device)
        }
        if HomeAssistantEntity.connection(of: device.id).contains(where: { $0.object == object }) { return false }
        // Where the characteristics aren't listed, any may come.
        return !device.characteristics.isEmpty && device.mode != .passive
            && !device.characteristics.contains { point in
                let parts = [point.service, point.characteristic].compactMap { $0?.description.filter { $0 != "-" } }
                return parts.count == 2
                    ? key.hasPrefix("\(parts[0])_\(parts[1])_") : key.contains("_\(parts[0])_")
            }
    }

    private func isSet(
        _ object: Substring, by component: HomeAssistantControl.Component, device: DeviceConfiguration
    ) -> Bool {
        device.characteristics.contains { point in
            point.isWritable && object.contains("_\(point.characteristic.description.filter { $0 != "-" })_")
                && HomeAssistantControl.setter(of: point.characteristic, layouts) == component
        }
    }

    var controlled: [DeviceID] { allowed.isEmpty ? [] : Array(devices.keys) }

    /// Returns the controls of a device that don't set values.
    func controls(of device: DeviceID) -> [HomeAssistantControl] {
        HomeAssistantControl.controls(of: device, allowed: allowed, topics: topics)
    }

    /// Returns the control that sets this value, if the configuration allows that.
    func control(setting entity: HomeAssistantEntity, of reading: Reading) -> HomeAssistantControl? {
        guard allowed.contains(.set), let device = devices[reading.id],
            let characteristic = reading.characteristic,
            device.allows(WriteRequest(service: reading.service, characteristic: characteristic, value: .bytes([])))
        else { return nil }
        return HomeAssistantControl(setting: entity, of: reading, topics: topics, layouts: layouts)
    }

    func message(
        _ control: HomeAssistantControl, information: DeviceInformation
    ) -> (topic: String, payload: [UInt8])? {
        guard let device = devices[control.device] else { return nil }
        let id = JSON.text("\(topics.base)_\(control.object)")
        let payload = JSON.object(
            [("name", .text(control.name)), ("unique_id", id), ("object_id", id)] + control.settings + [
                ("availability", availability(topics.isFleet ? topics.availability(control.device) : topics.status)),
                ("entity_category", "config"), ("device", describe(device, information: information)),
                ("origin", origin),
            ])
        let topic = "\(prefix)/\(control.component.rawValue)/\(topics.base)/\(control.object)/config"
        return (topic, payload.bytes)
    }

    private static let rulePrefix = "rule_"

    private static func object(_ rule: String, of device: DeviceID) -> String { "\(device)-\(rulePrefix)\(rule)" }

    /// Returns the message that describes a rule as a problem of its device.
    func message(_ rule: RuleStatus) -> (topic: String, payload: [UInt8])? {
        guard let device = devices[rule.device] else { return nil }
        let object = Self.object(rule.rule, of: rule.device)
        let id = JSON.text("\(topics.base)_\(object)")
        let state = JSON.text(topics.rule(rule.rule, of: rule.device))
        let payload = JSON.object([
            "name": .text("Rule \(rule.rule)"), "unique_id": id, "object_id": id, "state_topic": state,
            "value_template": "{{ 'ON' if value_json.firing else 'OFF' }}", "device_class": "problem",
            // A rule on silence fires while the device isn't available.
            "availability": availability(topics.status), "json_attributes_topic": state,
            "device": describe(device, information: DeviceInformation()), "origin": origin,
        ])
        let topic = "\(prefix)/\(HomeAssistantEntity.Component.binarySensor.rawValue)/\(topics.base)/\(object)/config"
        return (topic, payload.bytes)
    }

    /// Returns the message that describes an entity and its device.
    ///
    /// - Parameter expiry: how long a value is valid; `nil` until the next one.
    func message(
        _ entity: HomeAssistantEntity, information: DeviceInformation, expiry: Duration?
    ) -> (topic: String, payload: [UInt8])? {
        guard let device = devices[entity.device] else { return nil }
        let isEvent = entity.component == .event
        let payload = JSON.object([
            "name": .text(entity.name), "unique_id": .text("\(topics.base)_\(entity.object)"),
            "object_id": .text("\(topics.base)_\(entity.object)"),
            "state_topic": .text(isEvent ? topics.events(entity.device) : topics.state(entity.device)),
            "value_template": .text(entity.template), "availability_mode": "all",
            // In a fleet, any gateway may read the device, and says so at the device's topic.
            "availability": topics.isFleet
                ? availability(topics.availability(entity.device))
                : availability(topics.status, topics.availability(entity.device)),
            "device_class": .text(entity.deviceClass), "options": entity.names?.shown,
            "unit_of_measurement": .text(entity.unit),
            "state_class": .text(entity.stateClass), "suggested_display_precision": .integer(entity.decimals),
            "event_types": isEvent ? .array(entity.events.map { .text($0) }) : nil,
            "entity_category": entity.isDiagnostic ? "diagnostic" : nil,
            "enabled_by_default": entity.isEnabled ? nil : .boolean(false),
            // The time of the last message stays true.
            "expire_after": isEvent || entity.key.description == "time"
                ? nil : expiry.map { .integer(Int($0.components.seconds)) },
            "json_attributes_topic": attributes(of: device).map { _ in .text(topics.state(entity.device)) },
            "json_attributes_template": .text(attributes(of: device)),
            "device": describe(device, information: information), "origin": origin,
        ])
        let topic = "\(prefix)/\(entity.component.rawValue)/\(topics.base)/\(entity.object)/config"
        return (topic, payload.bytes)
    }

    private func availability(_ topics: String...) -> JSON { .array(topics.map { .object(["topic": .text($0)]) }) }

    /// The template of an entity's attributes: Home Assistant has no tags of devices, and no gateways.
    private func attributes(of device: DeviceConfiguration) -> String? {
        let keys = (topics.isFleet ? ["gateway", "rssi"] : []) + (device.tags.isEmpty ? [] : ["tags"])
        guard !keys.isEmpty else { return nil }
        // A message may lack some of them, such as the strength of a signal that BlueZ doesn't report.
        return "{{ {\(keys.map { "'\($0)': value_json.get('\($0)')" }.joined(separator: ", "))} | tojson }}"
    }

    private func describe(_ device: DeviceConfiguration, information: DeviceInformation) -> JSON {
        .object([
            "identifiers": .array([.text("\(topics.base)/\(device.id)")]),
            "connections": .array([.array(["bluetooth", .text(device.address.description)])]),
            "manufacturer": .text(information.manufacturer ?? information.maker?.manufacturer),
            "model": .text(information.model ?? information.maker?.model),
            "sw_version": .text(information.firmware), "name": .text(device.name),
            // In a fleet, it may be another gateway soon.
            "via_device": topics.isFleet ? nil : .text(node),
        ])
    }

    /// Returns the messages that describe the gateway itself.
    ///
    /// - Parameter hasBattery: whether the machine has a battery.
    func gatewayMessages(hasBattery: Bool) -> [(topic: String, payload: [UInt8])] {
        HomeAssistantGateway.entities(topics, hasBattery: hasBattery).map { entity in
            let id = JSON.text("\(node)_\(entity.object)")
            let payload = JSON.object(
                [("name", .text(entity.name)), ("unique_id", id), ("object_id", id)] + entity.settings + [
                    ("entity_category", "diagnostic"), ("device", gateway), ("origin", origin),
                ])
            let topic = "\(prefix)/\(entity.component.rawValue)/\(node)/gateway_\(entity.object)/config"
            return (topic, payload.bytes)
        }
    }

    private var gateway: JSON {
        .object([
            "identifiers": .array([.text(node)]), "name": .text("blekeep \(topics.gateway)"),
            "manufacturer": "blekeep", "sw_version": .text(version),
        ])
    }

    private var origin: JSON { .object(["name": "blekeep", "sw_version": .text(version)]) }
}
