/// The configuration of a device, with the values of the whole configuration filled in.
package struct DeviceSetting: Sendable, Equatable {
    /// With an adapter if any is configured.
    package let device: DeviceConfiguration
    /// The time between ticks of characteristics without their own.
    package let interval: Duration
    /// The shortest time between two stored values that the device sends by itself.
    package let throttle: Duration
    package let powerIntervals: PowerIntervals
    /// The user's own layouts.
    package let layouts: [OwnLayout]
    /// Whether blekeep connects the device only to read it, because its battery would not last otherwise.
    package let sparesBattery: Bool
    /// How to ask the device; `nil` for one that just holds values.
    package let recipe: Recipe?

    package init(_ device: DeviceConfiguration, in configuration: PollConfiguration) {
        var device = device
        device.adapter = device.adapter ?? configuration.adapter
        self.device = device
        recipe = device.recipe.flatMap { name in configuration.recipes.first { $0.name == name } }
        interval = max(device.interval ?? configuration.interval, recipe?.minInterval ?? .zero)
        throttle = device.throttle ?? configuration.throttle
        powerIntervals = configuration.power.intervals.overridden(by: device.powerIntervals)
        layouts = configuration.layouts
        sparesBattery = configuration.sparesBattery(of: device)
    }

    /// The intervals of all characteristics that blekeep reads.
    package var intervals: Set<Duration> {
        let own = device.characteristics.filter { !$0.notify }.map { $0.interval ?? interval }
        return own.isEmpty || recipe != nil ? Set(own + [interval]) : Set(own)
    }

    package var shortestInterval: Duration { intervals.min() ?? interval }

    /// Whether a connection that was made for an earlier setting can serve this one.
    package func fitsConnection(of earlier: DeviceSetting) -> Bool {
        device.characteristics == earlier.device.characteristics && recipe == earlier.recipe
            && device.mode == earlier.device.mode && sparesBattery == earlier.sparesBattery
            && device.adapter == earlier.device.adapter
    }
}

extension PollConfiguration {
    /// The share of an adapter's time that connecting for each read may take, where holding would do.
    private static let shareForSparing = 0.5

    /// Whether connections to a device that `auto` would hold are made for each read instead: it runs on a battery, and its
    /// adapter has the time to connect all its devices for each read.
    func sparesBattery(of device: DeviceConfiguration) -> Bool {
        guard device.mode == .auto, device.battery?.charge != nil else { return false }
        let choice = device.adapter ?? adapter
        var load = 0.0
        for other in devices where other.isPolled && other.mode != .passive && (other.adapter ?? adapter) == choice {
            load += AirShortage.load(turn: AirShortage.usualTurn, intervals: [other.interval ?? interval])
            if load > Self.shareForSparing { return false }
        }
        return true
    }

    /// What devices run on, as far as the user says it.
    package var batteries: [DeviceID: Battery] {
        Dictionary(devices.compactMap { device in device.battery.map { (device.id, $0) } }) { first, _ in first }
    }
}
