public import BlekeepRecords

/// A local adapter.
public struct SimulatedAdapter: Sendable {
    /// The number in `hciN`.
    public var index: Int
    public var address: BluetoothAddress
    public var name: String
    public var isPowered: Bool
    /// The most connections that it holds at a time.
    public var maxConnections: Int
    /// The error of a Connect beyond them.
    public var whenFull: String
    /// `1M`, `2M` and `Coded`, of a controller with extended advertising.
    public var secondaryChannels: [String] = []
    /// Whether bluetoothd supports passive scanning. The real one needs `--experimental`.
    public var offersMonitors = false
    /// Whether the controller has the monitors: it says once that a device is there, and once that it is gone.
    public var offloadsMonitors = false
    /// Whether its monitors hear anything.
    public var monitorsHear = true

    public init(
        index: Int = 0, address: BluetoothAddress? = nil, name: String = "blekeep", isPowered: Bool = true,
        maxConnections: Int = 7, whenFull: String = "le-connection-abort-by-local"
    ) {
        self.index = index
        self.address = address ?? BluetoothAddress(literal: "00:1A:7D:DA:71:0\(index % 10)")
        self.name = name
        self.isPowered = isPowered
        self.maxConnections = maxConnections
        self.whenFull = whenFull
    }
}
