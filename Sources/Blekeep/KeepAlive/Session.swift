import DBus
import RunLoop

/// One connection to the bus with BlueZ's objects on it, told as events of the keeper.
final class Session: @unchecked Sendable {
    let bus: any Bus
    private(set) var mirror: ObjectMirror!
    private let addresses: [BluetoothAddress]
    private let adapters: [AdapterChoice?]
    private let paths: DevicePaths
    /// Where the devices' objects are on each adapter that was there; kept, for they are looked up with each event.
    private var usualPaths: [ObjectPath: [ObjectPath]] = [:]
    private let foreign: ForeignLinks
    let post: (Event) -> Void
    private let onNotification: (DeviceID, ObjectPath, [UInt8]) -> Void
    private let onTreeChange: (DeviceID?) -> Void
    /// The devices whose advertisements are of interest, and what is called with one and the properties that have just come.
    var listening: Set<DeviceID> = []
    var onAdvertisement: ((DeviceID, Advertisement, Set<String>) -> Void)?
    /// Opens when a device may be missing.
    let missing: Gate
    private var isOver = false
    /// The owner of BlueZ's name that the connection before this one knew; set when this one replaces it.
    var formerBluez: BusName?
    private var isFirstSnapshot = true
    /// Called whenever BlueZ's objects are known anew.
    var onSnapshot: (() -> Void)?

    /// - Parameters:
    ///   - devices: the configured devices with the adapters that they are kept on.
    ///   - notifications: the rules for what is subscribed to at the moment.
    ///   - onTreeChange: a device's services are others now; `nil`: anybody's may be.
    init(
        _ bus: any Bus, devices: [(BluetoothAddress, AdapterChoice?)], notifications: @escaping () -> [SignalMatch],
        post: @escaping (Event) -> Void, onNotification: @escaping (DeviceID, ObjectPath, [UInt8]) -> Void,
        onTreeChange: @escaping (DeviceID?) -> Void
    ) {
        self.bus = bus
        missing = Gate(bus.loop)
        self.post = post
        self.onNotification = onNotification
        self.onTreeChange = onTreeChange
        addresses = devices.map(\.0)
        adapters = devices.map(\.1)
        let paths = DevicePaths(addresses)
        self.paths = paths
        let foreign = ForeignLinks(bus, paths)
        self.foreign = foreign
        let interest = ObjectMirror.Interest(
            wants: { paths.device(of: $0) != nil || !DevicePaths.isDevice($0) || foreign.contains($0) },
            indexed: [Adapter1.name], rulesFollow: Adapter1.name,
            rules: { [addresses] tree in
                let devices = addresses + paths.aliases.devices.keys.sorted()
                return Set(Session.rules(for: devices, in: tree, notifications: notifications()) + foreign.rules)
            })
        mirror = ObjectMirror(of: Bluez.service, on: bus, interest: interest) { [unowned self] in self.receive($0) }
    }

    /// BlueZ's word for it.
    static let lowEnergy = "le"

    /// One rule for each configured device and each subscription, as the daemon then filters. When these are more than
    /// 400, one rule stands for all subscriptions; when the devices alone are more, two stand for all devices.
    static func rules(
        for addresses: [BluetoothAddress], in tree: ObjectTree, notifications: [SignalMatch] = []
    ) -> [SignalMatch] {
        var adapters = tree.paths(with: Adapter1.name)
        if adapters.isEmpty, let usual = Bluez.root.child("hci0") { adapters = [usual] }
        var rules = adapters.map { SignalMatch.properties(of: Adapter1.name, at: $0) }
        rules.append(SignalMatch(interface: Device1.name, member: Device1.disconnected.name))
        var devices = adapters.flatMap { adapter in
            addresses.map { SignalMatch.properties(at: Bluez.path(of: $0, on: adapter)) }
        }
        if devices.count > mostRules { devices = [.properties(of: Device1.name), .properties(of: Battery1.name)] }
        let isCrowded = devices.count + notifications.count > mostRules
        return rules + devices + (isCrowded ? [.properties(of: GattCharacteristic1.name)] : notifications)
    }

