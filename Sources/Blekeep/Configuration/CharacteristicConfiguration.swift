/// One characteristic of a device to read.
public struct CharacteristicConfiguration: Sendable, Equatable {
    /// `nil`: in whichever services have it.
    public var service: BluetoothUUID?
    public var characteristic: BluetoothUUID
    /// From read to read; `nil`: the device's.
    public var interval: Duration?
    /// Whether to take values as the peripheral sends them, besides reading.
    public var notify: Bool
    public var security = PointSecurity.none
    /// `nil`: the throttle of the device.
    public var throttle: Duration?

    public init(
        service: BluetoothUUID? = nil, characteristic: BluetoothUUID, interval: Duration? = nil, notify: Bool = false
    ) {
        self.service = service
        self.characteristic = characteristic
        self.interval = interval
        self.notify = notify
    }
}
