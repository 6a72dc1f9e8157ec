import DBus
import RunLoop

/// A Bluetooth LE central: finds devices and connects to them through BlueZ.
///
/// ```swift
/// let central = try await Central()
/// let value = try await central.peripheral(address).withLink { link in
///     try await link.read(BluetoothUUID(0x2A6E))
/// }
/// ```
///
/// Keep the central for as long as you use its peripherals: its connections end with it. It works on a thread of its
/// own, and you may call it from any task. Every call has a deadline.
public final class Central: Sendable {
    let core: CentralCore
    /// Ends the central's own thread; `nil` on a loop of the caller's.
    private let stop: AsyncStream<Void>.Continuation?

    /// A local Bluetooth adapter. The source of each value is a property of BlueZ's interface `org.bluez.Adapter1`.
    public struct Adapter: Sendable, Hashable {
        /// The kernel's name, such as `hci0`.
        public var name: String
        /// The adapter's address; `nil` while it has none. BlueZ: `Address`.
        public var address: BluetoothAddress?
        /// Whether the adapter is on. BlueZ: `Powered`.
        public var isPowered: Bool
        /// The machine's name for other devices. BlueZ: `Alias`.
        public var alias: String?
        /// Whether any program discovers devices with this adapter. BlueZ: `Discovering`.
        public var isDiscovering: Bool

        init(_ facts: AdapterFacts, in tree: ObjectTree) {
            name = String(facts.path.name)
            address = facts.address
            isPowered = facts.isPowered
            alias = tree[facts.path, Adapter1.alias]
            isDiscovering = tree[facts.path, Adapter1.discovering] ?? false
        }
    }

    /// The state of the adapter that a central uses.
    public enum AdapterState: Sendable, Hashable {
        /// The adapter is on. BlueZ: `Adapter1.Powered`.
        case poweredOn
        /// The adapter is off.
        case poweredOff
        /// The machine doesn't have the adapter.
        case noAdapter
        /// bluetoothd, or the message bus, isn't there.
        case noBluez
    }

    /// Connects to BlueZ, and starts bluetoothd if necessary. Takes at most about 45 s.
    ///
    /// The adapter may still be missing or off. Then the calls that need it throw `noAdapter` or `adapterOff`.
    ///
    /// - Parameters:
    ///   - bus: a D-Bus address; `nil` for the system bus, or the bus in `DBUS_SYSTEM_BUS_ADDRESS`.
    ///   - adapter: the adapter to use; `nil` for the first adapter that is on.
    /// - Throws: `noBluez` when the bus or bluetoothd doesn't run or doesn't reply.
    public convenience init(bus: String? = nil, adapter: AdapterChoice? = nil) async throws(BluetoothError) {
        let address = bus ?? SystemBus.address
        try await self.init(adapter) { loop throws(BusError) in try await LibdbusBus.connect(to: address, on: loop) }
    }

    /// - Parameter connect: connects to the bus, on the central's own loop.
    init(
        _ adapter: AdapterChoice?, connect: @escaping @Sendable (RunLoop) async throws(BusError) -> any Bus
    ) async throws(BluetoothError) {
        let thread: LoopThread
        let (running, stop) = AsyncStream.makeStream(of: Void.self)
        self.stop = stop
        do {
            thread = try LoopThread { _ in for await _ in running {} }
        } catch {
            throw BluetoothError(.noBluez, "no file descriptors left: close files, or raise 'ulimit -n'")
        }
        do { core = try await CentralCore.open(adapter, on: thread.loop, connect: connect) } catch {
            // The thread would wait for ever.
            stop.finish()
            throw error
        }
    }

    init(core: CentralCore) {
        self.core = core
        stop = nil
    }

    /// Creates a central on a loop of the caller's, without a thread of its own.
    package static func open(
        _ adapter: AdapterChoice?, on loop: RunLoop,
        connect: @escaping @Sendable () async throws(BusError) -> any Bus
    ) async throws(BluetoothError) -> Central {
        Central(core: try await CentralCore.open(adapter, on: loop) { _ throws(BusError) in try await connect() })
    }

    /// Ends the connections that this central made, and its calls in progress. Call it on the loop.
    package func close() { core.close() }

    deinit {
        core.loop.perform { [core] in core.close() }
        stop?.finish()
    }

    /// Waits until released connections are down, for at most 4 s.
    package func settle() async { await core.onLoop { core in await core.settle() } }

    /// The machine's adapters, also those that are off.
    public var adapters: [Adapter] {
        get async { await core.onLoop { core in core.adapters.map { Adapter($0, in: core.mirror.tree) } } }
    }

    /// The state of the adapter now, and then each change.
    ///
    /// ```swift
    /// for await state in central.adapterStates where state == .poweredOn {
    ///     print("ready")
    /// }
    /// ```
    ///
    /// Without a choice of adapter, it is `poweredOn` while any adapter is on. The sequence buffers 16 states, and drops the
    /// oldest when your loop falls behind. It ends after a last `noBluez` when the central's connection to the message bus
    /// is lost: make a new `Central` then.
    public var adapterStates: AsyncStream<AdapterState> {
        core.sequence { [self] states in
            defer { withExtendedLifetime(self) {} }
            var newest: AdapterState?
            while !Task.isCancelled {
                let state = core.adapterState
                if state != newest { states.yield(state) }
                newest = state
                if core.isOver { return }
                await core.wait(until: .never) { core.adapterState != newest || core.isOver }
            }
        }
    }

    /// Scans for `length`, and yields each advertisement, starting with those that BlueZ heard just before.
    ///
    /// ```swift
    /// for try await advertisement in central.scan(for: .seconds(5)) {
    ///     print(advertisement.address, advertisement.name ?? "", advertisement.rssi ?? 0)
    /// }
    /// ```
    ///
    /// The sequence buffers 1024 advertisements, and drops the oldest when your loop falls behind. It throws a
    /// `BluetoothError`: `noAdapter` or `adapterOff` when the adapter is missing or off, also when that happens during the
    /// scan; `noBluez` when bluetoothd stops; `unsupported` when bluetoothd or the adapter can't scan passively.
    ///
    /// - Parameters:
    ///   - length: how long to scan.
    ///   - passive: whether only to listen, without requests to the devices. Names may then be missing, and so may
    ///     devices that advertise neither flags nor a known beacon format.
    public func scan(
        for length: Duration = .seconds(10), passive: Bool = false
    ) -> AsyncThrowingStream<Advertisement, any Error> {
        AsyncThrowingStream(bufferingPolicy: .bufferingNewest(1024)) { continuation in
            core.loop.perform { [core] in core.scanner.scan(for: length, passive: passive, continuation) }
        }
    }

    /// The devices that BlueZ knows, nearby or not, sorted by address.
    public var knownDevices: [KnownDevice] {
        get async {
            await core.onLoop { core in
                let tree = core.mirror.tree
                return tree.paths(with: Device1.name).compactMap { KnownDevice(at: $0, in: tree) }
                    .sorted { ($0.address, $0.adapter) < ($1.address, $1.adapter) }
            }
        }
    }

    /// Returns the device with this address. It needn't be nearby yet.
    public func peripheral(_ address: BluetoothAddress) -> Peripheral { Peripheral(central: self, address: address) }
}
