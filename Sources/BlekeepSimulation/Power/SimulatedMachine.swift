import BlekeepRecords
import DBus
import RunLoop

/// The machine of a world: UPower, power profiles and logind, and the scripts for them.
package final class SimulatedMachine: @unchecked Sendable {
    package let power: SimulatedPower
    package let login: SimulatedLogin
    /// The true power modes, with their start times.
    package private(set) var demands: [(moment: Uptime, mode: PowerMode)] = []
    /// The times in which UPower's data may be wrong, after a sleep or a restart, or in which it can't report any.
    package var doubts: [(from: Uptime, to: Uptime)] { restless + power.absences }
    private var restless: [(from: Uptime, to: Uptime)] = []
    private let script: PowerScript
    package let loop: RunLoop

    /// - Parameters:
    ///   - limit: the time that logind waits for delay locks.
    ///   - connect: returns a new connection for each start of a daemon.
    package init(
        _ script: PowerScript = PowerScript(), on loop: RunLoop, limit: Duration = .seconds(5),
        connect: @escaping @Sendable () async throws(BusError) -> any Bus
    ) {
        self.script = script
        self.loop = loop
        power = SimulatedPower(Self.supply(script.start) ?? .none, connect: connect)
        login = SimulatedLogin(limit: limit, connect: connect)
    }

    /// Starts the daemons and the script.
    package func start() async throws(BusError) {
        try await power.start()
        try await login.start()
        note()
        for step in script.steps {
            loop.schedule(at: loop.now + step.after) { [weak self] in self?.apply(step.act) }
        }
    }

    /// Starts missing daemons, as after a crash of the message bus.
    package func revive() async throws(BusError) {
        if !power.isRunning {
            // Clients that lost the bus reconnect within half a minute, and query then.
            doubt(for: .seconds(35))
            try await power.start()
        }
        if !login.isRunning { try await login.start() }
    }

    package func stop() {
        power.stop()
        login.stop()
    }

    /// Performs a step now.
    package func apply(_ act: PowerScript.Act) {
        switch act {
        case .battery, .mains, .noBattery: if let supply = Self.supply(act) { power.set(supply) }
        case .profile(let name): power.set(profile: name)
        case .suspend(let length): login.beginSuspend(for: length) { [weak self] in self?.doubt(for: .seconds(30)) }
        case .suspendUnannounced(let length):
            if loop.isVirtual { loop.sleepMachine(for: length) }
            doubt(for: .seconds(31))
        case .announce(let isBegin):
            login.tell(Login1Manager.prepareForSleep.name, isBegin: isBegin)
            // The poller checks an announcement without an end, and drops it.
            doubt(for: .seconds(400))
        case .announceShutdown(let isBegin):
            login.tell(Login1Manager.prepareForShutdown.name, isBegin: isBegin)
            doubt(for: .seconds(400))
        case .stubbornProgram(let isThere): login.hasStubbornProgram = isThere
        case .restartPower(let pause):
            power.stop()
            doubt(for: pause + .seconds(12))
            again(after: pause) { [power] () async throws(BusError) in try await power.start() }
        case .restartLogin(let pause):
            login.stop()
            again(after: pause) { [login] () async throws(BusError) in try await login.start() }
        case .lie: power.lie()
        }
        note()
    }

    private var errands: [@Sendable () async throws(BusError) -> Void] = []
    private lazy var gate = Gate(loop)

    private func again(after pause: Duration, _ start: @escaping @Sendable () async throws(BusError) -> Void) {
        loop.schedule(at: loop.now + pause) { [weak self] in
            self?.errands.append(start)
            self?.gate.open()
        }
    }

    /// Restarts crashed daemons, until the task is cancelled.
    package func run() async {
        await withTaskCancellationHandler {
            while !Task.isCancelled {
                while !errands.isEmpty { try? await errands.removeFirst()() }
                await gate.wait()
            }
        } onCancel: {
            loop.perform { self.gate.open() }
        }
    }

    // MARK: Truth

    private func note() {
        let mode = PowerStatus(judging: power.facts).mode
        if demands.last?.mode != mode { demands.append((loop.now, mode)) }
    }

    private func doubt(for length: Duration) { restless.append((loop.now, loop.now + length)) }

    private static func supply(_ act: PowerScript.Act) -> SimulatedPower.Supply? {
        switch act {
        case .battery(let percentage): .battery(percentage)
        case .mains(let percentage): .mains(percentage)
        case .noBattery: SimulatedPower.Supply.none
        default: nil
        }
    }
}

extension SimulatedPower {
    /// Returns the power mode for this data, if all of it is true.
    var facts: PowerFacts {
        PowerFacts(
            profile: profile,
            upower: UPowerFacts(
                onBattery: supply.onBattery, type: supply.type, isPresent: supply.isPresent,
                percentage: supply.percentage, state: supply.state, warningLevel: supply.warningLevel))
    }

    /// Wrong data, as some batteries report for a moment: 0 % in an unknown state, critical; wrong types; not a number.
    func lie() {
        changed(UPower.path, interface: UPower.name, properties: [UPower.onBattery.name.text: Variant("perhaps")])
        changed(
            UPowerDevice.path, interface: UPowerDevice.name,
            properties: [
                UPowerDevice.percentage.name.text: Variant(0.0), UPowerDevice.state.name.text: Variant(UInt32(0)),
                UPowerDevice.warningLevel.name.text: Variant(UInt32(4)),
            ])
        changed(
            UPowerDevice.path, interface: UPowerDevice.name,
            properties: [UPowerDevice.percentage.name.text: Variant(Double.nan)])
        set(supply)
    }
}
