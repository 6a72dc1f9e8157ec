/// How a run went, device by device.
package struct KeeperReport: Sendable {
    package struct Device: Sendable {
        package var name: String
        package var goodTicks: Int
        package var failedTicks: Int
        package var lastFailure: ReadingFailure?
    }

    package var devices: [Device]

    init(_ state: KeeperState) {
        devices = state.devices.map {
            Device(name: $0.plan.name, goodTicks: $0.good, failedTicks: $0.bad, lastFailure: $0.lastFailure)
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
            rhythm: configuration.power.rhythm.overridden(by: device.rhythm),
            subscribes: points.contains(where: \.notify),
            count: count)
        adaptive = device.adaptive
    }
}
