import DBus
import RunLoop

/// Devices whose objects bear an address that they had once.
///
/// BlueZ keeps the path under which it first met a device with a private address. When the device is paired, only
/// `Address` becomes the one that stays; the path does not, until bluetoothd starts again.
final class PathAliases: @unchecked Sendable {
    /// By the address in the path.
    private(set) var devices: [BluetoothAddress: Int] = [:]
    private var searchedAt: Uptime?

    private static let pause: Duration = .seconds(300)

    /// The addresses in a device's other paths.
    func addresses(of id: Int) -> [BluetoothAddress] {
        devices.isEmpty ? [] : devices.filter { $0.value == id }.keys.sorted()
    }

    /// bluetoothd is another one: its paths are, too.
    func forget() {
        devices = [:]
        searchedAt = nil
    }

    /// Asks BlueZ for the paired devices at other paths; at most once in five minutes.
    ///
    /// - Returns: whether one of ours is among them that was not known.
    func search(on bus: any Bus, for paths: DevicePaths) async -> Bool {
        let now = bus.loop.now
        if let searchedAt, now - searchedAt < Self.pause { return false }
        searchedAt = now
        var isNew = false
        for (path, object) in await paths.queryOthers(on: bus) ?? [:] {
            guard let device = object[Device1.name.text],
                device[Device1.bonded] == true || device[Device1.paired] == true,
                let identity = device[Device1.address],
                let id = BluetoothAddress(identity).flatMap({ paths.device(at: $0) }),
                let old = BluetoothAddress(device: path)
            else { continue }
            devices[old] = id
            isNew = true
        }
        return isNew
    }
}
