/// A characteristic of a device to read.
package struct CharacteristicConfiguration: Sendable, Equatable {
    /// `nil` for all services.
    package var service: BluetoothUUID?
    package var characteristic: BluetoothUUID
    /// The time between reads; `nil` for the device's interval.
    package var interval: Duration?
    /// Whether to subscribe to the values that the device sends by itself.
    package var notify: Bool
    /// Whether users may write it by a command to the poller.
    package var isWritable = false
    package var security = PointSecurity.none
    /// `nil` for the device's throttle.
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
