/// The results of a run for each device.
package struct KeeperReport: Sendable {
    package struct Device: Sendable {
        package var name: String
        package var goodTicks: Int
        package var failedTicks: Int
        /// The number of good ticks in which a value failed.
        package var partialTicks: Int
        package var lastFailure: ReadingFailure?
    }

    package var devices: [Device]
    /// The failure of a sink, if it ended the run.
    package var sinkError: (any Error)?

    init(_ state: KeeperState, sinkError: (any Error)? = nil) {
        self.sinkError = sinkError
        devices = state.devices.filter { !$0.hasLeft }.map {
            Device(
                name: $0.plan.name, goodTicks: $0.health.goodTicks, failedTicks: $0.health.failedTicks,
                partialTicks: $0.health.partialTicks,
                lastFailure: $0.health.lastTickFailure ?? $0.health.lastFailure)
        }
    }
}
