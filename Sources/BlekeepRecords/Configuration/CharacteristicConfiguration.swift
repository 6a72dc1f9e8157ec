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
    /// The correction of its numbers; `nil` for none.
    package var calibration: Calibration?

    package init(
        service: BluetoothUUID? = nil, characteristic: BluetoothUUID, interval: Duration? = nil, notify: Bool = false
    ) {
        self.service = service
        self.characteristic = characteristic
        self.interval = interval
        self.notify = notify
    }
}

extension DeviceConfiguration {
    /// Returns the correction of a characteristic's numbers; `nil` for none.
    package func calibration(of characteristic: BluetoothUUID, in service: BluetoothUUID) -> Calibration? {
        characteristics.first {
            $0.characteristic == characteristic && ($0.service == nil || $0.service == service)
        }?.calibration
    }
}
