import BlekeepRecords

/// How long a value of each device counts as current: three intervals and a moment, so that one failed tick changes
/// nothing. That of a device that sends only when something happens stays true until the next one, unless the user set a limit.
struct ValueLifetimes: Sendable {
    private var lifetimes: [DeviceID: Duration]
    /// The longest interval of devices whose interval adapts to their values.
    private let longest: [DeviceID: Duration]
    /// The limits that the user set.
    private let silences: [DeviceID: Duration]
    private var habits: [DeviceID: SendingHabit] = [:]
    /// The lifetimes of what is read less often than its device.
    private let rarer: [DeviceID: [BluetoothUUID: Duration]]

    /// Longer than any process runs.
    private static let unlimited: Duration = .seconds(100 * 365 * 86_400)

    init(_ configuration: PollConfiguration) {
        let pairs = configuration.devices.map { device in
            (device.id, device.adaptive?.upperBound ?? device.interval ?? configuration.interval)
        }
        lifetimes = Dictionary(pairs.map { ($0, Self.lifetime($1)) }) { first, _ in first }
        longest = Dictionary(
            configuration.devices.compactMap { device in device.adaptive.map { (device.id, $0.upperBound) } }
        ) { first, _ in first }
        rarer = Dictionary(
            configuration.devices.map { device in
                let points = device.characteristics.compactMap { point in
                    point.interval.map { (point.characteristic, Self.lifetime($0)) }
                }
                return (device.id, Dictionary(points) { max($0, $1) })
            }
        ) { first, _ in first }
        silences = Dictionary(configuration.devices.compactMap { device in device.silence.map { (device.id, $0) } }) {
            first, _ in first
        }
    }

    subscript(device: DeviceID) -> Duration? {
        guard let lifetime = lifetimes[device] else { return nil }
        if let silence = silences[device] { return silence + .seconds(30) }
        return habits[device]?.isTriggered == true ? Self.unlimited : lifetime
    }

    /// How long a value of a device counts; `nil` for a device that isn't configured, and for ever.
    ///
    /// - Parameter characteristic: of the value; `nil` for all that the device says.
    func expiry(of device: DeviceID, _ characteristic: BluetoothUUID? = nil) -> Duration? {
        let lifetime = self[device].flatMap { $0 < Self.unlimited ? $0 : nil }
        guard let lifetime, let characteristic, let own = rarer[device]?[characteristic] else { return lifetime }
        return max(lifetime, own)
    }

    /// Takes a reading, which may tell when the device sends. Returns whether the lifetime changed.
    mutating func learn(from reading: Reading) -> Bool {
        guard reading.characteristic == nil, reading.recipe == nil, lifetimes[reading.id] != nil,
            case .value(let measurement, let packet) = reading.outcome
        else { return false }
        let old = self[reading.id]
        habits[reading.id, default: SendingHabit()].learn(measurement, service: reading.service, packet: packet)
        return self[reading.id] != old
    }

    /// Takes the interval in force. A device that is paused keeps its lifetime. Returns whether the lifetime changed.
    mutating func apply(_ interval: Duration?, of device: DeviceID) -> Bool {
        guard let interval, let old = self[device] else { return false }
        lifetimes[device] = Self.lifetime(max(interval, longest[device] ?? .zero))
        return self[device] != old
    }

    private static func lifetime(_ interval: Duration) -> Duration { interval * 3 + .seconds(30) }
}
