import DBus
import RunLoop

/// Watches all services that report the machine's power, and reports changes of the power mode.
///
/// It works on a run loop, over any number of connections to the bus. Each of the services may be missing.
package final class PowerMonitor: @unchecked Sendable {
    private let loop: RunLoop
    private let supply: () -> SupplyFacts
    private let onChange: (PowerStatus) -> Void
    private var policy: PowerPolicy
    private var answered = PowerAnswers()
    private var watches: [WatchedProperties] = []
    private let answers: Gate
    private var bus: (any Bus)?
    private var hasActivated = false
    private var hasAsked = false
    private var polls = PowerPolls()
    /// When to check a new mode that restricts polling.
    private var checkAt = Uptime.never
    private lazy var timer = ClosureTimer { [weak self] in self?.apply(.time) }

    /// - Parameter supply: reads the supplies from the kernel.
    package init(
        _ choice: PowerChoice = .auto, on loop: RunLoop, supply: (() -> SupplyFacts)? = nil,
        onChange: @escaping (PowerStatus) -> Void
    ) {
        self.loop = loop
        self.supply = supply ?? { PowerSupply.facts() }
        self.onChange = onChange
        policy = PowerPolicy(choice)
        answers = Gate(loop)
    }

    package var status: PowerStatus { policy.status }

    package var facts: PowerFacts { answered.facts }

    /// Watches on this connection until `stop` is called, or until the task is cancelled and the connection closed.
    package func run(on bus: any Bus) async {
        self.bus = bus
        watches = [
            WatchedProperties(UPower.self, of: UPower.service, at: UPower.path) { [unowned self] in
                self.receive($0, isUPower: true) { self.answered.upower = $0 }
            },
            WatchedProperties(UPowerDevice.self, of: UPower.service, at: UPowerDevice.path) { [unowned self] in
                self.receive($0, isUPower: false) { self.answered.display = $0 }
            },
            WatchedProperties(PowerProfiles.self, of: PowerProfiles.service, at: PowerProfiles.path) {
                [unowned self] in
                self.receive($0, isUPower: false) { self.answered.profile = $0?[PowerProfiles.activeProfile] }
            },
            WatchedProperties(
                HadessPowerProfiles.self, of: HadessPowerProfiles.service, at: HadessPowerProfiles.path
            ) { [unowned self] in
                self.receive($0, isUPower: false) {
                    self.answered.hadessProfile = $0?[HadessPowerProfiles.activeProfile]
                }
            },
        ]
        let watches = watches
        await withDiscardingTaskGroup { group in
            for watch in watches { group.addTask { await watch.run(on: bus) } }
            group.addTask {
                await self.activate(on: bus)
                await self.poll()
                self.hasAsked = true
                self.answers.open()
            }
        }
        self.bus = nil
    }

    /// Stops watching, because the connection ended. The last facts still count, and a better mode comes in time.
    package func stop() {
        for watch in watches { watch.stop() }
        bus = nil
    }

    /// Stops all reports.
    package func end() {
        stop()
        loop.disarm(timer)
    }

    /// Changes the configured choice. `onChange` may follow.
    package func choose(_ choice: PowerChoice) {
        policy.choice = choice
        apply(.time)
    }

    /// Call this after the machine's sleep.
    package func resumed() { apply(.resumed) }

    /// Waits until all services have answered, at most for this time.
    package func answered(within: Duration) async {
        let deadline = loop.now + within
        while loop.now < deadline, !hasAsked || !watches.allSatisfy(\.isAnswered) {
            await answers.wait(until: deadline)
        }
    }

    // MARK: Facts

    private func receive(_ change: WatchedProperties.Change, isUPower: Bool, take: (Properties?) -> Void) {
        switch change {
        case .owner: if isUPower { apply(.upowerChanged) }
        case .properties(let properties):
            take(properties)
            gather()
        }
    }

    private func gather() {
        if answered.lacksDisplay, watches.count > 1, !watches[1].isAnswered { return }
        answered.gather()
        apply(.facts(facts))
        answers.open()
    }

    private func apply(_ event: PowerPolicy.Event) {
        if let status = policy.step(event, at: loop.now) {
            onChange(status)
            checkAt = isRestricted ? loop.now + Self.trust : .never
        }
        if loop.now >= checkAt { check() }
        let next = min(policy.nextWake, checkAt)
        if next < .never { loop.arm(timer, at: max(next, loop.now)) } else { loop.disarm(timer) }
    }

    // MARK: Doubt

    /// How long the signals that began a mode are believed.
    private static let trust: Duration = .seconds(9)

    private var isRestricted: Bool { policy.choice == .auto && status.mode > .normal }

    /// Queries all services again, because a signal may have been missed.
    private func check() {
        checkAt = .never
        for watch in watches { watch.check() }
    }

    // MARK: Services without signals

    /// Asks the bus once to start each service.
    private func activate(on bus: any Bus) async {
        guard !hasActivated else { return }
        hasActivated = true
        for service in [UPower.service, PowerProfiles.service, HadessPowerProfiles.service] {
            _ = try? await bus.daemon.call(BusDaemon.startServiceByName, service.text, 0, within: .seconds(5))
            if service == PowerProfiles.service, answered.profile != nil { return }
        }
    }

    /// The time of the next poll: once a minute while a mode restricts polling, or with a battery but without UPower.
    package var nextPoll: Uptime { answered.needPolls || isRestricted ? polls.next : .never }

    /// Takes a due poll. `poll` must follow if this returns `true`.
    package func beginPoll() -> Bool {
        guard loop.now >= nextPoll else { return false }
        polls.polled(at: loop.now)
        return true
    }

    /// Polls logind and the kernel, which don't report changes, and checks the other services.
    package func poll() async {
        guard polls.begin(at: loop.now) else { return }
        if isRestricted { check() }
        answered.facts.kernel = supply()
        if let bus {
            answered.facts.isOnExternalPower = try? await bus.object(Login1Manager.service, at: Login1Manager.path)
                .get(Login1Manager.onExternalPower, within: .seconds(5))
        }
        polls.end()
        gather()
    }
}

