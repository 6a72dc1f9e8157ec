import DBus

extension CentralCore {
    /// The object of a device: by the address in its path, or else by the address that it has now. Paired devices with
    /// private addresses keep the path under which BlueZ first met them.
    func path(of address: BluetoothAddress, on adapter: ObjectPath) -> ObjectPath {
        let usual = Bluez.path(of: address, on: adapter)
        if mirror.tree.has(Device1.name, at: usual) { return usual }
        let other = mirror.tree.paths(with: Device1.name).first { path in
            path.parent == adapter && mirror.tree[path, Device1.address].flatMap { BluetoothAddress($0) } == address
        }
        return other ?? usual
    }
}
