import Blekeep
import BlekeepConfiguration

extension LayoutDecimals {
    /// Those of a configuration's own layouts, and of its devices' encrypted packets.
    init(_ configuration: Configuration?) {
        let devices = configuration?.poll.devices ?? []
        self.init(
            own: configuration?.poll.layouts ?? [],
            keys: Dictionary(
                devices.compactMap { device in device.key.map { (device.address, $0) } },
                uniquingKeysWith: { first, _ in first }))
    }
}
