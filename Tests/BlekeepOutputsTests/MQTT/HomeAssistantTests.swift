import BlekeepRecords
import Foundation
import RunLoop
import SampleReadings
import Testing

@testable import BlekeepOutputs

/// The messages for Home Assistant.
@Suite struct HomeAssistantTests {
    private let mqtt = MQTTConfiguration(host: "broker.example", port: 8883, isEncrypted: true, gateway: "cellar")

    private func discovery(_ devices: [DeviceConfiguration]) throws -> HomeAssistantDiscovery {
        try #require(HomeAssistantDiscovery(mqtt, configuration: PollConfiguration(devices: devices), version: "1.0"))
    }

    private func device(_ characteristics: [CharacteristicConfiguration] = []) throws -> DeviceConfiguration {
        DeviceConfiguration(
            alias: "greenhouse", address: try #require(BluetoothAddress("F0:00:00:00:00:01")),
            characteristics: characteristics)
    }

    private func entity(_ outcome: Reading.Outcome) throws -> HomeAssistantEntity? {
        HomeAssistantEntity(try makeReading(outcome))
    }

    private func object(_ payload: [UInt8]) throws -> [String: Any] {
        try #require(try JSONSerialization.jsonObject(with: Data(payload)) as? [String: Any])
    }

    @Test func aTemperatureHasItsClass() throws {
        let entity = try #require(try entity(makeValue(.number(20))))
        #expect(entity.deviceClass == "temperature")
        #expect(entity.unit == "°C")
        #expect(entity.stateClass == "measurement")
        #expect(entity.object == "f00000000001-181a_2a6e_temperature")
    }

    @Test func aRuleIsAProblem() throws {
        let device = try device()
        var configuration = PollConfiguration(devices: [device])
        configuration.rules = [Rule(name: "warm", when: try Rule.Condition("temperature of all > 3 °C"))]
        let discovery = try #require(HomeAssistantDiscovery(mqtt, configuration: configuration, version: "1.0"))
        let status = RuleStatus(rule: "warm", device: device.id, condition: "")
        let (topic, payload) = try #require(discovery.message(status))
        #expect(topic == "homeassistant/binary_sensor/blekeep/f00000000001-rule_warm/config")
        let object = try object(payload)
        #expect(object["device_class"] as? String == "problem")
        #expect(object["state_topic"] as? String == "blekeep/cellar/f00000000001/rules/warm")
        // The broker forgets it when the rule leaves the configuration.
        #expect(!discovery.isObsolete(topic, payload: payload))
        #expect(try self.discovery([device]).isObsolete(topic, payload: payload))
    }

    @Test func aBrokerGetsARuleOnceAndAgainWithANewConnection() throws {
        let device = try device()
        var configuration = PollConfiguration(devices: [device])
        configuration.rules = [Rule(name: "warm", when: try Rule.Condition("temperature of all > 3 °C"))]
        let topics = MQTTTopics(mqtt)
        var announcements = MQTTAnnouncements(
            discovery: HomeAssistantDiscovery(mqtt, configuration: configuration, version: "1.0"),
            lifetimes: ValueLifetimes(configuration))
        var status = RuleStatus(rule: "warm", device: device.id, condition: "")
        #expect(announcements.note(status, topics).count == 2)
        #expect(announcements.note(status, topics).isEmpty)
        status.phase = .pending
        #expect(announcements.note(status, topics).isEmpty)
        status.phase = .firing
        let news = announcements.note(status, topics)
        #expect(news.map(\.topic) == ["blekeep/cellar/f00000000001/rules/warm"])
        #expect(try object(#require(news.first).payload)["firing"] as? Bool == true)
        announcements.begin(at: .start)
        var all: [String] = []
        while case .publish(let messages, _) = announcements.next(topics, at: .start, time: 0) {
            all += messages.map(\.topic)
        }
        #expect(all.contains("blekeep/cellar/f00000000001/rules/warm"))
        #expect(all.contains("homeassistant/binary_sensor/blekeep/f00000000001-rule_warm/config"))
        let forgotten = announcements.forget(RuleKey(status), topics)
        #expect(forgotten.count == 2 && forgotten.allSatisfy { $0.payload.isEmpty })
    }

