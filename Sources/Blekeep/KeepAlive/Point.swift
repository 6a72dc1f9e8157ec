import DBus
import RunLoop

/// A characteristic that is polled or subscribed to, on one link.
final class Point {
    let characteristic: GattCharacteristic
    let interval: Duration
    /// Read once for each start of the program: what cannot change, such as a serial number.
    let isConstant: Bool
    let subscribes: Bool
    let read: TypedCall<[UInt8]>

    var form: ValueForm
    var isSubscribed = false
    /// Since when a value has come on this link.
    var hasValue = false
    let memory: PointMemory

    init(
        _ characteristic: GattCharacteristic, on bus: any Bus, interval: Duration, isConstant: Bool, subscribes: Bool,
        within: Duration, layout: LayoutDecoder?, memory: PointMemory
    ) {
        self.memory = memory
        self.characteristic = characteristic
        self.interval = interval
        self.isConstant = isConstant
        self.subscribes = subscribes
        read = bus.object(Bluez.service, characteristic.path)
            .prepare(GattCharacteristic1.readValue, [:], within: within)
        form = ValueForm(of: characteristic.uuid, layout: layout)
    }
}
