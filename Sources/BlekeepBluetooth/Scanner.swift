import DBus
internal import DequeModule
import RunLoop

/// The scans of a central's users, and their searches for single devices. The adapter discovers during each of them. On the
/// loop.
final class Scanner {
    typealias Scan = AsyncThrowingStream<Advertisement, any Error>.Continuation

    private unowned let core: CentralCore
    private var scans: [Int: Scan] = [:]
    private var count = 0
    /// The number of the period with scans. Scans at the same time share a period.
    private var session = 0
    private var discovery: SharedDiscovery?
    /// Serializes starts and stops.
    private let turn = AsyncLock()
    private var recentDevices = RecentDevices()

    /// A discovery in progress, and the number of its users.
    private struct SharedDiscovery {
        let adapter: ObjectPath
        /// The number of the bluetoothd that discovers: a new one has the next number.
        let generation: Int
        var users = 1
    }

    init(for core: CentralCore) { self.core = core }

    // MARK: Scans

    func scan(for length: Duration, passive: Bool, _ continuation: Scan) {
        guard !core.isClosed else { return continuation.finish() }
        count += 1
        let key = count
        scans[key] = continuation
        let core = core
        continuation.onTermination = { _ in core.loop.perform { core.scanner.endScan(key) } }
        let tree = core.mirror.tree
        for path in tree.paths(with: Device1.name) where tree[path, Device1.rssi] != nil {
            if let advertisement = Advertisement(at: path, in: tree, .known) { continuation.yield(advertisement) }
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
    ///
    /// - Parameter error: the error that they throw.
    func end(throwing error: BluetoothError? = nil) {
        for scan in scans.values { scan.finish(throwing: error) }
        if core.isClosed { scans = [:] }
    }

    /// Discovers until all scans ended. A failure ends them.
    private func run(_ session: Int, passive: Bool) async {
        do throws(BluetoothError) {
            if passive { try await listen(session) } else { try await discover(session) }
        } catch { end(throwing: error) }
    }

    private func discover(_ session: Int) async throws(BluetoothError) {
        let discovery = try await beginDiscovery()
        let isCut = await waitForEnd(of: session, on: discovery.adapter)
        await endDiscovery(discovery)
        if isCut { throw core.problem(of: discovery.adapter) }
    }

    private func listen(_ session: Int) async throws(BluetoothError) {
        let adapter = try core.adapter()
        let scan = PassiveScan(
            on: core.bus, at: adapter, number: core.nextPassiveScan(),
            for: AdvertisementPattern.all(of: BroadcastFormat.allCases, areAllKnown: false),
            found: { [weak self] in self?.heard($0, change: .known) },
            ended: { [weak self] in self?.end(throwing: $0) })
        try await scan.start(in: core.mirror.tree)
        let isCut = await waitForEnd(of: session, on: adapter)
        if !core.isClosed { scan.stop() }
        if isCut { throw core.problem(of: adapter) }
    }

    /// - Returns: whether the adapter went off or away while there were scans.
    private func waitForEnd(of session: Int, on adapter: ObjectPath) async -> Bool {
        func isOver() -> Bool { scans.isEmpty || self.session != session }
        await core.wait(until: .never) { isOver() || !core.isOn(adapter) }
        return !isOver() && !core.isClosed
    }

    // MARK: Searches

    /// Discovers until `isFound` holds, for at most 15 s.
    func search(until isFound: () -> Bool) async throws(BluetoothError) {
        let discovery = try await beginDiscovery()
        await core.wait(until: core.loop.now + CallTiming.search, for: isFound)
        // Connecting during discovery would take seconds longer.
        await endDiscovery(discovery)
    }

    /// Starts discovery, or joins the one in progress. `endDiscovery` must follow.
    private func beginDiscovery() async throws(BluetoothError) -> SharedDiscovery {
        await turn.enter()
        defer { turn.leave() }
        let generation = core.mirror.generation
        if var shared = discovery, shared.generation == generation {
            shared.users += 1
            discovery = shared
            return shared
        }
        let adapter = try core.adapter()
        do throws(BusError) { try await core.startDiscovery(on: adapter) } catch {
            throw BluetoothError(error, "discovery")
        }
        let started = SharedDiscovery(adapter: adapter, generation: generation)
        discovery = started
        return started
    }

    private func endDiscovery(_ begun: SharedDiscovery) async {
        await turn.enter()
        defer { turn.leave() }
        guard let ended = discovery, ended.generation == begun.generation else { return }
        discovery?.users -= 1
        guard ended.users == 1 else { return }
        discovery = nil
        try? await core.stopDiscovery(on: ended.adapter)
    }

    // MARK: Devices

    /// BlueZ added a device.
    func added(_ path: ObjectPath) {
        heard(path, change: .added)
        let tree = core.mirror.tree
        let leaving = recentDevices.add(path) { path in
            core.isConnected(path) || tree[path, Device1.paired] == true || core.ownLinks.contains(path)
        }
        for path in leaving { core.mirror.forget(path) }
    }

    /// BlueZ heard a device.
    func heard(_ path: ObjectPath, change: AdvertisedData.Change) {
        guard !scans.isEmpty, let advertisement = Advertisement(at: path, in: core.mirror.tree, change) else { return }
        for scan in scans.values { scan.yield(advertisement) }
    }
}

/// The devices that blekeep heard recently, up to 512. Many phones, or a program that invents addresses, can't fill the
/// memory.
struct RecentDevices: Sendable {
    static let maxDevices = 512

    private var queue = Deque<ObjectPath>()
    private var known: Set<ObjectPath> = []

    /// Adds a device.
    ///
    /// - Parameter isKept: whether a device is in use and must stay.
    /// - Returns: the devices to forget.
    mutating func add(_ path: ObjectPath, isKept: (ObjectPath) -> Bool) -> [ObjectPath] {
        guard known.insert(path).inserted else { return [] }
        queue.append(path)
        var leaving: [ObjectPath] = []
        var looks = queue.count
        while queue.count > Self.maxDevices, looks > 0, let oldest = queue.popFirst() {
            looks -= 1
            if isKept(oldest) {
                queue.append(oldest)
            } else {
                known.remove(oldest)
                leaving.append(oldest)
            }
        }
        return leaving
    }
}
