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
    /// Which of several of the same UUID, from 1 on.
    let number: Int
    private let usual: TypedCall<[UInt8]>
    private let within: Duration

    var form: ValueForm
    var isSubscribed = false
    /// Since when a value has come on this link.
    var hasValue = false
    /// Whether one has come by itself since the last tick.
    var hasNews = false
    let memory: PointMemory

    init(
        _ characteristic: GattCharacteristic, on bus: any Bus, interval: Duration, isConstant: Bool, subscribes: Bool,
        security: PointSecurity, number: Int, within: Duration, layout: LayoutDecoder?, memory: PointMemory
    ) {
        self.number = number
        self.memory = memory
        self.characteristic = characteristic
        self.interval = interval
        self.isConstant = isConstant
        self.subscribes = subscribes
        self.security = security
        self.within = within
        usual = bus.object(Bluez.service, characteristic.path)
            .prepare(GattCharacteristic1.readValue, [:], within: within)
        form = ValueForm(of: characteristic.uuid, layout: layout)
    }

    /// The call that reads it, to end by then at the latest.
    func read(on bus: any Bus, at now: Uptime, until end: Uptime) -> TypedCall<[UInt8]> {
        guard end - now < within else { return usual }
        return bus.object(Bluez.service, characteristic.path)
            .prepare(GattCharacteristic1.readValue, [:], within: max(.milliseconds(1), end - now))
    }
}

extension [Point] {
    /// The same, but those last that were not answered: they do not keep the others from being read.
    var doubtfulLast: [Point] {
        contains(where: \.memory.isDoubtful) ? filter { !$0.memory.isDoubtful } + filter(\.memory.isDoubtful) : self
    }
}
