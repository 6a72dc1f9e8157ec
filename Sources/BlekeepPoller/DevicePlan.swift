/// The configuration of a device, with the values of the whole configuration filled in.
struct DevicePlan: Sendable, Hashable {
    var name: String
    var address: BluetoothAddress
    var adapter: AdapterChoice?
    var mode: LinkMode
    /// The intervals of all its characteristics.
    var intervals: Set<Duration>
    var powerIntervals = PowerIntervals()
    /// The bounds of intervals that stretch while values don't change; `nil` for fixed intervals.
    var adaptive: ClosedRange<Duration>?
    /// Whether the configuration subscribes to a characteristic. The connection is then held.
    var subscribes: Bool
    /// The longest silence of a device that only advertises, as the user set it.
    var silence: Duration?
    /// The number of ticks to make; `nil` for no limit.
    var count: Int?
    /// Whether another gateway may read the device instead of this one.
    var isShared = false

    /// Whether the process ends by itself, after some ticks.
    var isOneOff: Bool { count != nil }

    var shortestInterval: Duration { intervals.min() ?? .seconds(30) }

    /// Returns the longest silence of a device that only advertises: three intervals, and at least a minute; `nil` for none,
    /// where the device sends only when something happens.
    ///
    /// - Parameter interval: the time between ticks; `nil` when the device is paused.
    func silence(every interval: Duration?, isTriggered: Bool) -> Duration? {
        if let silence { return silence }
        return isTriggered ? nil : max((interval ?? shortestInterval) * 3, .seconds(60))
    }

    /// When the device is polled.
    var ticks: TickTimer.Plan {
        TickTimer.Plan(intervals: intervals, powerIntervals: powerIntervals, adaptive: adaptive, seed: address.bits)
    }

    /// Whether the connection is held between ticks.
    ///
    /// - Parameters:
    ///   - interval: the time between ticks; `nil` when the device is paused.
    ///   - hasSlot: whether the device has a dedicated slot of its adapter.
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
    /// - Parameter count: the number of ticks to make; `nil` for no limit.
    init(_ setting: DeviceSetting, count: Int? = nil) {
        let device = setting.device
        self.init(
            name: device.name, address: device.address, adapter: device.adapter, mode: device.mode,
            intervals: setting.intervals, powerIntervals: setting.powerIntervals,
            subscribes: device.characteristics.contains(where: \.notify), count: count)
        adaptive = device.adaptive
        silence = device.silence
        isShared = device.isShared && count == nil
        if setting.sparesBattery, !subscribes { mode = .release }
        switch setting.recipe?.connection {
        case .release?: if mode == .auto || mode == .hold { mode = .release }
        case .hold?: if mode == .auto { mode = .hold }
        case .any?, nil: break
        }
    }
}
