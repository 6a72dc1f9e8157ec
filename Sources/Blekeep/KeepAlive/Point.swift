import DBus
import RunLoop

/// A characteristic that is polled or subscribed to, on one link.
final class Point {
    let characteristic: GattCharacteristic
    let interval: Duration
    /// Read once for each start of the program: what cannot change, such as a serial number.
    let isConstant: Bool
    let subscribes: Bool
    let security: PointSecurity
    let read: TypedCall<[UInt8]>

    var name: String
    var decoder: (any Decoder)?
    var presentation: PresentationFormat?
    var isSubscribed = false
    /// Since when a value has come on this link.
    var hasValue = false
    let memory: PointMemory

    init(
        _ characteristic: GattCharacteristic, on bus: any Bus, interval: Duration, isConstant: Bool, subscribes: Bool,
        security: PointSecurity, within: Duration, layout: LayoutDecoder?, memory: PointMemory
    ) {
        self.memory = memory
        self.characteristic = characteristic
        self.interval = interval
        self.isConstant = isConstant
        self.subscribes = subscribes
        self.security = security
        read = bus.object(Bluez.service, characteristic.path)
            .prepare(GattCharacteristic1.readValue, [:], within: within)
        decoder = layout
        name = layout?.name ?? ""
        if name.isEmpty { name = AssignedNumbers.characteristicName(characteristic.uuid) ?? "" }
    }

    /// What the octets say; raw octets as hexadecimal digits when nothing is known of their form.
    func decode(_ octets: [UInt8]) throws(DecodeError) -> [Measurement] {
        if let decoder { return try decoder.decode(octets) }
        if let presentation { return [try presentation.decode(octets)] }
        return [Measurement(field: "value", value: .text(hexadecimal(octets)))]
    }
}

/// Two lower-case digits an octet.
func hexadecimal(_ octets: [UInt8]) -> String {
    let digits = Array("0123456789abcdef".utf8)
    return String(decoding: octets.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
}
