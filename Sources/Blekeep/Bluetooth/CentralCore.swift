import DBus
import RunLoop

/// What stands behind a `Central`: the mirror of all of BlueZ's objects, on the loop.
final class CentralCore: @unchecked Sendable {
    let loop: RunLoop
    let bus: any Bus
    private let choice: AdapterChoice?
    private(set) var mirror: ObjectMirror!
    private var isReady = false
    private var failure: BusError?
    private var gates: [ObjectIdentifier: Gate] = [:]
    private var listeners: [ObjectPath: [Int: Listener]] = [:]
    private var listenerCount = 0
    private var scans: [Int: AsyncStream<Advertisement>.Continuation] = [:]
    private var scanCount = 0
    private var passiveScan: PassiveScan?
    /// One pairing at a time: there is one agent.
    var isPairing = false
    private(set) var isClosed = false
    /// Why discovery was refused, if it was.
    private(set) var scanFailure: BluetoothError?
    /// The devices whose links were asked for here: they are ended with everything else.
    private var owned: Set<ObjectPath> = []
    private var released: Set<ObjectPath> = []
    private var strangers = Strangers()
    private(set) lazy var refusals = Refusals(on: bus)

    /// Somebody who takes what a characteristic notifies.
    struct Listener {
        var receive: ([UInt8]) -> Void
        /// The link is gone: nothing more will come.
        var end: () -> Void
        /// Whether the values come as signals, which have to be asked for.
        var takesSignals = true
    }

    private init(_ bus: any Bus, _ choice: AdapterChoice?) {
        self.bus = bus
        self.choice = choice
        loop = bus.loop
    }

    static func open(
        _ choice: AdapterChoice?, on loop: RunLoop,
        connect: @escaping @Sendable (RunLoop) async throws(BusError) -> any Bus
    ) async throws(BluetoothError) -> CentralCore {
        let opened: Result<CentralCore, BluetoothError> = await withTaskExecutorPreference(loop) {
            do throws(BusError) {
                let core = CentralCore(try await connect(loop), choice)
                core.follow()
                if let why = await core.awaitBluez() {
                    core.close()
                    return .failure(BluetoothError(.noBluez, why))
                }
                return .success(core)
            } catch { return .failure(BluetoothError(.noBluez, "\(error)")) }
        }
        return try opened.get()
    }

    /// Ends the links that were made here, and everything that is under way: what waits throws.
    func close() {
        guard !isClosed else { return }
        isClosed = true
        for path in owned { sendDisconnect(path) }
        for listener in listeners.values.flatMap(\.values) { listener.end() }
        for scan in scans.values { scan.finish() }
        scans = [:]
        mirror.stop()
        bus.close()
        announce()
    }

    /// Waits until BlueZ's objects are known; lets the bus start bluetoothd where nobody is it.
    /// - Returns: why there is none.
    private func awaitBluez() async -> String? {
        await wait(until: loop.now + .milliseconds(500)) { isReady || failure != nil }
        if !isReady, failure == nil {
            do throws(BusError) {
                _ = try await bus.daemon.call(
                    BusDaemon.startServiceByName, Bluez.service.text, 0, within: .seconds(25))
            } catch {
                if case .remote(_, let message) = error, !isReady { return "bluetoothd is not running: \(message)" }
            }
        }
        await wait(until: loop.now + .seconds(20)) { isReady || failure != nil }
        if isReady { return nil }
        return failure.map { "\($0)" } ?? "bluetoothd does not answer"
    }

    // MARK: Links of ours

    func own(_ path: ObjectPath) { owned.insert(path) }

    func disown(_ path: ObjectPath) {
        guard owned.remove(path) != nil, !isClosed else { return }
        sendDisconnect(path)
        released.insert(path)
    }

    /// Waits until the links that were let go are down: BlueZ takes 2 s, and who uses one meanwhile will lose it.
    func settle() async {
        await wait(until: loop.now + .seconds(4)) { released.allSatisfy { mirror.tree[$0, Device1.connected] != true } }
    }

    private func sendDisconnect(_ path: ObjectPath) {
        bus.send(MethodCall(Bluez.service, path, Device1.name, Device1.disconnect.name, within: .zero))
    }

    /// Runs `body` on the loop.
    func onLoop<T: Sendable>(_ body: @escaping @Sendable (CentralCore) async -> T) async -> T {
        await withTaskExecutorPreference(loop) { await body(self) }
    }

    // MARK: Mirror

    private func follow() {
        let interest = ObjectMirror.Interest(
            wants: { _ in true }, indexed: [Adapter1.name, Device1.name],
            rules: { [unowned self] tree in
                Set(
                    [.properties(of: Adapter1.name), .properties(of: Device1.name)]
                        + self.listeners.filter { $0.value.values.contains(where: \.takesSignals) }
                        .map { .properties(of: GattCharacteristic1.name, at: $0.key) })
            })
        mirror = ObjectMirror(of: Bluez.service, on: bus, interest: interest) { [unowned self] in self.receive($0) }
        bus.onClose = { [unowned self] in self.mirror.lose() }
        let mirror = mirror
        Task(executorPreference: loop) { [self] in
            do throws(BusError) { try await mirror?.run() } catch { failure = error }
            isReady = false
            announce()
        }
    }

