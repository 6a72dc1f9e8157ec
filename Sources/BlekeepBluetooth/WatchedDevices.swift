import DBus
import RunLoop

/// The devices that a client of BlueZ watches: where their objects are, and what is to be mirrored for them.
package final class WatchedDevices: @unchecked Sendable {
    private let devices: [WatchedDevice]
    private let paths: DevicePaths
    private let foreign: ExternalLinks
    private let bus: any Bus
    /// Where the devices' objects are on each adapter that was there; kept, for they are looked up with each event.
    private var usualPaths: [ObjectPath: [ObjectPath]] = [:]
    /// Opens when a device may be missing.
    private let missing: Gate

    init(_ devices: [WatchedDevice], on bus: any Bus) {
        self.devices = devices
        self.bus = bus
        let paths = DevicePaths(devices.map(\.address))
        self.paths = paths
        foreign = ExternalLinks(bus, paths)
        missing = Gate(bus.loop)
    }

    /// The places of the devices in the list.
    var places: Range<Int> { devices.indices }

    /// The place of the device that this object is, or is a part of; `nil` for adapters and for unwatched devices.
    func place(of path: ObjectPath) -> Int? { paths.device(of: path) }

    func isListenedTo(_ place: Int) -> Bool { devices[place].isListenedTo }

    /// - Parameter notifications: the rules for what is subscribed to at the moment.
    func interest(notifications: @escaping () -> [SignalMatch]) -> ObjectMirror.Interest {
        let addresses = devices.map(\.address)
        return ObjectMirror.Interest(
            wants: { [paths, foreign] in
                paths.device(of: $0) != nil || !DevicePaths.isDevice($0) || foreign.contains($0)
            },
            indexed: [Adapter1.name], rulesFollow: Adapter1.name,
            rules: { [paths, foreign] tree in
                let all = addresses + paths.aliases.devices.keys.sorted()
                return Set(SignalRules.watching(all, in: tree, notifications: notifications()) + foreign.rules)
            })
    }

    /// BlueZ has gone: its objects may be elsewhere when it is back.
    func forget() {
        paths.aliases.forget()
        usualPaths = [:]
    }

    // MARK: Facts

    /// The device's object on the adapter that it is kept on; where none is named, on the first that has it.
    func facts(of place: Int, in tree: ObjectTree) -> DeviceFacts? {
        for adapter in tree.paths(with: Adapter1.name)
        where devices[place].adapter.takes(adapter.name, tree.adapterAddress(adapter)) {
            if let found = DeviceFacts(at: usualPath(of: place, on: adapter), on: adapter, in: tree) { return found }
            for path in aliases(of: place, on: adapter) {
                if let found = DeviceFacts(at: path, on: adapter, in: tree) { return found }
            }
        }
        return nil
    }

    private func usualPath(of place: Int, on adapter: ObjectPath) -> ObjectPath {
        if let known = usualPaths[adapter] { return known[place] }
        let paths = devices.map { Bluez.path(of: $0.address, on: adapter) }
        usualPaths[adapter] = paths
        return paths[place]
    }

    private func aliases(of place: Int, on adapter: ObjectPath) -> [ObjectPath] {
        paths.aliases.addresses(of: place).map { Bluez.path(of: $0, on: adapter) }
    }

    // MARK: Other programs' connections

    /// How many connections of unwatched devices an adapter holds, as far as they were counted.
    func foreignLinks(on adapter: ObjectPath, in tree: ObjectTree) -> Int { foreign.links(on: adapter, in: tree) }

    /// Counts them again.
    ///
    /// - Returns: whether they are others than before.
    func countForeignLinks() async -> Bool { await foreign.count() }

    /// How many each adapter holds now; `nil`: bluetoothd doesn't say.
    package func queryForeignLinks() async -> [ObjectPath: Int]? {
        guard let found = await foreign.survey() else { return nil }
        return found.reduce(into: [:]) { counts, path in path.parent.map { counts[$0, default: 0] += 1 } }
    }

    // MARK: Other paths

    /// A device may be missing: `awaitMissing` returns.
    package func lookForMissing() { missing.open() }

    func awaitMissing() async { await missing.wait() }

    /// Looks for paired devices whose objects bear another address.
    ///
    /// - Returns: whether there is one that wasn't known.
    func searchAliases() async -> Bool { await paths.aliases.search(on: bus, for: paths) }
}
