import DBus
import RunLoop

/// How a characteristic is polled, on every link that shows it in the same place.
final class PointPlan {
    let characteristic: GattCharacteristic
    let interval: Duration
    /// Read once for each start of the program: what cannot change, such as a serial number.
    let isConstant: Bool
    let subscribes: Bool
    let security: PointSecurity
    /// The shortest time between two values that came by themselves and are stored; 0: all of them.
    let throttle: Duration
    /// Which of several of the same UUID, from 1 on.
    let number: Int
    let memory: PointMemory
    private(set) var form: ValueForm
    /// Whether the device was asked what no layout says.
    private(set) var isDescribed: Bool
    private let usual: TypedCall<[UInt8]>
    private let within: Duration

    /// - Parameters:
    ///   - interval: where the choice names none.
    ///   - throttle: where the choice names none.
    ///   - within: how long a read may take.
    init(
        _ chosen: PointChoice.Chosen, on bus: any Bus, interval: Duration, throttle: Duration, within: Duration,
        layout: LayoutDecoder?, memory: PointMemory
    ) {
        characteristic = chosen.characteristic
        self.interval = chosen.interval ?? interval
        isConstant = chosen.isConstant
        subscribes = chosen.subscribes
        security = chosen.security
        self.throttle = chosen.throttle ?? throttle
        number = chosen.number
        self.within = within
        self.memory = memory
        usual = bus.object(Bluez.service, chosen.characteristic.path)
            .prepare(GattCharacteristic1.readValue, [:], within: within)
        form = ValueForm(of: chosen.characteristic.uuid, layout: layout)
        isDescribed = layout != nil || chosen.characteristic.descriptors.isEmpty
    }

    /// The call that reads it, to end by then at the latest.
    func read(on bus: any Bus, at now: Uptime, until end: Uptime) -> TypedCall<[UInt8]> {
        guard end - now < within else { return usual }
        return bus.object(Bluez.service, characteristic.path)
            .prepare(GattCharacteristic1.readValue, [:], within: max(.milliseconds(1), end - now))
    }

    /// Asks the device itself what its value means, where no layout says so; again on the next link if it does not tell.
    func describe(on bus: any Bus) async {
        guard !isDescribed else { return }
        let descriptors = characteristic.descriptors
        var isTold = true
        var described = form
        await described.complete { uuid in
            guard let path = descriptors[uuid] else { return nil }
            let octets = try? await bus.object(Bluez.service, path).call(
                GattDescriptor1.readValue, [:], within: .seconds(5))
            isTold = isTold && octets != nil
            return octets
        }
        form = described
        isDescribed = isTold
    }
}
