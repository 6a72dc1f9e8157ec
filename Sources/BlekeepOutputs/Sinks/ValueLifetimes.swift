import BlekeepRecords

/// How long a value of each device counts as current: three intervals and a moment, so that one failed tick changes
/// nothing.
struct ValueLifetimes: Sendable {
    private var lifetimes: [DeviceID: Duration]
    /// The longest interval of devices whose interval adapts to their values.
    private let longest: [DeviceID: Duration]

    init(_ configuration: PollConfiguration) {
        let pairs = configuration.devices.map { device in
            (device.id, device.adaptive?.upperBound ?? device.interval ?? configuration.interval)
        }
        lifetimes = Dictionary(pairs.map { ($0, Self.lifetime($1)) }) { first, _ in first }
        longest = Dictionary(
            configuration.devices.compactMap { device in device.adaptive.map { (device.id, $0.upperBound) } }
        ) { first, _ in first }
    }

    subscript(device: DeviceID) -> Duration? { lifetimes[device] }

    /// Takes the interval in force. A device that is paused keeps its lifetime.
    ///
    /// - Returns: whether the lifetime changed.
    mutating func apply(_ interval: Duration?, of device: DeviceID) -> Bool {
        guard let interval, let old = lifetimes[device] else { return false }
        let new = Self.lifetime(max(interval, longest[device] ?? .zero))
        lifetimes[device] = new
        return new != old
    }

    private static func lifetime(_ interval: Duration) -> Duration { interval * 3 + .seconds(30) }
}
