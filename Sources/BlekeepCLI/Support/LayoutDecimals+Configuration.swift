import Blekeep

extension LayoutDecimals {
    /// Those of a configuration's own layouts, and of its devices' encrypted packets.
    init(_ configuration: Configuration?) {
        let devices = configuration?.devices ?? []
        self.init(
            own: configuration?.layouts ?? [],
            keys: Dictionary(
                devices.compactMap { device in device.key.map { (device.address, $0) } },
                uniquingKeysWith: { first, _ in first }))
    }
}
