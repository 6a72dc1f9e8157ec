import DBus
import RunLoop

/// A Bluetooth LE central: finds devices, and opens links to them, through BlueZ.
///
/// ```swift
/// let central = try await Central()
/// let value = try await central.peripheral(address).withLink { link in
///     try await link.read(BluetoothUUID(0x2A6E))
/// }
/// ```
/// All its work is done on a thread of its own; every call has a deadline.
public final class Central: Sendable {
    let core: CentralCore
    /// Ends the thread, where it has one.
    private let stop: AsyncStream<Void>.Continuation?

    /// A local radio.
    public struct Adapter: Sendable, Hashable {
        /// The kernel's name, such as `hci0`.
        public var name: String
        public var address: BluetoothAddress?
        public var isPowered: Bool
        /// What a person calls the machine on the air.
        public var alias: String?
        public var isDiscovering: Bool

        init(_ facts: AdapterFacts, in tree: ObjectTree) {
            name = String(facts.path.name)
            address = facts.address
            isPowered = facts.isPowered
            alias = tree[facts.path, Adapter1.alias]
            isDiscovering = tree[facts.path, Adapter1.discovering] ?? false
        }
    }

    /// Connects to BlueZ.
    ///
    /// - Parameters:
    ///   - bus: a D-Bus address; `nil` for the system's bus.
    ///   - adapter: the radio to use; `nil` for the first one that is on.
    /// - Throws: `noBluez`, `noAdapter`, `adapterOff`; within 30 s.
    public init(bus: String? = nil, adapter: AdapterChoice? = nil) async throws(BluetoothError) {
        let thread: LoopThread
        let (running, stop) = AsyncStream.makeStream(of: Void.self)
        self.stop = stop
        do {
            thread = try LoopThread { _ in for await _ in running {} }
        } catch {
            throw BluetoothError(.noBluez, "the system has no descriptors left")
        }
        let address = bus ?? SystemBus.address
        core = try await CentralCore.open(adapter, on: thread.loop) { loop throws(BusError) in
            try await LibdbusBus.connect(to: address, on: loop)
        }
    }

    init(core: CentralCore) {
        self.core = core
        stop = nil
    }

    /// The same on a loop of the caller's, without a thread of its own: `body` runs on that loop, and what is open
    /// when it ends is closed.
    package static func open(
        _ adapter: AdapterChoice?, on loop: RunLoop,
        connect: @escaping @Sendable () async throws(BusError) -> any Bus
    ) async throws(BluetoothError) -> Central {
        Central(core: try await CentralCore.open(adapter, on: loop) { _ throws(BusError) in try await connect() })
    }

    /// Ends all links that were made through this central, and everything that waits. To be called on the loop.
    package func close() { core.close() }

    deinit {
        core.loop.perform { [core] in core.close() }
        stop?.finish()
    }

    /// Waits until the links that were let go are down, for a few seconds at most.
    package func settle() async { await core.onLoop { core in await core.settle() } }

    /// - Throws: `noAdapter` or `adapterOff` when the radio to use is not there, or discovery was refused.
    package func checkAdapter() async throws(BluetoothError) {
        let problem: BluetoothError? = await core.onLoop { core in
            do throws(BluetoothError) {
                _ = try core.adapter()
                return core.scanner.failure
            } catch { return error }
        }
        if let problem { throw problem }
    }

    public var adapters: [Adapter] {
        get async { await core.onLoop { core in core.adapters.map { Adapter($0, in: core.mirror.tree) } } }
    }

    /// Looks for devices for so long, and tells each as it is heard, and again whenever it is heard anew.
    /// The sequence ends then, or when nobody listens any more.
    ///
    /// - Parameters:
    ///   - length: how long to scan.
    ///   - passive: listens only. A device is asked for nothing more then, so that names may be missing, and who
    ///     says no flags and is no known beacon is not heard. Where bluetoothd does not offer it, the sequence ends at
    ///     once.
    public func scan(for length: Duration = .seconds(10), passive: Bool = false) -> AsyncStream<Advertisement> {
        AsyncStream(bufferingPolicy: .bufferingNewest(1024)) { continuation in
            core.loop.perform { [core] in core.scanner.scan(for: length, passive: passive, continuation) }
        }
    }

    /// What BlueZ knows: devices that it hears at the moment or knows from earlier, by their addresses.
    public var knownDevices: [KnownDevice] {
        get async {
            await core.onLoop { core in
                let tree = core.mirror.tree
                return tree.paths(with: Device1.name).compactMap { KnownDevice(at: $0, in: tree) }
                    .sorted { ($0.address, $0.adapter) < ($1.address, $1.adapter) }
            }
        }
    }

    public func peripheral(_ address: BluetoothAddress) -> Peripheral { Peripheral(central: self, address: address) }
}
