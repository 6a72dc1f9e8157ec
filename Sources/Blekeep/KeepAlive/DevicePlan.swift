import RunLoop

/// What the configuration wants of a device.
struct DevicePlan: Sendable, Hashable {
    var name: String
    var address: BluetoothAddress
    var adapter: AdapterChoice?
    var mode: LinkMode
    /// The intervals of all its points.
    var intervals: Set<Duration>
    var powerIntervals = PowerIntervals()
    /// The bounds within which the intervals follow what is new; `nil`: they do not.
    var adaptive: ClosedRange<Duration>?
    /// Whether a point is subscribed to, or may turn out to be: then the link is held.
    var subscribes: Bool
    /// How many ticks to make; `nil` for ever.
    var count: Int?

    var shortestInterval: Duration { intervals.min() ?? .seconds(30) }

    /// Whether its connection is held between its ticks.
    ///
    /// - Parameters:
    ///   - interval: from tick to tick; `nil`: there are none.
    ///   - hasSlot: whether a slot of its adapter is its own.
    func isHeld(every interval: Duration?, hasSlot: Bool) -> Bool {
        guard let interval else { return false }
        return switch mode {
        case .hold: true
        case .release, .passive, .heard: false
        case .auto: subscribes || interval <= Timing.worthHolding && hasSlot
        }
    }
}

extension DevicePlan {
    init(_ device: DeviceConfiguration, in configuration: Configuration, count: Int?) {
        let interval = device.interval ?? configuration.interval
        let points = device.characteristics
        let own = points.filter { !$0.notify }.map { $0.interval ?? interval }
        self.init(
            name: device.name, address: device.address, adapter: device.adapter ?? configuration.adapter,
            mode: device.mode, intervals: own.isEmpty ? [interval] : Set(own),
            powerIntervals: configuration.power.intervals.overridden(by: device.powerIntervals),
            subscribes: points.contains(where: \.notify),
            count: count)
        adaptive = device.adaptive
    }
}
