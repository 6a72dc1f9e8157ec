import DBus
import RunLoop

/// Paired devices whose paths have an earlier address.
///
/// BlueZ names a path after the first address that it hears. Pairing changes `Address` to the permanent one, but the path
/// stays until bluetoothd restarts.
final class PathAliases: @unchecked Sendable {
    /// The devices by the address in their path.
    private(set) var devices: [BluetoothAddress: Int] = [:]
    private var searchedAt: Uptime?

    private static let pause: Duration = .seconds(300)

    /// Returns the addresses in a device's other paths.
    func addresses(of id: Int) -> [BluetoothAddress] {
        devices.isEmpty ? [] : devices.filter { $0.value == id }.keys.sorted()
    }

    func add(_ address: BluetoothAddress, of id: Int) { devices[address] = id }

    /// Forgets the paths, because a new bluetoothd has other paths.
    func forget() {
        devices = [:]
        searchedAt = nil
    }

    /// Takes the devices' new indices, forgets the paths of devices without one, and searches again soon.
    func renumber(_ newIndex: (Int) -> Int?) {
        devices = devices.compactMapValues(newIndex)
        searchedAt = nil
    }

    /// Queries BlueZ for paired devices at other paths, at most once in five minutes.
    /// Returns whether it found a configured device.
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
            add(old, of: id)
            isNew = true
        }
        return isNew
    }
}
