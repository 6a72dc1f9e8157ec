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