/// The times to poll services that don't report changes: once a minute, one poll at a time.
struct PowerPolls: Sendable, Hashable {
    private var isPolling = false
    private var last: Uptime?

    static let interval: Duration = .seconds(60)

    /// The time of the next poll; `.never` during a poll, and before the first.
    var next: Uptime { isPolling ? .never : last.map { $0 + Self.interval } ?? .never }

    /// Takes a due poll, which will begin soon.
    mutating func polled(at now: Uptime) { last = now }

    /// Begins a poll. `end` must follow if this returns `true`. Returns `false` during another poll.
    mutating func begin(at now: Uptime) -> Bool {
        guard !isPolling else { return false }
        isPolling = true
        last = now
        return true
    }

    mutating func end() { isPolling = false }
}

/// The last answers of the power services, and the facts that follow from them.
struct PowerAnswers: Sendable {
    var upower: Properties?
    /// UPower's display device, which stands for all batteries.
    var display: Properties?
    /// The active profile, from the newer and from the older name of power-profiles-daemon.
    var profile: String?
    var hadessProfile: String?
    /// The facts from the last complete answers.
    var facts = PowerFacts()

    /// Whether UPower answered without its display device. The battery's charge is then unknown.
    var lacksDisplay: Bool { upower != nil && display == nil }

    /// Whether blekeep must poll logind and the kernel: there is a battery, but no UPower to report changes.
    var needPolls: Bool { facts.upower == nil && facts.kernel?.percentage != nil }

    mutating func gather() {
        facts.profile = profile ?? hadessProfile
        facts.upower = upower.map { upower in
            UPowerFacts(
                onBattery: upower[UPower.onBattery], type: display?[UPowerDevice.type],
                isPresent: display?[UPowerDevice.isPresent], percentage: display?[UPowerDevice.percentage],
                state: display?[UPowerDevice.state], warningLevel: display?[UPowerDevice.warningLevel])
        }
    }
}
