import DBus
import RunLoop

/// The true state, whatever BlueZ reports.
extension World {
    /// Returns whether BlueZ has the device at `path`, whether its adapter is on, and whether it is truly connected.
    package func reality(of path: ObjectPath) -> (exists: Bool, isOn: Bool, isConnected: Bool) {
        let device = bluez?.adapters.lazy.flatMap(\.devices).first { $0.path == path }
        return (device != nil, device?.adapter.radio.isPowered == true, device?.link != nil)
    }

    /// Returns the devices that were connected for at least this long.
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

    /// Whether BlueZ takes a connection for one that nothing comes through, and that no call ends.
    package func isZombie(_ path: ObjectPath) -> Bool {
        bluez?.adapters.lazy.flatMap(\.devices).first { $0.path == path }?.link?.peripheral.behavior.isZombie ?? false
    }

    package func isPaired(_ path: ObjectPath) -> Bool {
        bluez?.adapters.lazy.flatMap(\.devices).first { $0.path == path }?.stored.isBonded ?? false
    }

    /// Whether bluetoothd doesn't reply to anything.
    package var isHung: Bool { bluez?.bus.isDeaf ?? false }
}
