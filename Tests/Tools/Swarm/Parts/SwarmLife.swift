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
    private let mood: WitnessRun.Mood
    /// The poller that runs; `nil` between two runs.
    private var poller: Poller?
    private var run: WitnessRun?
    /// The pause until the next run, if the current one ends.
    private var restart: Duration?
    private var restarts = 0
    private var configuration: ChangingConfiguration
    /// The devices that the poller has.
    private var given: [DeviceConfiguration] = []
    private var random: SplitMix64
    private var isStopping = false
    // Touched with every glance, on the loop's thread only.
    private var glances = Glances()
    private var longReads = LongReads()

    /// The time without faults before the end.
    static let healing: Duration = .seconds(23 * 60)
    /// The longest time to recover: two ticks, and the longest pause.
    private static let recovery: Duration = .seconds(300)
    private static let parked: Duration = .seconds(900)
    /// The interval of observations.
    static let glance: Duration = .seconds(1)

    init(_ setting: SwarmSetting, _ bench: Bench, _ world: World, seed: UInt64) async throws(BusError) {
        self.setting = setting
        configuration = ChangingConfiguration(setting.configuration, guest: setting.guest)
        random = SplitMix64(seed: seed ^ 0x7777)
        self.bench = bench
        self.world = world
        let witness = Witness(bench.loop, world, allowing: setting.configuration.recovery)
        self.witness = witness
        witness.kept.broadcaster = setting.thermometer
        witness.kept.served = Set(setting.scenario.peripherals.filter(\.hidesBatteryService).map(\.address))
        if SwarmSetting.lacksObjects(seed: seed) {
            witness.kept.mayLackObjects = Set(setting.scenario.peripherals.map(\.address))
        }
        witness.kept.asked = Set(setting.scenario.peripherals.filter { $0.recipe != nil }.map(\.address))
        systemd = SimulatedSystemd(world) { () async throws(BusError) in try await bench.connect() }
        machine = SimulatedMachine(on: bench.loop) { () async throws(BusError) in try await bench.connect() }
        script = SwarmScript(
            bench, world, machine, witness,
            OtherPrograms(on: try await bench.connect(), world, crowd: setting.crowd), seed: seed)
        mood = WitnessRun.Mood(seed: seed)
        script.onRestart = { [unowned self] in restart(isKilled: $0, after: $1) }
        script.onReconfigure = { [unowned self] in reconfigure($0) }
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
            mood.isWell = true
            if isReconfigured { reconfigure { [self] in $0.restore(using: &random) } }
            await convalesce(from: loop.now)
            isStopping = true
            poller?.stop()
            try? await loop.sleep(until: loop.now + .seconds(3))
            group.cancelAll()
        }
        FinalChecks(setting: setting, witness: witness, glances: glances).run(refusals: bench.refusals, machine)
    }

    /// The sleeps and the new runs, each of which brings an extra tick.
    private var sleepsSoFar: Int {
        restarts + machine.login.announcements + Int(loop.timeAsleep.wholeNanoseconds / 1_000_000)
    }

    private func keep() async {
        witness.disturbance.isRestless = { [unowned self] in
            isStopping || restart != nil || glances.isBehind(sleepsSoFar)
        }
        witness.disturbance.isLettingGo = { [unowned self] in
            isStopping || restart != nil || machine.login.sinceBegin.map { $0 < .seconds(5) } ?? false
        }
        while !isStopping {
            let run = WitnessRun(witness.kept, witness, mood: mood)
            let poller = makePoller(run)
            (self.run, self.poller) = (run, poller)
            _ = await poller.run()
            self.poller = nil
            if !isStopping, restart == nil { witness.violate(.alive, "the poller ended") }
            // The last attempt to write may have begun on a full disk, and ended when there was room again.
            if witness.isFull || run.isKilled || witness.kept.hasFailed {
                witness.kept.forgetUnstored()
            } else if witness.kept.isDirty {
                witness.violate(.flush, "what was read last is not safe")
            }
            try? await loop.sleep(until: loop.now + (restart ?? .zero))
            restart = nil
            restarts += 1
            witness.newRun(with: configuration.current)
        }
    }

    private func restart(isKilled: Bool, after pause: Duration) {
        guard !isStopping, restart == nil, let poller else { return }
        restart = pause
        if isKilled {
            run?.kill()
            witness.killed()
        }
        poller.stop()
    }

    // MARK: Configurations

    private var isReconfigured: Bool { setting.guest != nil }

    /// Changes the configuration of the running poller, or of the next one.
    private func reconfigure(_ change: (inout ChangingConfiguration) -> Void) {
        change(&configuration)
        submit()
    }

    private func submit() {
        guard let poller, let run, restart == nil, !isStopping else { return }
        var new = configuration.current
        // A device that gets another ID leaves first, as the poller requires it.
        new.devices.removeAll { device in given.contains { $0.address == device.address && $0.id != device.id } }
        do {
            try poller.reconfigure(new, sinks: [run.screen, run.file, run.server])
            given = new.devices
            witness.configured(new)
            if new.devices.count < configuration.current.devices.count { submit() }
        } catch {
            // Then it asks the user to try again.
            if !witness.kept.isWriting { witness.violate(.reconfigured, "a configuration is refused: \(error)") }
            loop.schedule(at: loop.now + .seconds(1)) { [weak self] in self?.submit() }
        }
    }

    /// Lets the guest come and go until the end. The others must not notice.
    private func entertain() {
        if isStopping { return }
        loop.schedule(at: loop.now + random.duration(in: .seconds(5) ... .seconds(90))) { [weak self] in
            guard let self, !isStopping else { return }
            reconfigure { $0.invite(using: &self.random) }
            entertain()
        }
    }

    // MARK: While it lives

    private lazy var watch = ClosureTimer { [weak self] in self?.glance() }

    private func glance() {
        if isStopping { return }
        loop.arm(watch, at: loop.now + Self.glance)
        guard let poller, restart == nil else {
            longReads.forget()
            return witness.disturbed()
        }
        glances.add(poller.powerMode, sleeps: sleepsSoFar, hasBluez: world.isRunning, at: loop.now)
        if glances.isRestless || world.isHung || !world.isRunning { witness.disturbed() }
        // Readings before an unannounced sleep are stored after it.
        if !glances.isRestless { witness.kept.checkLoss() }
        witness.checkWaits()
        // Time passes in a sleep, in which the poller can do nothing.
        let status = poller.status
        if glances.isRestless { witness.kept.excuse() } else { witness.kept.checkStatus(status) }
        checkReads(poller, status)
        checkOutage(poller)
        checkBacklog(poller)
    }

    private func checkReads(_ poller: Poller, _ status: PollerStatus) {
        // Another connection to the bus begins the reads again, with a budget of their own.
        if glances.isRestless || loop.now - witness.ownerAt <= Self.glance { return longReads.forget() }
        for (device, report) in zip(status.devices, poller.report.devices) {
            let flaw = longReads.glance(
                device.name, isRead: device.link == .reading, ticks: report.goodTicks + report.failedTicks, at: loop.now
            )
            if let flaw { witness.violate(.bounded, flaw) }
        }
    }

    private func checkBacklog(_ poller: Poller) {
        let backlog = poller.backlog
        if backlog.events > 500 { witness.violate(.memory, "\(backlog.events) events wait") }
        if backlog.readings > 10_000 { witness.violate(.memory, "\(backlog.readings) readings wait") }
    }

    private func checkOutage(_ poller: Poller) {
        if glances.isLongOutage, let device = poller.connectedDevice {
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
        while poller == nil || restart != nil { try? await loop.sleep(until: loop.now + Self.glance) }
        guard let poller else { return }
        // The poller takes its configuration first.
        if isReconfigured { try? await loop.sleep(until: loop.now + Self.glance) }
        let parked = Set(poller.status.devices.filter { $0.state == .needsUser }.map(\.address))
        let slack = setting.configuration.interval * 3
        try? await loop.sleep(until: healed + Self.recovery + slack)
        check(since: healed.sinceStart, .recover) { !parked.contains($0) }
        witness.kept.completeTicks.begin(setting.incomplete)
        try? await loop.sleep(until: healed + Self.parked + slack)
        check(since: healed.sinceStart, .unpark) { parked.contains($0) }
        witness.kept.completeTicks.end()
        witness.kept.beginTurns()
        // The poller retries a device at once that was just read.
        script.hiccup(of: kept)
        if isReconfigured { entertain() }
        let fairFrom = loop.now + setting.configuration.interval * 3
        try? await loop.sleep(until: healed + Self.healing)
        witness.kept.endTurns()
        checkTurns(since: fairFrom)
        if poller.backlog.readings > 100 { witness.violate(.drain, "\(poller.backlog.readings) readings wait") }
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

    // MARK: The poller

    private func makePoller(_ run: WitnessRun) -> Poller {
        let (loop, bench, witness) = (loop, bench, witness)
        given = configuration.current.devices
        if isReconfigured { witness.configured(configuration.current) }
        let poller = Poller(
            configuration.current, on: loop, store: run, sinks: [run.screen, run.file, run.server],
            log: Logger(label: "swarm") { _ in LogTap { line in if !run.isKilled { witness.logged(line) } } },
            wallTime: { loop.now.nanoseconds / 1_000_000 },
            clocks: {
                ClockReading(
                    boot: "swarm", sinceBoot: loop.now.sinceStart, awake: loop.now.sinceStart - loop.timeAsleep,
                    time: loop.now.nanoseconds / 1_000_000)
            },
            supply: { SupplyFacts(state: .unknown) }
        ) { () async throws(BusError) in
            if run.isKilled { throw .disconnected }
            return WitnessBus(try await bench.connect(), witness)
        }
        guard setting.hasSlowDisk else { return poller }
        poller.recorder.writer.virtualLength = { [mood] in
            let length = mood.writeLength()
            if length > .zero { witness.kept.slowWrites.append((loop.now, loop.now + length)) }
            return length
        }
        return poller
    }
}
