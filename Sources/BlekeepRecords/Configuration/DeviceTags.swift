/// What the configuration adds to readings in outputs: the tags of the devices, and the gateway's name.
package struct DeviceTags: Sendable, Hashable {
    private var all: [DeviceID: [String]] = [:]
    /// The name of the gateway that stored the readings; `nil` where nobody knows it.
    package let gateway: String?

    package init(_ devices: [DeviceConfiguration] = [], gateway: String? = nil) {
        self.gateway = gateway
        for device in devices where !device.tags.isEmpty { all[device.id] = device.tags }
    }

    package init(_ configuration: PollConfiguration) {
        self.init(configuration.devices, gateway: configuration.gateway)
    }

    /// The tags of a device, in the order of the configuration.
    package subscript(_ device: DeviceID) -> [String] { all[device] ?? [] }
}
