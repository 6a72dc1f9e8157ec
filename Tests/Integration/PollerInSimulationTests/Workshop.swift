import Blekeep
import BlekeepSimulation
import BusBench
import DBus
import Logging
import RunLoop
import Swarming

/// A connection that records calls which change anything but a connection.
final class CallBook: ForwardingBus, @unchecked Sendable {
    let inner: any Bus
    private unowned let workshop: Workshop

    init(_ inner: any Bus, _ workshop: Workshop) {
        self.inner = inner
        self.workshop = workshop
    }

    func call(_ call: MethodCall) async throws(BusError) -> [Value] {
        workshop.saw(call, at: loop.now)
        return try await inner.call(call)
    }

    func send(_ call: MethodCall) {
        workshop.saw(call, at: loop.now)
        inner.send(call)
    }
}

/// A poller that may repair BlueZ and its adapter, and a simulated systemd.
final class Workshop: @unchecked Sendable {
    let bench: Bench
    let world: World
    let systemd: SimulatedSystemd
    let store: MemoryLedger
    private(set) var poller: Poller!
    /// The repairs of the adapter, of bluetoothd or of BlueZ's cache, with their times in seconds.
    private(set) var acts: [(what: String, at: Double)] = []
    /// Connects, and by which interface.
    private(set) var connects: [String] = []
    private(set) var log: [String] = []

    /// - Parameter former: an earlier run, whose ledger and system this one continues.
    init(
        _ bench: Bench, _ world: World, allowing steps: Set<RecoveryStep>, interval: Duration = .seconds(30),
        ledger: (any Ledger)? = nil, after former: Workshop? = nil, change: (inout PollConfiguration) -> Void = { _ in }
    ) async throws(BusError) {
        self.bench = bench
        self.world = world
        if let former {
            (systemd, store) = (former.systemd, former.store)
        } else {
            systemd = SimulatedSystemd(world) { () async throws(BusError) in try await bench.connect() }
            store = MemoryLedger()
            try await systemd.start()
        }
        var configuration = PollConfiguration(
            interval: interval,
            devices: world.scenario.peripherals.map { DeviceConfiguration(alias: $0.name, address: $0.address) })
        configuration.recovery = steps
        change(&configuration)
        let loop = bench.loop
        poller = Poller(
            configuration, on: loop, store: ledger ?? store, sinks: [],
            log: Logger(label: "workshop") { [unowned self] _ in LogTap(level: .info) { self.log.append($0) } },
            wallTime: { loop.now.nanoseconds / 1_000_000 },
            clocks: {
                ClockReading(
                    boot: "this", sinceBoot: loop.now.sinceStart, awake: loop.now.sinceStart,
                    time: loop.now.nanoseconds / 1_000_000)
            },
            supply: { SupplyFacts(state: .unknown) }
        ) { [unowned self] () async throws(BusError) in CallBook(try await bench.connect(), self) }
    }

    /// Polls for this many seconds, while `script` changes the world.
    @discardableResult
    func keep(
        for seconds: Double, _ script: @escaping @Sendable (Workshop) async throws -> Void = { _ in }
    ) async throws -> PollerReport {
        try await withThrowingTaskGroup(of: PollerReport?.self) { group in
            group.addTask { await self.poller.run() }
            group.addTask {
                try await script(self)
                try await self.at(seconds)
                self.poller.stop()
                return nil
            }
            var report: PollerReport?
            for try await result in group { report = result ?? report }
            guard let report else { throw CancellationError() }
            return report
        }
    }

    func at(_ seconds: Double) async throws {
        try await bench.loop.sleep(until: .start + .milliseconds(Int(seconds * 1000)))
    }

    /// The repairs, without their times.
    var deeds: [String] { acts.map(\.what) }

    /// The words of recovery in the ledger, in order.
    var told: [String] {
        store.entries.filter { $0.phase == .known(.recovery) }.map { $0.failure?.code.rawValue ?? "" }
    }

    func words(_ code: String) -> String? {
        store.entries.last { $0.phase == .known(.recovery) && $0.failure?.code.rawValue == code }?.failure?.message
    }

    func status(_ name: String) -> DeviceStatus? { store.statuses.values.first { $0.name == name } }

    /// The seconds at which good values of a device came.
    func moments(_ name: String) -> [Double] {
        store.readings.map(\.reading).filter { reading in
            guard case .value = reading.outcome else { return false }
            return reading.device == name
        }.map { Double($0.time) / 1000 }
    }

    fileprivate func saw(_ call: MethodCall, at now: Uptime) {
        let seconds = now.sinceStart / .seconds(1)
        switch (call.interface, call.member) {
        case (PropertiesInterface.name, PropertiesInterface.set.name):
            let content = call.arguments.count == 3 ? Variant(call.arguments[2])?.content : nil
            let name = String(call.arguments[1]) ?? ""
            let text = content.flatMap { Bool($0) }.map { $0 ? "on" : "off" } ?? content.flatMap { String($0) } ?? "?"
            acts.append(("\(name) \(text)", seconds))
        case (SystemdManager.name, _): acts.append(("restart", seconds))
        case (Adapter1.name, Adapter1.removeDevice.name): acts.append(("remove", seconds))
        case (_, Device1.connect.name): connects.append(call.interface.text)
        default: break
        }
    }
}
