import BlekeepRecords
import DBus

extension Reading {
    /// Reads an entry of `Values`: the reverse of what a device's object shows; `nil` for another form.
    init?(kept value: Properties, id: DeviceID?, device: String, address: BluetoothAddress) {
        guard let name: String = value.entry("Name"), let field: String = value.entry("Field"),
            let time: Int64 = value.entry("Time"), let raw: [UInt8] = value.entry("Raw")
        else { return nil }
        let number: UInt32 = value.entry("Instance") ?? 1
        let service: String? = value.entry("Service")
        let characteristic: String? = value.entry("Characteristic")
        self.init(
            time: time, tick: 0, id: id, device: device, address: address,
            service: service.flatMap { BluetoothUUID($0) },
            characteristic: characteristic.flatMap { BluetoothUUID($0) }, recipe: value.entry("Recipe"),
            instance: Int(number), name: name,
            outcome: .value(
                Measurement(
                    field: field, value: value["Value"].flatMap { MeasuredValue($0.content) },
                    state: value.entry("State"), unit: value.entry("Unit")), raw: raw))
    }
}

extension Properties {
    fileprivate func entry<Content: WireType>(_ name: String) -> Content? {
        self[name].flatMap { Content($0.content) }
    }
}

extension MeasuredValue {
    /// The value of a message.
    fileprivate init?(_ value: Value) {
        switch value {
        case .int64(let number): self = .integer(number)
        case .double(let number): self = .number(number)
        case .string(let text): self = .text(text)
        case .boolean(let flag): self = .boolean(flag)
        case .array(_, let elements):
            self = .list(elements.compactMap { Variant($0).flatMap { MeasuredValue($0.content) } })
        default: return nil
        }
    }
}
