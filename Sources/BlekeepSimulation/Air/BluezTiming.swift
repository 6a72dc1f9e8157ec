/// The timing of BlueZ. The defaults are measured with bluetoothd 5.66 on kernel 6.1.
public struct BluezTiming: Sendable, Hashable {
    /// From StartDiscovery to the first advertisement of a peripheral.
    public var firstHeard = Duration.milliseconds(100)...Duration.milliseconds(300)
    /// The shortest time between two reports of the signal strength.
    public var leastBetweenSignals = Duration.seconds(1)
    /// The time that BlueZ keeps a temporary device.
    public var temporary = Duration.seconds(30)
    public var connecting = Duration.milliseconds(400)...Duration.milliseconds(600)
    /// The extra time to connect during discovery.
    public var discoverySlowdown = 5...10
    /// From Connected to the reply of Connect.
    public var connectReply = Duration.milliseconds(30)
    /// From that reply to ServicesResolved.
    public var resolving = Duration.milliseconds(100)
    /// The time that Connect waits for a peripheral out of range.
    public var absent = Duration.seconds(40)
    /// The time that the kernel tries a peripheral that advertises, but doesn't accept connections.
    public var deaf = Duration.seconds(4)
    /// The time of a page to a classic device that doesn't answer.
    public var paging = Duration.milliseconds(5120)
    public var refused = Duration.milliseconds(100)
    public var disconnecting = Duration.seconds(2)
    /// From the last packet of a peripheral out of range to the end of its connection.
    public var supervision = Duration.seconds(2)
    /// The time of an unanswered ATT request after which BlueZ ends the connection.
    public var attTimeout = Duration.seconds(29)
    /// The time after which a peripheral without keys ends a connection.
    public var bondLost = Duration.milliseconds(300)

    public init() {}

    /// Almost no delays except the peripherals' latency, for measurements.
    public static let instant: BluezTiming = {
        var timing = BluezTiming()
        timing.firstHeard = .milliseconds(1)...(.milliseconds(1))
        timing.connecting = .milliseconds(1)...(.milliseconds(1))
        timing.discoverySlowdown = 1...1
        timing.connectReply = .milliseconds(1)
        timing.resolving = .milliseconds(1)
        timing.disconnecting = .milliseconds(1)
        return timing
    }()
}
