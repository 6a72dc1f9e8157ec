import Blekeep
import BlekeepSimulation
import BusBench
import DBus
import Logging
import RunLoop

/// The run of one seed: a time with faults, one without, and the checks of both.
final class SwarmLife: @unchecked Sendable {
    let witness: Witness
    private let setting: SwarmSetting
    private let bench: Bench
    private let world: World
    private let machine: SimulatedMachine
    private let systemd: SimulatedSystemd
    private let script: SwarmScript
    private var keeper: Keeper!
    private var isStopping = false
    // Touched with every glance, on the loop's thread only.
    private var glances = Glances()

    /// The time without faults before the end.
    static let healing: Duration = .seconds(23 * 60)
    /// The longest time to recover: two ticks, and the longest pause.
    private static let recovery: Duration = .seconds(300)
    private static let parked: Duration = .seconds(900)
    /// The interval of observations.
    static let glance: Duration = .seconds(1)

    init(_ setting: SwarmSetting, _ bench: Bench, _ world: World, seed: UInt64) async throws(BusError) {
        self.setting = setting
        self.bench = bench
        self.world = world
        let witness = Witness(bench.loop, world, allowing: setting.configuration.recovery)
        self.witness = witness
        witness.kept.broadcaster = setting.thermometer
        systemd = SimulatedSystemd(world) { () async throws(BusError) in try await bench.connect() }
        machine = SimulatedMachine(on: bench.loop) { () async throws(BusError) in try await bench.connect() }
        script = SwarmScript(
            bench, world, machine, witness,
            OtherPrograms(on: try await bench.connect(), world, crowd: setting.crowd), seed: seed)
        keeper = makeKeeper()
    }

    private var loop: RunLoop { bench.loop }

    private var kept: ArraySlice<SimulatedPeripheral> { world.scenario.peripherals.prefix(SwarmSetting.devices) }

    func live(_ faults: [SwarmFault], until healed: Uptime) async throws {
        try await machine.start()
        try await systemd.start()
        await withTaskGroup(of: Void.self) { group in
            group.addTask { await self.machine.run() }
            group.addTask { await self.keep() }
            group.addTask { await self.revive() }
            loop.arm(watch, at: loop.now + Self.glance)
            try? await script.play(faults)
            try? await loop.sleep(until: healed)
            script.heal()
            await convalesce(from: loop.now)
            isStopping = true
            keeper.stop()
            try? await loop.sleep(until: loop.now + .seconds(3))
            group.cancelAll()
        }
        FinalChecks(setting: setting, witness: witness, glances: glances).run(refusals: bench.refusals, machine)
    }

    private var sleepsSoFar: Int { machine.login.announcements + Int(loop.timeAsleep.wholeNanoseconds / 1_000_000) }

    private func keep() async {
        witness.disturbance.isRestless = { [unowned self] in isStopping || glances.isBehind(sleepsSoFar) }
        witness.disturbance.isLettingGo = { [unowned self] in
            isStopping || machine.login.sinceBegin.map { $0 < .seconds(5) } ?? false
        }
        _ = await keeper.run()
        if !isStopping { witness.violate(.alive, "the keeper ended") }
        if witness.kept.isDirty { witness.violate(.flush, "what was read last is not safe") }
    }

    // MARK: While it lives

    private lazy var watch = ClosureTimer { [unowned self] in self.glance() }

    private func glance() {
        if isStopping { return }
        glances.add(keeper.powerMode, sleeps: sleepsSoFar, hasBluez: world.isRunning, at: loop.now)
        if glances.isRestless || world.isHung || !world.isRunning { witness.disturbed() }
        // Readings before an unannounced sleep are stored after it.
        if !glances.isRestless { witness.kept.checkLoss() }
        witness.checkWaits()
        checkOutage()
        checkBacklog()
        loop.arm(watch, at: loop.now + Self.glance)
    }

    private func checkBacklog() {
        let backlog = keeper.backlog
        if backlog.events > 500 { witness.violate(.memory, "\(backlog.events) events wait") }
        if backlog.readings > 10_000 { witness.violate(.memory, "\(backlog.readings) readings wait") }
    }

    private func checkOutage() {
        if glances.isLongOutage, let device = keeper.connectedDevice {
            witness.violate(.truth, "\(device) is said to be connected, and there is no bluetoothd")
        }
    }

    /// Starts UPower and logind some time after the bus.
    private func revive() async {
        while !isStopping {
            try? await loop.sleep(until: loop.now + .seconds(5))
            if Task.isCancelled { return }
            try? await machine.revive()
            try? await systemd.start()
        }
    }

    // MARK: After the faults

    private func convalesce(from healed: Uptime) async {
        let parked = Set(keeper.status.devices.filter(\.needsUser).map(\.address))
        let slack = setting.configuration.interval * 3
        try? await loop.sleep(until: healed + Self.recovery + slack)
        check(since: healed.sinceStart, .recover) { !parked.contains($0) }
        try? await loop.sleep(until: healed + Self.parked + slack)
        check(since: healed.sinceStart, .unpark) { parked.contains($0) }
        witness.kept.beginTurns()
        // The keeper retries a device at once that was just read.
        script.hiccup(of: kept)
        let fairFrom = loop.now + setting.configuration.interval * 3
        try? await loop.sleep(until: healed + Self.healing)
        witness.kept.endTurns()
        checkTurns(since: fairFrom)
        if keeper.backlog.readings > 100 { witness.violate(.drain, "\(keeper.backlog.readings) readings wait") }
    }

    /// Checks that all devices are read equally often without faults, with a tolerance of one in ten ticks, and one at either
    /// end.
    private func checkTurns(since begin: Uptime) {
        let ticks = kept.map { witness.kept.accounts[$0.address]?.ticks.count { $0 >= begin } ?? 0 }
        guard let least = ticks.min(), let most = ticks.max(), most - least > 2 + most / 10 else { return }
        witness.violate(.fair, "of one device \(least) ticks were read, of another \(most)")
    }

    private func check(since healed: Duration, _ invariant: Invariant, of isMeant: (BluetoothAddress) -> Bool) {
        for peripheral in Array(kept) + [setting.thermometer].compactMap(\.self) where isMeant(peripheral.address) {
            let last = witness.kept.accounts[peripheral.address]?.lastGood ?? .zero
            if last < healed { witness.violate(invariant, "\(peripheral.name) was read at \(last) for the last time") }
        }
    }

    // MARK: The keeper

    private func makeKeeper() -> Keeper {
        let (loop, bench, witness) = (loop, bench, witness)
        return Keeper(
            setting.configuration, on: loop, store: witness.kept, sinks: [witness.kept],
            log: Logger(label: "swarm") { _ in LogTap { _ in witness.logged() } },
            wallTime: { loop.now.nanoseconds / 1_000_000 },
            clocks: {
                ClockReading(
                    boot: "swarm", sinceBoot: loop.now.sinceStart, awake: loop.now.sinceStart - loop.timeAsleep,
                    time: loop.now.nanoseconds / 1_000_000)
            },
            supply: { SupplyFacts(state: .unknown) }
        ) { () async throws(BusError) in WitnessBus(try await bench.connect(), witness) }
    }
}