    private func receive(_ event: ObjectMirror.Event) {
        switch event {
        case .snapshot: isReady = true
        case .lost:
            isReady = false
            endListeners(below: .root)
            for scan in scans.values { scan.finish() }
        case .change(.added(let path, Device1.name)):
            heard(path)
            forgetStrangers(after: path)
        case .change(.changed(let path, Device1.name, let names)):
            if names.contains(Device1.connected.name.text), mirror.tree[path, Device1.connected] != true {
                endListeners(below: path)
            }
            let spoken = [Device1.rssi.name, Device1.manufacturerData.name, Device1.serviceData.name].map(\.text)
            if names.contains(where: spoken.contains) { heard(path) }
        case .change(.changed(let path, GattCharacteristic1.name, let names)):
            if names.contains(GattCharacteristic1.value.name.text),
                let octets = mirror.tree[path, GattCharacteristic1.value]
            {
                for (_, listener) in listeners[path] ?? [:] { listener.receive(octets) }
            }
        case .change(.removed(let path, let interface)) where Bluez.lasting.contains(interface):
            bus.abandonCalls(below: path)
            endListeners(below: path)
        case .change, .refused, .signal: break
        }
        announce()
    }

    private func forgetStrangers(after path: ObjectPath) {
        let tree = mirror.tree
        let leaving = strangers.add(path) { path in
            tree[path, Device1.connected] == true || tree[path, Device1.paired] == true || owned.contains(path)
        }
        for path in leaving { mirror.forget(path) }
    }

    private func endListeners(below path: ObjectPath) {
        for (place, all) in listeners where place.isAt(orBelow: path) { for listener in all.values { listener.end() } }
    }

    /// Lets everybody who waits look again.
    func announce() { for gate in gates.values { gate.open() } }

    /// Waits until `condition` holds; looks whenever something has changed.
    func wait(until deadline: Uptime, for condition: () -> Bool) async {
        let gate = Gate(loop)
        gates[ObjectIdentifier(gate)] = gate
        defer { gates[ObjectIdentifier(gate)] = nil }
        while !condition(), loop.now < deadline, !Task.isCancelled, !isClosed { await gate.wait(until: deadline) }
    }

    // MARK: Adapters

    var adapters: [Central.Adapter] {
        mirror.tree.paths(with: Adapter1.name).map { path in
            Central.Adapter(
                name: String(path.name), address: mirror.tree.adapterAddress(path),
                isPowered: mirror.tree[path, Adapter1.powered] ?? false, alias: mirror.tree[path, Adapter1.alias],
                isDiscovering: mirror.tree[path, Adapter1.discovering] ?? false)
        }
    }

    /// The radio to use.
    func adapter() throws(BluetoothError) -> ObjectPath {
        let tree = mirror.tree
        let all = tree.paths(with: Adapter1.name)
        let chosen = all.filter { choice.takes($0.name, tree.adapterAddress($0)) }
        let found = chosen.first { tree[$0, Adapter1.powered] == true } ?? chosen.first
        guard let found else {
            let what = choice.map { "no Bluetooth adapter \($0)" } ?? "no Bluetooth adapter"
            let others = all.isEmpty ? "" : "; there is \(all.map { String($0.name) }.joined(separator: ", "))"
            throw BluetoothError(.noAdapter, "there is \(what)\(others)")
        }
        guard tree[found, Adapter1.powered] == true else {
            throw BluetoothError(
                .adapterOff, "the adapter \(found.name) is off; turn it on with 'bluetoothctl power on'")
        }
        return found
    }

    // MARK: Scanning

    func scan(for length: Duration, passive: Bool, _ continuation: AsyncStream<Advertisement>.Continuation) {
        scanCount += 1
        let key = scanCount
        scans[key] = continuation
        continuation.onTermination = { [loop] _ in loop.perform { self.endScan(key) } }
        for path in mirror.tree.paths(with: Device1.name) where mirror.tree[path, Device1.rssi] != nil {
            if let advertisement = Advertisement(at: path, in: mirror.tree) { continuation.yield(advertisement) }
        }
        if scans.count == 1 {
            Task(executorPreference: loop) {
                if passive { await self.listenPassively() } else { await self.discover() }
            }
        }
        loop.schedule(at: loop.now + length) { continuation.finish() }
    }

    private func endScan(_ key: Int) {
        guard scans.removeValue(forKey: key) != nil, scans.isEmpty, !isClosed else { return }
        if let passiveScan {
            self.passiveScan = nil
            return passiveScan.stop()
        }
        guard let adapter = try? adapter() else { return }
        bus.send(MethodCall(Bluez.service, adapter, Adapter1.name, Adapter1.stopDiscovery.name, within: .zero))
    }

    /// Starts discovery; a refusal ends the scans.
    func discover() async {
        scanFailure = nil
        do throws(BluetoothError) {
            let discovery = Discovery(on: bus, try adapter())
            do throws(BusError) { try await discovery.start() } catch { throw BluetoothError(error, "discovery") }
        } catch { endScans(error) }
    }

    private func listenPassively() async {
        scanFailure = nil
        do throws(BluetoothError) {
            let scan = PassiveScan(
                on: bus, at: try adapter(), number: scanCount, found: { [weak self] in self?.heard($0) },
                ended: { [weak self] in self?.endScans($0) })
            passiveScan = scan
            try await scan.start(in: mirror.tree)
        } catch { endScans(error) }
    }

    private func endScans(_ error: BluetoothError) {
        scanFailure = error
        for scan in scans.values { scan.finish() }
    }

    private func heard(_ path: ObjectPath) {
        guard !scans.isEmpty, let advertisement = Advertisement(at: path, in: mirror.tree) else { return }
        for scan in scans.values { scan.yield(advertisement) }
    }

    // MARK: Notifications

    func listen(at path: ObjectPath, _ listener: Listener) -> Int {
        listenerCount += 1
        listeners[path, default: [:]][listenerCount] = listener
        return listenerCount
    }

    /// Whether nobody listens there any more.
    func unlisten(_ key: Int, at path: ObjectPath) -> Bool {
        listeners[path]?[key] = nil
        if listeners[path]?.isEmpty == true { listeners[path] = nil }
        return listeners[path] == nil
    }
}