    /// A bus allows 512 rules for a connection.
    static let mostRules = 400

    /// Counts the links of other programs anew.
    func countForeignLinks() async {
        if await foreign.count() { mirror.refresh() }
    }

    /// How many links of other programs each adapter holds now; `nil`: bluetoothd does not say.
    func foreignLinks() async -> [ObjectPath: Int]? {
        guard let found = await foreign.survey() else { return nil }
        return found.reduce(into: [:]) { counts, path in path.parent.map { counts[$0, default: 0] += 1 } }
    }

    /// Looks for paired devices of ours whose objects bear another address, whenever one is missing, until `end`.
    func followIdentities() async {
        while true {
            await missing.wait()
            if isOver { return }
            guard addresses.indices.contains(where: { facts(of: $0) == nil }) else { continue }
            if await paths.aliases.search(on: bus, for: paths) { mirror.refresh() }
        }
    }

    /// The connection is gone.
    func end() {
        isOver = true
        missing.open()
    }

    /// Whether the connection and the object are there still.
    func isThere(_ path: ObjectPath) -> Bool { !isOver && mirror.tree.has(Adapter1.name, at: path) }

    // MARK: Facts

    private var adapterFacts: [AdapterFacts] {
        mirror.tree.paths(with: Adapter1.name).compactMap { path in
            let address = mirror.tree.adapterAddress(path)
            // A radio that failed to start has no address.
            if let address, address.bits == 0 { return nil }
            return AdapterFacts(
                path: path, address: address, isPowered: mirror.tree[path, Adapter1.powered] ?? false,
                foreignLinks: foreign.links(on: path, in: mirror.tree))
        }
    }

    /// The device's object on the adapter that it is kept on; where none is named, on the first that has it.
    func facts(of id: DeviceID) -> DeviceFacts? {
        let tree = mirror.tree
        for adapter in tree.paths(with: Adapter1.name)
        where adapters[id].takes(adapter.name, tree.adapterAddress(adapter)) {
            if let found = facts(at: usualPath(of: id, on: adapter), adapter, tree) { return found }
            for path in aliases(of: id, on: adapter) {
                if let found = facts(at: path, adapter, tree) { return found }
            }
        }
        return nil
    }

    private func facts(at path: ObjectPath, _ adapter: ObjectPath, _ tree: ObjectTree) -> DeviceFacts? {
        guard let object = tree.objects[path], let device = object[Device1.name.text] else { return nil }
        func isSo(_ property: Property<Bool>) -> Bool { device[property] ?? false }
        return DeviceFacts(
            path: path, adapter: adapter, isConnected: isSo(Device1.connected),
            isResolved: isSo(Device1.servicesResolved), isPaired: isSo(Device1.paired),
            isBlocked: isSo(Device1.blocked), hasLowEnergyBearer: object[BearerLE1.name.text] != nil,
            mayPreferLowEnergy: device[Device1.preferredBearer].map { $0 != Self.lowEnergy } ?? false)
    }

    private func usualPath(of id: DeviceID, on adapter: ObjectPath) -> ObjectPath {
        if let known = usualPaths[adapter] { return known[id] }
        let paths = addresses.map { Bluez.path(of: $0, on: adapter) }
        usualPaths[adapter] = paths
        return paths[id]
    }

    private func aliases(of id: DeviceID, on adapter: ObjectPath) -> [ObjectPath] {
        paths.aliases.addresses(of: id).map { Bluez.path(of: $0, on: adapter) }
    }

    // MARK: Events

    private func receive(_ event: ObjectMirror.Event) {
        switch event {
        case .snapshot:
            if let formerBluez, formerBluez != mirror.owner { post(.lost(.bluez)) }
            formerBluez = nil
            onTreeChange(nil)
            postAll()
            missing.open()
            onSnapshot?()
        case .lost:
            paths.aliases.forget()
            usualPaths = [:]
            post(.lost(.bluez))
        case .refused(let error): refused(error)
        case .signal(let signal): ended(signal)
        case .change(.added(let path, let interface)): added(path, interface)
        case .change(.removed(let path, let interface)): removed(path, interface)
        case .change(.changed(let path, let interface, let names)): changed(path, interface, names)
        }
    }

