/// One characteristic of a device to read.
package struct CharacteristicConfiguration: Sendable, Equatable {
    /// `nil`: in whichever services have it.
    package var service: BluetoothUUID?
    package var characteristic: BluetoothUUID
    /// From read to read; `nil`: the device's.
    package var interval: Duration?
    /// Whether to take values as the peripheral sends them, besides reading.
    package var notify: Bool
    package var security = PointSecurity.none
    /// `nil`: the throttle of the device.
    package var throttle: Duration?

    package init(
        service: BluetoothUUID? = nil, characteristic: BluetoothUUID, interval: Duration? = nil, notify: Bool = false
    ) {
        self.service = service
        self.characteristic = characteristic
        self.interval = interval
        self.notify = notify
    }
}
