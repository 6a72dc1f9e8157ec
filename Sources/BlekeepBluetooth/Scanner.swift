import DBus
import RunLoop

/// The scans of a central's users, and their searches for single devices. The adapter discovers during each of them. On the
/// loop.
final class Scanner {
    private unowned let core: CentralCore
    private var scans: [Int: AsyncStream<Advertisement>.Continuation] = [:]
    private var count = 0
    /// The number of the period with scans. Scans at the same time share a period.
    private var session = 0
    private var discovery: SharedDiscovery?
    /// Serializes starts and stops.
    private let turn = AsyncLock()
    private var recentDevices = RecentDevices()
    /// The reason why the last scan failed.
    private(set) var failure: BluetoothError?

    /// A discovery in progress, and the number of its users.
    private struct SharedDiscovery {
        let adapter: ObjectPath
        /// The number of the bluetoothd that discovers: a new one has the next number.
        let generation: Int
        var users = 1
    }

    init(for core: CentralCore) {
        self.core = core
    }

    // MARK: Scans

    func scan(for length: Duration, passive: Bool, _ continuation: AsyncStream<Advertisement>.Continuation) {
        count += 1
        let key = count
        scans[key] = continuation
        let core = core
        continuation.onTermination = { _ in core.loop.perform { core.scanner.endScan(key) } }
        let tree = core.mirror.tree
        for path in tree.paths(with: Device1.name) where tree[path, Device1.rssi] != nil {
            if let advertisement = Advertisement(at: path, in: tree) { continuation.yield(advertisement) }
        }
        if scans.count == 1 {
            session += 1
            let session = session
            Task(executorPreference: core.loop) { await core.scanner.run(session, passive: passive) }
        }
        core.loop.schedule(at: core.loop.now + length) { continuation.finish() }
    }

    private func endScan(_ key: Int) {
        if scans.removeValue(forKey: key) != nil, scans.isEmpty { core.waiters.announce() }
    }

    /// Ends all scans.
    func end() {
        for scan in scans.values { scan.finish() }
        if core.isClosed { scans = [:] }
    }

    private func fail(_ error: BluetoothError) {
        failure = error
        end()
    }

    /// Discovers until all scans ended. A failure ends them.
    private func run(_ session: Int, passive: Bool) async {
        failure = nil
        do throws(BluetoothError) {
            if passive { try await listen(session) } else { try await discover(session) }
        } catch { fail(error) }
    }

    private func discover(_ session: Int) async throws(BluetoothError) {
        let generation = try await beginDiscovery()
        await waitForEnd(of: session)
        await endDiscovery(generation)
    }

    private func listen(_ session: Int) async throws(BluetoothError) {
        let scan = PassiveScan(
            on: core.bus, at: try core.adapter(), number: session, found: { [weak self] in self?.heard($0) },
            ended: { [weak self] in self?.fail($0) })
        try await scan.start(in: core.mirror.tree)
        await waitForEnd(of: session)
        if !core.isClosed { scan.stop() }
    }

    private func waitForEnd(of session: Int) async {
        await core.wait(until: .never) { scans.isEmpty || self.session != session }
    }

    // MARK: Searches

    /// Discovers until `isFound` holds, for at most 15 s.
    func search(until isFound: () -> Bool) async throws(BluetoothError) {
        let generation = try await beginDiscovery()
        await core.wait(until: core.loop.now + CallTiming.search, for: isFound)
        // Connecting during discovery would take seconds longer.
        await endDiscovery(generation)
    }

    /// Starts discovery, or joins the one in progress. `endDiscovery` must follow.
    ///
    /// - Returns: the number of the bluetoothd that discovers.
    private func beginDiscovery() async throws(BluetoothError) -> Int {
        await turn.enter()
        defer { turn.leave() }
        let generation = core.mirror.generation
        if discovery?.generation == generation {
            discovery?.users += 1
            return generation
        }
        let adapter = try core.adapter()
        do throws(BusError) { try await core.startDiscovery(on: adapter) } catch {
            throw BluetoothError(error, "discovery")
        }
        discovery = SharedDiscovery(adapter: adapter, generation: generation)
        return generation
    }

    private func endDiscovery(_ generation: Int) async {
        await turn.enter()
        defer { turn.leave() }
        guard let ended = discovery, ended.generation == generation else { return }
        discovery?.users -= 1
        guard ended.users == 1 else { return }
        discovery = nil
        try? await core.stopDiscovery(on: ended.adapter)
    }

    // MARK: Devices

    /// BlueZ added a device.
    func added(_ path: ObjectPath) {
        heard(path)
        let tree = core.mirror.tree
        let leaving = recentDevices.add(path) { path in
            core.isConnected(path) || tree[path, Device1.paired] == true || core.ownLinks.contains(path)
        }
        for path in leaving { core.mirror.forget(path) }
    }

    /// BlueZ heard a device.
    func heard(_ path: ObjectPath) {
        guard !scans.isEmpty, let advertisement = Advertisement(at: path, in: core.mirror.tree) else { return }
        for scan in scans.values { scan.yield(advertisement) }
    }
}