    @Test func tagsAreAttributesThatTheStateHas() throws {
        var device = try device()
        let entity = try #require(try entity(makeValue(.number(20))))
        func attributes() throws -> (Any?, Any?) {
            let message = try discovery([device]).message(
                entity, information: DeviceInformation(), expiry: .seconds(120))
            let object = try object(#require(message).payload)
            return (object["json_attributes_topic"], object["json_attributes_template"])
        }
        #expect(try attributes().0 == nil)
        device.tags = ["cellar"]
        #expect(try attributes().0 as? String == "blekeep/cellar/f00000000001/state")
        #expect(try attributes().1 as? String == "{{ {'tags': value_json.get('tags')} | tojson }}")
    }

    @Test func theLayoutSaysHowManyDecimalsToShow() throws {
        let measurement = try #require(try LayoutDecoder(BluetoothUUID(0x2A6E))?.decode([0x4E, 0x09]).first)
        let entity = try #require(try entity(.value(measurement, raw: [0x4E, 0x09])))
        let message = try #require(
            try discovery([device()]).message(entity, information: DeviceInformation(), expiry: .seconds(120)))
        #expect(try object(message.payload)["suggested_display_precision"] as? Int == 2)
    }

    /// Home Assistant would complain of each.
    @Test(arguments: [("energy", "J"), ("rain", "m"), ("pm2_5", "kg/m³")])
    func aUnitThatHomeAssistantDoesNotTakeHasNoClass(field: String, unit: String) throws {
        let entity = try #require(try entity(makeValue(.number(20), field: field, unit: unit)))
        #expect(entity.deviceClass == nil && entity.stateClass == "measurement")
    }

    @Test func energyOnlyRises() throws {
        let entity = try #require(try entity(makeValue(.number(20), field: "energy", unit: "kWh")))
        #expect(entity.stateClass == "total_increasing")
    }

    @Test func listsFlagsAndFailuresAreNoEntities() throws {
        #expect(try entity(makeValue(.integer(6), field: "flags", unit: nil)) == nil)
        #expect(try entity(makeValue(.list([.integer(1)]))) == nil)
        #expect(try entity(makeFailure()) == nil)
        #expect(try entity(makeValue(nil, state: "unknown")) == nil)
    }

    @Test func aFlagIsABinarySensor() throws {
        let window = try #require(try entity(makeValue(.boolean(true), field: "window", unit: nil)))
        #expect(window.component == .binarySensor)
        #expect(window.deviceClass == "window")
        let other = try #require(try entity(makeValue(.boolean(true), field: "whatever", unit: nil)))
        #expect(other.deviceClass == nil)
    }

    @Test(arguments: [
        ("opening_1", "opening"), ("lid_opening", "opening"), ("lid_open", "opening"),
        ("garage_door_open", "garage_door"),
        ("front_door_2", "door"), ("door_left_open", "problem"), ("battery_low", "battery"), ("lock", "lock"),
        ("child_lock", nil), ("night_light", nil), ("reopen", nil),
    ])
    func theEndOfAFlagsNameHasTheClass(field: String, deviceClass: String?) throws {
        #expect(try entity(makeValue(.boolean(true), field: field, unit: nil))?.deviceClass == deviceClass)
    }

    @Test(arguments: [
        ("battery_level_1", "%", true), ("probe_2_battery", "%", true), ("rssi", "dBm", true),
        ("battery_voltage", "V", false), ("moisture_1", "%", false),
    ])
    func batteriesAndSignalsAreDiagnostic(field: String, unit: String, isDiagnostic: Bool) throws {
        #expect(try entity(makeValue(.number(20), field: field, unit: unit))?.isDiagnostic == isDiagnostic)
    }

    // MARK: Devices that only advertise

    private func advertised(_ outcome: Reading.Outcome, format: String = "Ruuvi") throws -> Reading {
        var reading = try makeReading(outcome)
        (reading.service, reading.characteristic, reading.name) = (nil, nil, format)
        return reading
    }

