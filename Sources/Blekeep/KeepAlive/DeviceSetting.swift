import RunLoop

/// What the keeper needs to know of a device, with the values of the whole configuration filled in.
struct DeviceSetting: Sendable, Equatable {
    let device: DeviceConfiguration
    let plan: DevicePlan
    /// The time between ticks of characteristics without their own.
    let interval: Duration
    /// The shortest time between two stored values that the device sends by itself.
    let throttle: Duration
    /// The user's own layouts.
    let layouts: [OwnLayout]

    /// - Parameter count: the number of ticks to make; `nil` for no limit.
    init(_ device: DeviceConfiguration, in configuration: Configuration, count: Int? = nil) {
        self.device = device
        plan = DevicePlan(device, in: configuration, count: count)
        interval = device.interval ?? configuration.interval
        throttle = device.throttle ?? configuration.throttle
        layouts = configuration.layouts
    }

    /// Whether a connection that was made for an earlier setting can serve this one.
    func fitsConnection(of earlier: DeviceSetting) -> Bool {
        device.characteristics == earlier.device.characteristics && plan.mode == earlier.plan.mode
            && plan.adapter == earlier.plan.adapter
    }
}
