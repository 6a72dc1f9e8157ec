import BlekeepRecords

/// The entities of the gateway itself.
enum HomeAssistantGateway {
    struct Entity {
        let component: HomeAssistantEntity.Component
        let name: String
        let object: String
        let settings: [(key: String, value: JSON?)]
    }

    /// - Parameter hasBattery: whether the machine has a battery.
    static func entities(_ topics: MQTTTopics, hasBattery: Bool) -> [Entity] {
        let fromState: [(key: String, value: JSON?)] = [
            ("state_topic", .text(topics.gatewayState)),
            ("availability", .array([.object(["topic": .text(topics.status)])])),
        ]
        func sensor(_ name: String, object: String, settings: KeyValuePairs<String, JSON?>) -> Entity {
            let template = ("value_template", JSON.text("{{ value_json.get('\(object)', '') }}"))
            let settings = settings.map { (key: $0.key, value: $0.value) }
            return Entity(component: .sensor, name: name, object: object, settings: fromState + [template] + settings)
        }
        let status = Entity(
            component: .binarySensor, name: "Status", object: "status",
            settings: [
                ("state_topic", .text(topics.status)), ("payload_on", "online"), ("payload_off", "offline"),
                ("device_class", "connectivity"),
            ])
        let bluetooth = Entity(
            component: .binarySensor, name: "Bluetooth", object: "bluetooth",
            settings: fromState + [
                ("value_template", "{{ 'ON' if value_json.bluetooth_problem else 'OFF' }}"),
                ("device_class", "problem"), ("json_attributes_topic", .text(topics.gatewayState)),
                ("json_attributes_template", "{{ value_json.adapters | tojson }}"),
            ])
        let modes = JSON.array(PowerMode.allCases.map { .text($0.rawValue) })
        let mode = sensor("Power mode", object: "power_mode", settings: ["device_class": "enum", "options": modes])
        let backlog = sensor("Waiting readings", object: "backlog", settings: ["state_class": "measurement"])
        let battery = sensor(
            "Battery", object: "battery",
            settings: ["device_class": "battery", "unit_of_measurement": "%", "state_class": "measurement"])
        return [status, bluetooth, mode, backlog] + (hasBattery ? [battery] : [])
    }
}
