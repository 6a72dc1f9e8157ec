/// The tags of the devices, for outputs.
package struct DeviceTags: Sendable, Hashable {
    private var all: [DeviceID: [String]] = [:]

    package init(_ devices: [DeviceConfiguration] = []) {
        for device in devices where !device.tags.isEmpty { all[device.id] = device.tags }
    }

    /// The tags of a device, in the order of the configuration.
    package subscript(_ device: DeviceID) -> [String] { all[device] ?? [] }
}
