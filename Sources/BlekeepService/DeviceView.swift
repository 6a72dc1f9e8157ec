import BlekeepRecords
import DBus

/// What a device's object on the bus shows. Pure.
struct DeviceView {
    let path: ObjectPath
    let id: DeviceID
    private(set) var configuration: DeviceConfiguration
    private var status: DeviceStatus?
    private var values: [(key: ValueKey, reading: Properties)] = []

    /// A field of a characteristic.
    private struct ValueKey: Equatable {
        let service: BluetoothUUID?
        let characteristic: BluetoothUUID?
        let instance: Int
        let name: String
        let field: String
    }

    /// The most values of a device, because a device chooses how many fields it has.
    static let maxValues = 256

    init(_ configuration: DeviceConfiguration) {
        self.configuration = configuration
        id = configuration.id
        path = KeptDevice1.path(of: id)
    }

    /// Takes the device's new configuration. With another address it is another sensor, without values so far.
    mutating func apply(_ configuration: DeviceConfiguration) {
        if configuration.address != self.configuration.address { (status, values) = (nil, []) }
        self.configuration = configuration
    }

    /// Takes what the history holds now. Returns whether it differs.
    mutating func apply(_ status: DeviceStatus) -> Bool {
        guard status != self.status else { return false }
        self.status = status
        return true
    }

    /// Takes a new value. Returns the value for a message; `nil` for a failure.
    mutating func apply(_ reading: Reading) -> Properties? {
        guard case .value(let measurement, let raw) = reading.outcome else { return nil }
        let key = ValueKey(
            service: reading.service, characteristic: reading.characteristic, instance: reading.instance,
            name: reading.name, field: measurement.field)
        let properties = Self.properties(reading, measurement: measurement, raw: raw)
        if let index = values.firstIndex(where: { $0.key == key }) {
            values[index].reading = properties
        } else if values.count < Self.maxValues {
            values.append((key, properties))
        }
        return properties
    }

    private static func properties(_ reading: Reading, measurement: Measurement, raw: [UInt8]) -> Properties {
        var properties: Properties = [
            "Name": Variant(reading.name), "Field": Variant(measurement.field),
            "Instance": Variant(UInt32(clamping: reading.instance)), "Time": Variant(reading.time),
            "Raw": Variant(raw),
        ]
        properties["Service"] = reading.service.map { Variant($0.description) }
        properties["Characteristic"] = reading.characteristic.map { Variant($0.description) }
        properties["Recipe"] = reading.recipe.map { Variant($0) }
        properties["Unit"] = measurement.unit.map { Variant($0) }
        properties["State"] = measurement.state.map { Variant($0) }
        properties["Value"] = measurement.value.map { Variant(content: $0.value) }
        return properties
    }

    /// The properties for a message. A property that is missing has no value now.
    var properties: Properties {
        var properties: Properties = [:]
        properties[KeptDevice1.address] = configuration.address.description
        properties[KeptDevice1.alias] = configuration.name
        properties[KeptDevice1.tags] = configuration.tags
        properties[KeptDevice1.adapter] = configuration.adapter?.description
        properties[KeptDevice1.values] = values.map(\.reading)
        for field in KeptDevice1.fields { properties[field.member] = status.flatMap(field.value)?.variant(field.kind) }
        return properties
    }
}

extension StatusField.Value {
    fileprivate func variant(_ kind: StatusField.Kind) -> Variant {
        switch self {
        case .text(let text): Variant(text)
        case .flag(let flag): Variant(flag)
        case .number(let number) where kind == .signal: Variant(Int16(clamping: number))
        case .number(let number) where kind == .time: Variant(number)
        case .number(let number): Variant(UInt64(clamping: number))
        }
    }
}

extension MeasuredValue {
    /// The value on the bus. A list has the texts of its values.
    fileprivate var value: Value {
        switch self {
        case .integer(let number): .int64(number)
        case .number(let number): .double(number)
        case .text(let text): .string(text)
        case .boolean(let flag): .boolean(flag)
        case .list(let values): .array(Variant.signature, values.map { .variant($0.value) })
        }
    }
}
