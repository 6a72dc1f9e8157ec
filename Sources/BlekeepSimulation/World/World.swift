import BlekeepRecords
import DBus
import RunLoop

/// A simulated machine with Bluetooth: adapters, nearby peripherals, and a bluetoothd on a message bus.
///
/// The run loop of the bus is its only clock. In virtual time, it is therefore deterministic. Adapters, peripherals and
/// stored data outlive bluetoothd; connections and discovery don't. `WorldFaults.swift` has its faults.
///
/// Several worlds can be machines of one house, which share the peripherals. A peripheral has one connection at a time, and
/// while it has one, no world hears it. Its values, its behavior and its number of connections are the same for all worlds.
/// Adapters, stored devices and keys are each world's own, and so is the signal strength: see `Scenario.attenuations`.
public final class World: @unchecked Sendable {
    public let scenario: Scenario
    let air: Air
    let host: Host
    private let errands = Errands()
    /// Power and sleep, if the scenario has them.
    package private(set) var machine: SimulatedMachine?
    private var hasBegun = false
    private let connect: @Sendable () async throws(BusError) -> any Bus

    /// - Parameters:
    ///   - neighbor: another world on the same run loop. Then the peripherals of both scenarios are there for both worlds. One
    ///     with the same address is the same peripheral. `nil` for a world of its own.
    ///   - connect: returns a new connection for each start of bluetoothd.
    package init(
        scenario: Scenario, seed: UInt64 = 1, beside neighbor: World? = nil,
        connect: @escaping @Sendable () async throws(BusError) -> any Bus
    ) {
        self.scenario = scenario
        self.connect = connect
        host = Host(scenario)
        air = neighbor?.air ?? Air()
        air.add(host, peripherals: scenario.peripherals, seed: seed)
    }

    /// Returns a world for each scenario, which share their peripherals.
    ///
    /// - Parameter connect: returns a new connection to the bus of the world with this index.
    package static func neighbors(
        _ scenarios: [Scenario], seed: UInt64 = 1,
        connect: @escaping @Sendable (_ index: Int) async throws(BusError) -> any Bus
    ) -> [World] {
        var worlds: [World] = []
        for (index, scenario) in scenarios.enumerated() {
            worlds.append(
                World(scenario: scenario, seed: seed, beside: worlds.first) { () async throws(BusError) -> any Bus in
                    try await connect(index)
                })
        }
        return worlds
    }

    private(set) var bluez: SimulatedBluez? {
        get { host.bluez }
        set { host.bluez = newValue }
    }

    package var radios: [Radio] { host.radios }
    package var peripherals: [RadioPeripheral] { air.peripherals }

    /// Whether bluetoothd reports why connections end. The real one does since 5.83.
    public var tellsReasons: Bool {
        get { host.tellsReasons }
        set { host.tellsReasons = newValue }
    }

    deinit { stop() }

    // MARK: bluetoothd's life

    public var isRunning: Bool { bluez != nil }

    /// Starts bluetoothd. When this returns, it owns `org.bluez` and exports its objects.
    package func start() async throws(BusError) {
        guard bluez == nil else { return }
        let bus = try await connect()
        let life = SimulatedBluez(on: bus, host: host, in: air) { [errands] in errands.add(.watch($0)) }
        for radio in radios where radio.wedge != .replug { radio.wedge = nil }
        bluez = life
        bus.onClose = { [weak self, weak life] in self?.lost(life) }
        begin(on: bus.loop)
        try await startMachine(on: bus.loop)
        do throws(BusError) {
            try await bus.claim(Bluez.service)
        } catch {
            if bluez === life { stop() }
            throw error
        }
        if bluez === life { life.findAdapters() }
    }

    private func startMachine(on loop: RunLoop) async throws(BusError) {
        if let machine { return try await machine.revive() }
        guard let script = scenario.power else { return }
        let machine = SimulatedMachine(script, on: loop, connect: connect)
        self.machine = machine
        try await machine.start()
    }

    /// Kills bluetoothd. Its name and objects vanish, without replies to waiting calls.
    public func stop() {
        guard let life = bluez else { return }
        bluez = nil
        life.end()
        life.bus.close()
    }

    /// Starts bluetoothd, watches for clients that leave, and restarts bluetoothd after `restartBluez` or when the bus comes
    /// back. Returns after `end()`, or when its task is cancelled.
    ///
    /// - Throws: the error of the first start of bluetoothd.
    package func run() async throws(BusError) {
        try await start()
        await withTaskCancellationHandler {
            await withDiscardingTaskGroup { group in
                if let machine { group.addTask { await machine.run() } }
                while let errand = await errands.next() { await run(errand) }
                group.cancelAll()
            }
        } onCancel: {
            loop?.perform { self.end() }
        }
    }

    private func run(_ errand: Errands.Errand) async {
        switch errand {
        case .watch(let client): await watch(client)
        case .start:
            do throws(BusError) { try await start() } catch { startLater(.milliseconds(500)) }
        }
    }

    package func end() {
        stop()
        machine?.stop()
        errands.finish()
    }

    /// Runs the world while `body` runs.
    package func mounted<Success: Sendable>(_ body: @Sendable () async throws -> Success) async throws -> Success {
        try await start()
        return try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await self.run() }
            defer { self.end() }
            return try await body()
        }
    }

    /// Runs several worlds while `body` runs.
    package static func mounted<Success: Sendable>(
        _ worlds: ArraySlice<World>, _ body: @Sendable () async throws -> Success
    ) async throws -> Success {
        guard let world = worlds.first else { return try await body() }
        return try await world.mounted { try await mounted(worlds.dropFirst(), body) }
    }

    func startLater(_ delay: Duration) {
        guard let loop else { return errands.add(.start) }
        loop.schedule(at: loop.now + delay) { [weak self] in self?.errands.add(.start) }
    }

    /// Ends bluetoothd, because the bus is gone.
    private func lost(_ life: SimulatedBluez?) {
        guard let life, bluez === life else { return }
        bluez = nil
        life.end()
        startLater(.milliseconds(500))
    }

    private func watch(_ client: BusName) async {
        guard let life = bluez else { return }
        try? await life.bus.followOwner(of: client) { [weak life] in if $0 == nil { life?.left(client) } }
    }

    // MARK: Time

    private var loop: RunLoop?

    /// The start of the world's time: its first bluetoothd.
    private func begin(on loop: RunLoop) {
        guard !hasBegun else { return }
        hasBegun = true
        self.loop = loop
        for event in scenario.events {
            loop.schedule(at: loop.now + event.after) { [weak self] in self.map(event.act) }
        }
        air.begin(on: loop)
    }
}
