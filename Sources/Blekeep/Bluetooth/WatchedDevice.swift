/// A device that a client of BlueZ is to watch.
struct WatchedDevice: Sendable {
    var address: BluetoothAddress
    /// The adapter that it is kept on; `nil`: the first that has it.
    var adapter: AdapterChoice?
    /// Whether its advertisements are of interest.
    var isListenedTo = false
}
