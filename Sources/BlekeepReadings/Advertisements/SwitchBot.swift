/// A packet of a SwitchBot sensor: meters, contact, motion and leak sensors, Hub 2 and Hub Mini. The service data of
/// 0xFD3D or 0x0D00 has the model and the charge, and in old devices the values. New ones have these in the manufacturer
/// data of company 0x0969.
///
/// The source is SwitchBot's description of the packets at github.com/OpenWonderLabs/SwitchBotAPI-BLE, and the parser of
/// pySwitchbot 3.1.0. A meter that says 0 °C and 0 % has not measured yet, and zeros alone say nothing.
enum SwitchBot {
    static let company: UInt16 = 0x0969
    static let services = [BluetoothUUID(0xFD3D), BluetoothUUID(0x0D00)]

    private enum Model {
        case meter, airMeter, contact, motion, leak, hub, smallHub

        /// The models by the low 7 bits of the service data's first byte.
        static let codes: [UInt8: Model] = [
            UInt8(ascii: "T"): .meter, UInt8(ascii: "t"): .meter, UInt8(ascii: "I"): .meter, UInt8(ascii: "i"): .meter,
            UInt8(ascii: "W"): .meter, UInt8(ascii: "w"): .meter, UInt8(ascii: "4"): .meter, 0x14: .meter,
            UInt8(ascii: "5"): .airMeter, 0x15: .airMeter, UInt8(ascii: "D"): .contact, UInt8(ascii: "d"): .contact,
            UInt8(ascii: "S"): .motion, UInt8(ascii: "s"): .motion, UInt8(ascii: "&"): .leak, 0x06: .leak,
            UInt8(ascii: "V"): .hub, UInt8(ascii: "v"): .hub, UInt8(ascii: "%"): .smallHub, 0x05: .smallHub,
        ]
    }

    static func decode(_ input: BroadcastInput) throws(DecodeError) -> Broadcast? {
        guard let service = services.first(where: { input.data.serviceData[$0] != nil }),
            let old = input.data.serviceData[service], let head = old.first, let model = Model.codes[head & 0x7F]
        else { return nil }
        let new = input.data.manufacturerData[company] ?? []
        let fresh = values(of: model, new: new)
        // Each value comes from one source only: the new one, if it has values.
        switch input.source {
        case .company: return fresh.isEmpty ? nil : .sensor(SensorPacket(.switchbot, fresh))
        case .service(service):
            let battery = old.count >= (model == .motion ? 6 : 3) ? charge(of: model, old) : []
            var all = battery + (fresh.isEmpty ? values(of: model, old: old) : [])
            if old.dropFirst().allSatisfy({ $0 == 0 }) {
                for index in all.indices { (all[index].value, all[index].state) = (nil, "unknown") }
            }
            return .sensor(SensorPacket(.switchbot, all))
        default: return nil
        }
    }

    private static func charge(of model: Model, _ old: [UInt8]) -> [Measurement] {
        [.leak, .hub, .smallHub].contains(model) ? [] : [percent("battery", byte: old[2])]
    }

    // MARK: Manufacturer data

    private static func values(of model: Model, new: [UInt8]) -> [Measurement] {
        switch model {
        case .meter where new.count >= 11: climate(new[8..<11])
        case .airMeter where new.count >= 11: climate(new[8..<11]) + air(new)
        case .contact where new.count >= 13:
            contact(motion: new[7] & 0x80, open: new[7] & 0x30, timeout: new[7] & 0x20, light: new[7] & 0x40, new[12])
        case .motion where new.count >= 8:
            [
                SensorFields.flag("motion", value: new[7] & 0x40 != 0),
                SensorFields.flag("light", value: new[7] & 0x20 != 0),
            ]
        case .leak where new.count >= 9:
            [
                SensorFields.flag("moisture_detected", value: new[8] & 1 != 0),
                SensorFields.flag("tamper", value: new[8] & 2 != 0),
                percent("battery", byte: new[7]), SensorFields.flag("battery_low", value: new[7] & 0x80 != 0),
            ]
        case .hub where new.count >= 16:
            climate(new[13..<16]) + [Measurement(field: "light_level", value: .integer(Int64(new[12] & 0x1F)))]
        case .smallHub where new.count >= 16: climate(new[13..<16])
        default: []
        }
    }

    private static func air(_ new: [UInt8]) -> [Measurement] {
        guard new.count >= 15 else { return [] }
        let co2 = Int64(new[13]) << 8 | Int64(new[14])
        return [Measurement(field: "co2", value: .integer(co2), unit: "ppm")]
    }

    // MARK: Service data

    private static func values(of model: Model, old: [UInt8]) -> [Measurement] {
        switch model {
        case .meter where old.count >= 6, .airMeter where old.count >= 6: climate(old[3..<6])
        case .contact where old.count >= 9:
            contact(motion: old[1] & 0x40, open: old[3] & 6, timeout: old[3] & 4, light: old[3] & 1, old[8])
        case .motion where old.count >= 6:
            [
                SensorFields.flag("motion", value: old[1] & 0x40 != 0),
                SensorFields.flag("light", value: old[5] & 2 != 0),
            ]
        default: []
        }
    }

    // MARK: Values

    /// Tenths of a degree; a sign, of which 1 is plus, and degrees; percent.
    private static func climate(_ bytes: ArraySlice<UInt8>) -> [Measurement] {
        let bytes = Array(bytes)
        let tenths = Int64(bytes[1] & 0x7F) * 10 + Int64(bytes[0] & 0x0F)
        let isUnknown = tenths == 0 && bytes[2] & 0x7F == 0
        let temperature = Scale(decimal: -1).value(of: bytes[1] & 0x80 == 0 ? -tenths : tenths)
        return [
            Measurement(
                field: "temperature", isUnknown ? .state("unknown") : .value(temperature), unit: "°C", decimals: 1),
            Measurement(
                field: "humidity", isUnknown ? .state("unknown") : .value(.integer(Int64(bytes[2] & 0x7F))), unit: "%"),
        ]
    }

    private static func contact(
        motion: UInt8, open: UInt8, timeout: UInt8, light: UInt8, _ count: UInt8
    ) -> [Measurement] {
        [
            SensorFields.flag("motion", value: motion != 0), SensorFields.flag("opening", value: open != 0),
            SensorFields.flag("door_left_open", value: timeout != 0), SensorFields.flag("light", value: light != 0),
            Measurement(field: "button_count", value: .integer(Int64(count & 0x0F))),
        ]
    }

    private static func percent(_ field: String, byte: UInt8) -> Measurement {
        Measurement(field: field, value: .integer(Int64(byte & 0x7F)), unit: "%")
    }
}
