/// How long things take: as the real bluetoothd 5.66 on kernel 6.1 did, unless a test says otherwise.
public struct BluezTiming: Sendable, Hashable {
    /// From StartDiscovery to the first advertisement of a peripheral.
    public var firstHeard = Duration.milliseconds(100)...Duration.milliseconds(300)
    /// Changes of the signal strength are not told more often.
    public var leastBetweenSignals = Duration.seconds(1)
    /// How long a device that nobody asked BlueZ to keep is remembered.
    public var temporary = Duration.seconds(30)
    public var connecting = Duration.milliseconds(400)...Duration.milliseconds(600)
    /// How much longer connecting takes while discovering.
    public var discoverySlowdown = 5...10
    /// From Connected to the answer of Connect.
    public var connectReply = Duration.milliseconds(30)
    /// From that answer to ServicesResolved.
    public var resolving = Duration.milliseconds(100)
    /// How long a Connect waits for a peripheral that is not heard.
    public var absent = Duration.seconds(40)
    /// How long the kernel tries a peripheral that advertises but does not accept.
    public var deaf = Duration.seconds(4)
    /// How long a classic device is called that does not answer.
    public var paging = Duration.milliseconds(5120)
    public var refused = Duration.milliseconds(100)
    public var disconnecting = Duration.seconds(2)
    /// From the last sign of a peripheral that went out of range to the end of its connection.
    public var supervision = Duration.seconds(2)
    /// How long an ATT request may stay unanswered before the connection is dropped.
    public var attTimeout = Duration.seconds(29)
    /// How soon a peripheral that lost its keys ends a connection.
    public var bondLost = Duration.milliseconds(300)

    public init() {}

    /// Everything but the peripherals' own latency takes next to no time: for measurements.
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
