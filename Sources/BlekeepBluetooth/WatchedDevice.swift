/// A device that a client of BlueZ watches.
package struct WatchedDevice: Sendable, DevicePart {
    package let number: DeviceNumber
    var address: BluetoothAddress
    /// The device's adapter; `nil` for any.
    var adapter: AdapterChoice?
    /// Whether the client reports its advertisements.
    var isListenedTo: Bool

    package init(
        number: DeviceNumber = 0, address: BluetoothAddress, adapter: AdapterChoice? = nil, isListenedTo: Bool = false
    ) {
        self.number = number
        self.address = address
        self.adapter = adapter
        self.isListenedTo = isListenedTo
    }
}
