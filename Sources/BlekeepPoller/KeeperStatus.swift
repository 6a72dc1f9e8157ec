/// The status of the poller and its devices at a given time, for users.
package struct KeeperStatus: Sendable {
    package var devices: [DeviceStatus]
    /// The message of the outage that prevents polling of all devices.
    package var outage: String? { outageFailure?.message }
    package var outageFailure: ReadingFailure?
    package var adapters: [GatewayStatus.Adapter]
    package var power: PowerStatus
    /// The lines that the reader of the output missed.
    package var missed: MissedLines?
}
