import BlekeepRecords

/// An entity of Home Assistant: one field of one device.
struct HomeAssistantEntity: Hashable, Sendable {
    enum Component: String, Sendable {
        case sensor
        case binarySensor = "binary_sensor"
        /// What happens without a lasting state, such as the press of a button.
        case event
    }

    let component: Component
    let device: DeviceID
    let key: FieldKey
    private(set) var characteristic: BluetoothUUID?
    /// Whether it says what the device is, such as its serial number. It is read once, and stays true.
    private(set) var isLasting = false
    let name: String
    /// Whether the value is about the device itself, such as its battery level.
    let isDiagnostic: Bool
    /// Whether users see the entity without enabling it.
    private(set) var isEnabled = true
    /// What can happen, for an event.
    private(set) var events: [String] = []
    var deviceClass: String?
    var unit: String?
    var stateClass: String?
    /// The number of decimals to show; `nil` when unknown.
    var decimals: Int?
    /// The names of the numbers; `nil` for plain numbers.
    var names: HomeAssistantNames?

    /// - Returns: `nil` for readings without an entity: failures, lists, flags and special values.
    init?(_ reading: Reading) {
        guard case .value(let measurement, _) = reading.outcome, !measurement.isFlags, let value = measurement.value
        else { return nil }
        device = reading.id
        key = FieldKey(reading, field: measurement.field)
        characteristic = reading.characteristic
        isLasting = reading.service == DeviceInformation.service
        name = MeasuredName.text(reading)
        isDiagnostic =
            reading.service == DeviceInformation.service || !ValuePlace(reading.key, name: reading.name).isMain
        if measurement.isEventful {
            component = .event
            deviceClass = measurement.field.hasPrefix("button") ? "button" : nil
            events = HomeAssistantTable.events(of: measurement.field)
            return
        }
        switch value {
        case .list: return nil
        case .boolean:
            component = .binarySensor
            deviceClass = HomeAssistantTable.binaryClass(of: measurement.field)
        case .text: component = .sensor
        case .integer, .number:
            component = .sensor
            names = HomeAssistantNames(of: reading.characteristic, field: measurement.field)
            guard names == nil else {
                deviceClass = "enum"
                return
            }
            unit = measurement.unit
            decimals = measurement.decimals
            if measurement.unit == "s", FieldName.ends(measurement.field, with: ["timestamp"]) {
                (unit, decimals, deviceClass) = (nil, nil, "timestamp")
                return
            }
            let quantity = Quantity(measurement)
            deviceClass = quantity.deviceClass
            stateClass = quantity.stateClass ?? "measurement"
        }
    }

    private init(_ device: DeviceID, key: String, name: String, deviceClass: String, unit: String?, stateClass: String?)
    {
        (component, isDiagnostic, isEnabled) = (.sensor, true, false)
        (self.device, self.key, self.name) = (device, FieldKey(key), name)
        (self.deviceClass, self.unit, self.stateClass) = (deviceClass, unit, stateClass)
    }

    /// What a device has beside its fields: the strength of its signal, and when blekeep heard or read it last.
    static func connection(of device: DeviceID) -> [HomeAssistantEntity] {
        [
            HomeAssistantEntity(
                device, key: "rssi", name: "RSSI", deviceClass: "signal_strength", unit: "dBm",
                stateClass: "measurement"),
            HomeAssistantEntity(
                device, key: "time", name: "Last seen", deviceClass: "timestamp", unit: nil, stateClass: nil),
        ]
    }

    /// The entity's ID without the gateway: `greenhouse-181a_2a6e_temperature`.
    var object: String { "\(device)-\(key)" }

    /// The template that picks the field of a state message. A message that lacks the field changes nothing.
    var template: String {
        switch component {
        case .event:
            return "{{ value_json | tojson if value_json.key == '\(key)' else '' }}"
        case .sensor where deviceClass == "timestamp" && key.description != "time":
            return "{{ as_datetime(value_json['\(key)']) if value_json['\(key)'] is number else this.state }}"
        case .sensor:
            if let names { return names.template(key, else: HomeAssistantNames.unknown) }
            let other = stateClass == nil ? "this.state" : "''"
            return "{{ value_json['\(key)'] if '\(key)' in value_json else \(other) }}"
        case .binarySensor:
            return "{{ '' if value_json['\(key)'] is not defined else 'ON' if value_json['\(key)'] else 'OFF' }}"
        }
    }
}

/// The names of a field's numbers as options of an entity.
struct HomeAssistantNames: Hashable, Sendable {
    private let enumeration: Enumeration

    /// - Returns: `nil` when the field's numbers have no names.
    init?(of characteristic: BluetoothUUID?, field: String) {
        guard let enumeration = Enumeration(of: characteristic, field: field) else { return nil }
        self.enumeration = enumeration
    }

    /// The option for a number without a name, and for no number.
    static let unknown = "Unknown"

    /// The options of a sensor, which shows any number. Home Assistant complains of an option that comes twice.
    var shown: JSON {
        let names = enumeration.names.map(\.name)
        return .array((names.contains(Self.unknown) ? names : names + [Self.unknown]).map { .text($0) })
    }

    /// The options that can be chosen.
    var chosen: JSON { .array(enumeration.names.map { .text($0.name) }) }

    /// The template that gives the name of the number in a state message. A message without the field changes nothing.
    ///
    /// - Parameter word: what stands for a number without a name.
    func template(_ key: FieldKey, else word: String) -> String {
        let names = enumeration.names.map { "\($0.number): '\($0.name)'" }.joined(separator: ", ")
        return "{% set names = {\(names)} %}{{ names.get(value_json['\(key)'], '\(word)') if '\(key)' in value_json "
            + "else this.state if this.state in names.values() else '\(word)' }}"
    }

    /// The template that gives the number of a chosen option.
    var command: String {
        let numbers = enumeration.names.map { "'\($0.name)': \($0.number)" }.joined(separator: ", ")
        return "{{ {\(numbers)}[value] }}"
    }
}
