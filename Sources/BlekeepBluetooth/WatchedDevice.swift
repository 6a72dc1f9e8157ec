/// A device that a client of BlueZ is to watch.
package struct WatchedDevice: Sendable {
    var address: BluetoothAddress
    /// The adapter that it is kept on; `nil`: the first that has it.
    var adapter: AdapterChoice?
    /// Whether its advertisements are of interest.
    var isListenedTo: Bool

    package init(address: BluetoothAddress, adapter: AdapterChoice? = nil, isListenedTo: Bool = false) {
        self.address = address
        self.adapter = adapter
        self.isListenedTo = isListenedTo
    }
}