    private func postAll() {
        var found = addresses.indices.compactMap { id in facts(of: id).map { (id, $0) } }
        if isFirstSnapshot {
            isFirstSnapshot = false
            for place in found.indices where found[place].1.isConnected {
                found[place].1.isSubscribed = isSubscribed(found[place].1.path)
            }
        }
        post(.bluez(adapterFacts, Dictionary(uniqueKeysWithValues: found)))
    }

    private func isSubscribed(_ device: ObjectPath) -> Bool {
        GattTree(of: device, in: mirror.tree).characteristics.contains {
            mirror.tree[$0.path, GattCharacteristic1.notifying] == true
        }
    }

    /// bluetoothd is there, and tells nothing.
    private func refused(_ error: BusError) {
        switch Remedy(error) {
        case .denied: post(.lost(.denied("\(error)")))
        case .relink: post(.lost(.hung))
        default: break
        }
    }

    private func ended(_ signal: Signal) {
        guard signal.member == Device1.disconnected.name, let id = paths.device(of: signal.path),
            let reason = signal.arguments.first.flatMap({ String($0) })
        else { return }
        post(.ended(id, LinkEnd(reason)))
    }

    private func added(_ path: ObjectPath, _ interface: InterfaceName) {
        if interface == Adapter1.name { return postAll() }
        guard let id = paths.device(of: path) else { return }
        if interface == BearerLE1.name { return post(.device(id, facts(of: id))) }
        guard interface == Device1.name else {
            if interface != Battery1.name { onTreeChange(id) }
            return
        }
        post(.device(id, facts(of: id)))
        post(.heard(id))
        if listening.contains(id) { advertised(id, path, Self.spoken) }
    }

    private static let spoken: Set = [Device1.manufacturerData.name.text, Device1.serviceData.name.text]

    private func advertised(_ id: DeviceID, _ path: ObjectPath, _ names: Set<String>) {
        // Where two radios hear it, one of them is listened to.
        guard let onAdvertisement, !names.isEmpty, facts(of: id)?.path == path,
            let heard = Advertisement(at: path, in: mirror.tree)
        else { return }
        onAdvertisement(id, heard, names)
    }

    private func removed(_ path: ObjectPath, _ interface: InterfaceName) {
        // BlueZ never answers calls to an object that is gone.
        if Bluez.lasting.contains(interface) { bus.abandonCalls(below: path) }
        if interface == Adapter1.name { return postAll() }
        guard let id = paths.device(of: path) else { return postAll() }
        guard interface == Device1.name else {
            if interface != Battery1.name, interface != BearerLE1.name { onTreeChange(id) }
            return
        }
        post(.device(id, facts(of: id)))
    }

    private func changed(_ path: ObjectPath, _ interface: InterfaceName, _ names: [String]) {
        switch interface {
        case Adapter1.name where names.contains(Adapter1.powered.name.text): postAll()
        case Device1.name:
            guard let id = paths.device(of: path) else { return postAll() }
            if names.contains(where: Self.telling.contains) { post(.device(id, facts(of: id))) }
            if names.contains(Device1.rssi.name.text), mirror.tree[path, Device1.rssi] != nil { post(.heard(id)) }
            if listening.contains(id) { advertised(id, path, Self.spoken.intersection(names)) }
        case GattCharacteristic1.name where names.contains(GattCharacteristic1.value.name.text):
            guard let id = paths.device(of: path), let octets = mirror.tree[path, GattCharacteristic1.value] else {
                return
            }
            onNotification(id, path, octets)
        default: break
        }
    }

    /// The properties that `DeviceFacts` is made of.
    private static let telling = [
        Device1.connected.name.text, Device1.servicesResolved.name.text, Device1.paired.name.text,
        Device1.blocked.name.text,
    ]
}
