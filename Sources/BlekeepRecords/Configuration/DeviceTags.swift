/// The tags of the devices, for outputs.
package struct DeviceTags: Sendable, Hashable {
    private var all: [BluetoothAddress: [String]] = [:]

    package init(_ devices: [DeviceConfiguration] = []) {
        for device in devices where !device.tags.isEmpty { all[device.address] = device.tags }
    }

    /// The tags of a device, in the order of the configuration.
    package subscript(_ device: BluetoothAddress) -> [String] { all[device] ?? [] }
}