    @Test(arguments: [
        ("temperature", "Temperature"), ("battery_voltage", "Battery voltage"), ("co2", "CO2"), ("pm2_5", "PM2.5"),
        ("tx_power", "TX power"),
    ])
    func theFormatIsNotInTheName(field: String, name: String) throws {
        let reading = try advertised(makeValue(.number(20), field: field, unit: "°C"))
        #expect(try #require(HomeAssistantEntity(reading)).name == name)
    }

    @Test(arguments: [
        ("acceleration_x", "gₙ", "Ruuvi", true), ("movement_counter", nil, "Ruuvi", true),
        ("tx_power", "dBm", "Ruuvi", true),
        ("measurement_sequence", nil, "Ruuvi", true), ("battery_voltage", "V", "Ruuvi", true),
        ("battery_voltage", "V", "Victron", false), ("temperature", "°C", "Ruuvi", false),
        ("voltage", "V", "BTHome", false),
    ])
    func whatIsAboutTheDeviceIsDiagnostic(field: String, unit: String?, format: String, isDiagnostic: Bool) throws {
        let reading = try advertised(makeValue(.number(20), field: field, unit: unit), format: format)
        #expect(try #require(HomeAssistantEntity(reading)).isDiagnostic == isDiagnostic)
    }

    /// The second press of the same kind triggers an automation, too.
    @Test(arguments: [("button", "press"), ("button_2", "none"), ("dimmer", "rotate_left"), ("cube", "rotate_right")])
    func aButtonIsAnEvent(field: String, text: String) throws {
        let reading = try advertised(makeValue(.text(text), field: field, unit: nil), format: "BTHome")
        let entity = try #require(HomeAssistantEntity(reading))
        let message = try #require(
            try discovery([device()]).message(entity, information: DeviceInformation(), expiry: .seconds(120)))
        #expect(message.topic == "homeassistant/event/blekeep/f00000000001-bthome_\(field)/config")
        let object = try object(message.payload)
        #expect(object["state_topic"] as? String == "blekeep/cellar/f00000000001/events")
        #expect((object["event_types"] as? [String])?.contains(text) == (text != "none"))
        #expect(object["expire_after"] == nil && object["state_class"] == nil)
        #expect(object["device_class"] as? String == (field.hasPrefix("button") ? "button" : nil))
    }

    @Test func aTimestampHasItsClass() throws {
        let reading = try advertised(
            makeValue(.integer(1_684_093_277), field: "timestamp", unit: "s"), format: "BTHome")
        let entity = try #require(HomeAssistantEntity(reading))
        #expect(entity.deviceClass == "timestamp" && entity.unit == nil && entity.stateClass == nil)
        #expect(entity.template.contains("as_datetime"))
    }

    @Test(arguments: [
        ("Ruuvi", "Ruuvi", "RuuviTag or Ruuvi Air"), ("Govee", "Govee", nil), ("BTHome", nil, "BTHome sensor"),
        ("MiBeacon", "Xiaomi", nil), ("Xiaomi Scale", "Xiaomi", "Mi Scale"), ("something", nil, nil),
    ])
    func theFormatTellsTheMaker(format: String, manufacturer: String?, model: String?) throws {
        var information = DeviceInformation()
        let reading = try advertised(makeValue(.number(20)), format: format)
        let news = [information.apply(reading), information.apply(reading)]
        #expect(news == [manufacturer != nil || model != nil, false])
        #expect(information.maker?.manufacturer == manufacturer && information.maker?.model == model)
        // What the device itself says counts more.
        let entity = try #require(HomeAssistantEntity(reading))
        information.model = "T1"
        let message = try #require(
            try discovery([device()]).message(entity, information: information, expiry: .seconds(120)))
        let device = try #require(object(message.payload)["device"] as? [String: Any])
        #expect(device["manufacturer"] as? String == manufacturer && device["model"] as? String == "T1")
    }

    /// A later packet may tell the model, and one that doesn't changes nothing.
    @Test func aPacketTellsTheModel() throws {
        var information = DeviceInformation()
        var reading = try advertised(makeValue(.number(20)), format: "SwitchBot")
        func apply(_ packet: [UInt8], service: UInt16?) -> Bool {
            reading.service = service.map { BluetoothUUID($0) }
            reading.outcome = .value(Measurement(field: "battery", value: .integer(20)), raw: packet)
            return information.apply(reading)
        }
        let news = [
            apply([0x54, 0, 0xAA, 0xBB], service: nil), apply([0x7F, 0, 100], service: 0xFD3D),
            apply([0xE3, 0x40, 83], service: 0xFD3D), apply([0x54, 0, 100], service: 0xFD3D),
        ]
        #expect(news == [true, false, true, false])
        #expect(information.maker?.manufacturer == "SwitchBot" && information.maker?.model == "Curtain")
    }

    @Test func signalAndTimeAreThereForThoseWhoWantThem() throws {
        let device = try device()
        let all = try HomeAssistantEntity.connection(of: device.id).map { entity in
            try object(
                #require(
                    try discovery([device]).message(entity, information: DeviceInformation(), expiry: .seconds(120))
                ).payload)
        }
        #expect(all.map { $0["name"] as? String } == ["RSSI", "Last seen"])
        #expect(all.allSatisfy { $0["enabled_by_default"] as? Bool == false })
        #expect(all.allSatisfy { $0["entity_category"] as? String == "diagnostic" })
        #expect(all[0]["expire_after"] as? Int == 120 && all[1]["expire_after"] == nil)
        #expect(all[1]["device_class"] as? String == "timestamp")
        let topic = "homeassistant/sensor/blekeep/f00000000001-rssi/config"
        #expect(
            try !discovery([device]).isObsolete(
                topic, payload: Array("{\"t\":\"blekeep/cellar/status\"}".utf8)))
    }

    @Test func discoveryMessageDescribesTheEntity() throws {
        let entity = try #require(try entity(makeValue(.number(20))))
        let information = DeviceInformation(manufacturer: "Acme", model: "T1", firmware: "1.2")
        let message = try #require(
            try discovery([device()]).message(entity, information: information, expiry: .seconds(120)))
        #expect(message.topic == "homeassistant/sensor/blekeep/f00000000001-181a_2a6e_temperature/config")
        let object = try object(message.payload)
        #expect(object["unique_id"] as? String == "blekeep_f00000000001-181a_2a6e_temperature")
        #expect(object["state_topic"] as? String == "blekeep/cellar/f00000000001/state")
        #expect(object["expire_after"] as? Int == 120)
        #expect((object["availability"] as? [[String: String]])?.count == 2)
        let device = try #require(object["device"] as? [String: Any])
        #expect(device["connections"] as? [[String]] == [["bluetooth", "F0:00:00:00:00:01"]])
        #expect(device["via_device"] as? String == "blekeep_cellar")
        #expect(device["model"] as? String == "T1")
    }

    /// Home Assistant keeps the entity when the gateway gets another name, or the device another address.
    @Test func anEntityBelongsToTheIDOfItsDevice() throws {
        var reading = try makeReading(makeValue(.number(21)))
        let entities = try ["cellar", "attic"].map { gateway in
            var mqtt = mqtt
            mqtt.gateway = gateway
            var device = try device()
            device.ownID = DeviceID("stove_1")
            reading.id = device.id
            device.address = BluetoothAddress(bits: UInt64(gateway.utf8.count))
            let discovery = try #require(
                HomeAssistantDiscovery(mqtt, configuration: PollConfiguration(devices: [device]), version: "1.0"))
            let entity = try #require(HomeAssistantEntity(reading))
            return try #require(discovery.message(entity, information: DeviceInformation(), expiry: .seconds(120)))
        }
        #expect(
            entities.map(\.topic)
                == Array(repeating: "homeassistant/sensor/blekeep/stove_1-181a_2a6e_temperature/config", count: 2))
        let objects = try entities.map { try object($0.payload) }
        #expect(
            objects.map { $0["unique_id"] as? String }
                == Array(repeating: "blekeep_stove_1-181a_2a6e_temperature", count: 2))
        #expect(
            objects.map { $0["state_topic"] as? String } == [
                "blekeep/cellar/stove_1/state", "blekeep/attic/stove_1/state",
            ])
        #expect(
            objects.map { ($0["device"] as? [String: Any])?["identifiers"] as? [String] }
                == Array(repeating: ["blekeep/stove_1"], count: 2))
    }

    @Test func aGatewayWithoutABatteryHasNoBatteryEntity() throws {
        let messages = try discovery([]).gatewayMessages(hasBattery: false)
        #expect(
            messages.map(\.topic) == [
                "homeassistant/binary_sensor/blekeep_cellar/gateway_status/config",
                "homeassistant/binary_sensor/blekeep_cellar/gateway_bluetooth/config",
                "homeassistant/sensor/blekeep_cellar/gateway_power_mode/config",
                "homeassistant/sensor/blekeep_cellar/gateway_backlog/config",
            ])
        for message in messages { #expect(try object(message.payload)["entity_category"] as? String == "diagnostic") }
        #expect(try discovery([]).gatewayMessages(hasBattery: true).count == 5)
    }

    private static func description(by gateway: String) -> [UInt8] {
        Array(#"{"availability":[{"topic":"blekeep/\#(gateway)/status"}]}"#.utf8)
    }

    @Test func removesWhatIsNoLongerConfigured() throws {
        let own = Self.description(by: "cellar")
        let topic = "homeassistant/sensor/blekeep/f00000000001-181a_2a6e_temperature/config"
        #expect(try !discovery([device()]).isObsolete(topic, payload: own))
        #expect(try discovery([]).isObsolete(topic, payload: own))
        let temperature = CharacteristicConfiguration(characteristic: BluetoothUUID(0x2A6E))
        let humidity = CharacteristicConfiguration(
            service: BluetoothUUID(0x181A), characteristic: BluetoothUUID(0x2A6F))
        #expect(try !discovery([device([temperature])]).isObsolete(topic, payload: own))
        #expect(try discovery([device([humidity])]).isObsolete(topic, payload: own))
        #expect(try !discovery([]).isObsolete(topic, payload: Self.description(by: "attic")))
    }

    /// Home Assistant shows no value after a changed message until the next value comes.
    @Test func earlierReadingsCompleteTheFirstMessage() throws {
        let value = makeValue(.text("Env 1"), field: "model_number", unit: nil)
        let model = Reading(
            time: someTime, tick: 1, device: "greenhouse", address: try device().address,
            service: DeviceInformation.service, characteristic: BluetoothUUID(0x2A24), name: "Model Number",
            outcome: value)
        let configuration = PollConfiguration(devices: [try device()])
        var announcements = MQTTAnnouncements(
            discovery: try discovery(configuration.devices), lifetimes: ValueLifetimes(configuration), earlier: [model])
        let temperature = try makeLive(makeValue(.number(20)))
        let message = try #require(announcements.news(in: [temperature]).first)
        #expect((try object(message.payload)["device"] as? [String: Any])?["model"] as? String == "Env 1")
    }

    /// Home Assistant's birth message may come 60,000 times.
    @Test func requestsBecomeOneAnnouncementAfterAPause() throws {
        let configuration = PollConfiguration(devices: [try device()])
        var announcements = MQTTAnnouncements(
            discovery: try discovery(configuration.devices), lifetimes: ValueLifetimes(configuration))
        _ = announcements.news(in: [try makeLive(makeValue(.number(20)))])
        func messages(at seconds: Int) -> (count: Int, next: Uptime?) {
            var count = 0
            while true {
                switch announcements.next(MQTTTopics(mqtt), at: .start + .seconds(seconds), time: someTime) {
                case .publish(let messages, _): count += messages.count
                case .wait(let time): return (count, time)
                case .done: return (count, nil)
                }
            }
        }
        announcements.begin(at: .start)
        #expect(messages(at: 2) == (7, nil))
        for _ in 0..<60_000 { announcements.request() }
        // Ten times as long as it took.
        #expect(messages(at: 3) == (0, .start + .seconds(22)))
        #expect(messages(at: 22) == (7, nil))
        #expect(messages(at: 100) == (0, nil))
        for _ in 0..<60_000 { announcements.request() }
        #expect(messages(at: 100) == (7, nil))
    }

    @Test func controlsFollowTheConfiguration() throws {
        var mqtt = mqtt
        mqtt.commands = [.poll, .set]
        var point = CharacteristicConfiguration(characteristic: BluetoothUUID(0x2A6E))
        point.isWritable = true
        let configuration = PollConfiguration(devices: [try device([point])])
        let discovery = try #require(HomeAssistantDiscovery(mqtt, configuration: configuration, version: "1.0"))
        let id = try device().id
        #expect(discovery.controls(of: id).map(\.object) == ["f00000000001-poll"])
        let reading = try makeReading(makeValue(.number(20)))
        let entity = try #require(HomeAssistantEntity(reading))
        let control = try #require(discovery.control(setting: entity, of: reading))
        let message = try #require(discovery.message(control, information: DeviceInformation()))
        #expect(message.topic == "homeassistant/number/blekeep/f00000000001-181a_2a6e_temperature_set/config")
        let object = try object(message.payload)
        #expect(object["command_topic"] as? String == "blekeep/cellar/f00000000001/command/set/181a/2a6e")
        #expect(object["command_template"] as? String == "{{ value }} °C")
        #expect(["min", "max", "step"].map { object[$0] as? Double } == [-273.15, 327.67, 0.01])
        let topics = ["button/x", "switch/x", "number/181a_2a6e_temperature_set", "text/181a_2a6e_temperature_set"].map
        {
            "homeassistant/\($0.replacing("/", with: "/blekeep/f00000000001-"))/config"
        }
        let own = Self.description(by: "cellar")
        #expect(topics.map { discovery.isObsolete($0, payload: own) } == [false, true, false, true])
        let plain = try self.discovery([device()])
        #expect(topics.map { plain.isObsolete($0, payload: own) } == [true, true, true, true])
        #expect(plain.control(setting: entity, of: reading) == nil && plain.controls(of: id).isEmpty)
    }

    @Test(
        arguments: [
            (0x2A6E, .number), (0x2A38, .select), (0x2A00, .text), (0xFFF1, .text), (0x2A37, nil),
            // Its steps of 1/64 V are no whole thousandths.
            (0x2B18, .text),
        ] as [(UInt16, HomeAssistantControl.Component?)])
    func layoutDecidesHowAValueIsSet(_ characteristic: UInt16, _ component: HomeAssistantControl.Component?) {
        #expect(HomeAssistantControl.setter(of: BluetoothUUID(characteristic), []) == component)
    }

    @Test func namedNumbersAreOptions() throws {
        var reading = try makeReading(makeValue(.integer(1), field: "body_sensor_location", unit: nil))
        reading.characteristic = BluetoothUUID(0x2A38)
        let entity = try #require(HomeAssistantEntity(reading))
        let message = try #require(
            try discovery([device()]).message(entity, information: DeviceInformation(), expiry: .seconds(120)))
        let object = try object(message.payload)
        #expect(object["device_class"] as? String == "enum")
        #expect(
            object["options"] as? [String]
                == ["Other", "Chest", "Wrist", "Finger", "Hand", "Ear lobe", "Foot", "Unknown"])
        #expect(object["state_class"] == nil && object["unit_of_measurement"] == nil)
        #expect((object["value_template"] as? String)?.contains("1: 'Chest'") == true)
    }

    /// Those of other programs, and the gateway's own.
    @Test(arguments: [
        "homeassistant/sensor/other/f00000000009-181a_2a6e_temperature/config",
        "homeassistant/binary_sensor/blekeep_cellar/gateway_bluetooth/config", "homeassistant/status", "", "///",
    ])
    func leavesTheRestAlone(topic: String) throws {
        #expect(try !discovery([]).isObsolete(topic, payload: Self.description(by: "cellar")))
    }
}
