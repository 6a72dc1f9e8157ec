import DBus
import RunLoop

/// A characteristic that is polled or subscribed to, on one link.
final class Point {
    let characteristic: GattCharacteristic
    let interval: Duration
    /// Read once for each start of the program: what cannot change, such as a serial number.
    let isConstant: Bool
    let subscribes: Bool
    private let usual: TypedCall<[UInt8]>
    private let within: Duration

    var name: String
    var decoder: (any Decoder)?
    var presentation: PresentationFormat?
    var isSubscribed = false
    /// Since when a value has come on this link.
    var hasValue = false
    /// A point that cannot be read is left alone until then.
    var notBefore = Uptime.start

    init(
        _ characteristic: GattCharacteristic, on bus: any Bus, interval: Duration, isConstant: Bool, subscribes: Bool,
        within: Duration, layout: LayoutDecoder?
    ) {
        self.characteristic = characteristic
        self.interval = interval
        self.isConstant = isConstant
        self.subscribes = subscribes
        self.within = within
        usual = bus.object(Bluez.service, characteristic.path)
            .prepare(GattCharacteristic1.readValue, [:], within: within)
        decoder = layout
        name = layout?.name ?? ""
        if name.isEmpty { name = AssignedNumbers.characteristicName(characteristic.uuid) ?? "" }
    }

    /// The call that reads it, to end by then at the latest.
    func read(on bus: any Bus, at now: Uptime, until end: Uptime) -> TypedCall<[UInt8]> {
        guard end - now < within else { return usual }
        return bus.object(Bluez.service, characteristic.path)
            .prepare(GattCharacteristic1.readValue, [:], within: max(.milliseconds(1), end - now))
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
