/// How a run went, device by device.
package struct KeeperReport: Sendable {
    package struct Device: Sendable {
        package var name: String
        package var goodTicks: Int
        package var failedTicks: Int
        /// Of the good ones: those in which something could not be read.
        package var partialTicks: Int
        package var lastFailure: ReadingFailure?
    }

    package var devices: [Device]
    /// Why a sink took no more, if that ended the run.
    package var sinkError: (any Error)?

    init(_ state: KeeperState, sinkError: (any Error)? = nil) {
        self.sinkError = sinkError
        devices = state.devices.map {
            Device(
                name: $0.plan.name, goodTicks: $0.health.goodTicks, failedTicks: $0.health.failedTicks,
                partialTicks: $0.health.partialTicks,
                lastFailure: $0.health.lastTickFailure ?? $0.health.lastFailure)
        }
    }
}
