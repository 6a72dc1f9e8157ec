import DBus
import RunLoop

/// The devices that a client of BlueZ watches, with the paths of their objects.
package final class WatchedDevices: @unchecked Sendable {
    // Used only on the loop's thread.
    private var devices: [WatchedDevice]
    private let paths: DevicePaths
    /// Other programs' connections to unwatched devices.
    let external: ExternalLinks
    private let bus: any Bus
    /// The usual paths of the devices on each adapter. Kept, because each event needs them.
    private var usualPaths: [ObjectPath: [ObjectPath]] = [:]
    /// Opens when a device may be missing.
    let missing: Gate

    init(_ devices: [WatchedDevice], on bus: any Bus) {
        self.devices = devices
        self.bus = bus
        let paths = DevicePaths(devices.map(\.address))
        self.paths = paths
        external = ExternalLinks(bus, paths)
        missing = Gate(bus.loop)
    }

    /// Watches other devices. A snapshot of BlueZ's objects must follow.
    package func replace(with new: [WatchedDevice]) {
        paths.replace(with: new.map(\.address))
        devices = new
        usualPaths = [:]
    }

    var indices: Range<Int> { devices.indices }

    /// Returns the index of the device that the object belongs to; `nil` for adapters and for unwatched devices.
    func deviceIndex(of path: ObjectPath) -> Int? { paths.device(of: path) }

    func number(of index: Int) -> DeviceNumber { devices[index].number }

    func isListenedTo(_ index: Int) -> Bool { devices[index].isListenedTo }

    /// Returns the objects and signals that the mirror must follow.
    ///
    /// - Parameter notifications: the rules for current subscriptions.
    func interest(notifications: @escaping () -> [SignalMatch]) -> ObjectMirror.Interest {
        ObjectMirror.Interest(
            wants: { [paths, external] in
                paths.device(of: $0) != nil || !DevicePaths.isInDevice($0) || external.contains($0)
            },
            indexed: [Adapter1.name], rulesFollow: Adapter1.name,
            rules: { [paths, external] tree in
                let all = paths.addresses + paths.aliases.devices.keys.sorted()
                return Set(SignalRules.watching(all, in: tree, notifications: notifications()) + external.rules)
            })
    }

    /// Forgets all paths, because a new bluetoothd may have other paths.
    func forget() {
        paths.aliases.forget()
        usualPaths = [:]
    }

    // MARK: Facts

    /// Returns the state of a device on each adapter that knows it, and that may read it.
    func facts(of index: Int, in tree: ObjectTree) -> [DeviceFacts] {
        var known: [DeviceFacts] = []
        for adapter in tree.paths(with: Adapter1.name)
        where devices[index].adapter.matches(adapter.name, address: tree.adapterAddress(adapter)) {
            if let found = facts(of: index, on: adapter, in: tree) { known.append(found) }
        }
        return known
    }

    private func facts(of index: Int, on adapter: ObjectPath, in tree: ObjectTree) -> DeviceFacts? {
        if let found = DeviceFacts(at: usualPath(of: index, on: adapter), on: adapter, in: tree) { return found }
        return aliases(of: index, on: adapter).lazy.compactMap { DeviceFacts(at: $0, on: adapter, in: tree) }.first
    }

    private func usualPath(of index: Int, on adapter: ObjectPath) -> ObjectPath {
        if let known = usualPaths[adapter] { return known[index] }
        let paths = devices.map { Bluez.path(of: $0.address, on: adapter) }
        usualPaths[adapter] = paths
        return paths[index]
    }

    private func aliases(of index: Int, on adapter: ObjectPath) -> [ObjectPath] {
        paths.aliases.addresses(of: index).map { Bluez.path(of: $0, on: adapter) }
    }

    // MARK: Other programs' connections

    /// Queries BlueZ for the number of connections to unwatched devices on each adapter; `nil` when the query fails.
    package func queryExternalLinks() async -> [ObjectPath: Int]? {
        guard let found = await external.connectedDevices() else { return nil }
        return found.reduce(into: [:]) { counts, path in path.parent.map { counts[$0, default: 0] += 1 } }
    }

    // MARK: Other paths

    package func lookForMissing() { missing.open() }

    /// Searches for paired devices whose paths have another address. Returns whether it found any.
    func searchAliases() async -> Bool { await paths.aliases.search(on: bus, for: paths) }
}
