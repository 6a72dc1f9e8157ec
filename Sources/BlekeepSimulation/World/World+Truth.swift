import Blekeep
import DBus
import RunLoop

/// How things really are, whatever BlueZ says.
extension World {
    /// Whether BlueZ has the device at `path`, whether its radio is on, and whether it really has a link.
    package func reality(of path: ObjectPath) -> (exists: Bool, isOn: Bool, isConnected: Bool) {
        let device = bluez?.adapters.lazy.flatMap(\.devices).first { $0.path == path }
        return (device != nil, device?.adapter.radio.isPowered == true, device?.link != nil)
    }

    /// The devices that have had a link for so long.
    package func connected(for length: Duration) -> [ObjectPath] {
        guard let bluez else { return [] }
        let now = bluez.loop.now
        var paths: [ObjectPath] = []
        for adapter in bluez.adapters {
            for device in adapter.devices {
                if let link = device.link, now - link.since >= length { paths.append(device.path) }
            }
        }
        return paths
    }

    package func isPaired(_ path: ObjectPath) -> Bool {
        bluez?.adapters.lazy.flatMap(\.devices).first { $0.path == path }?.stored.isBonded ?? false
    }

    /// Whether bluetoothd answers nothing.
    package var isHung: Bool { bluez?.bus.isDeaf ?? false }
}
