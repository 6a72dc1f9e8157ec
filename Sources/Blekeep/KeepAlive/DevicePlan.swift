extension DevicePlan {
    init(_ device: DeviceConfiguration, in configuration: Configuration, count: Int?) {
        let interval = device.interval ?? configuration.interval
        let points = device.characteristics
        let own = points.filter { !$0.notify }.map { $0.interval ?? interval }
        self.init(
            name: device.name, address: device.address, adapter: device.adapter ?? configuration.adapter,
            mode: device.mode, intervals: own.isEmpty ? [interval] : Set(own),
            rhythm: configuration.power.rhythm.overridden(by: device.rhythm),
            subscribes: points.contains(where: \.notify),
            count: count)
        adaptive = device.adaptive
    }
}
