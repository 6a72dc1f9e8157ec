import DBus
import RunLoop

/// The state of the poller: takes events and returns effects. Pure: no await, no clock, no I/O.
struct KeeperState: Sendable {
    var devices: [DeviceState]
    var adapters: [AdapterState] = []
    var reach: Reach
    var recheck = Recheck()
    var settings: Settings
    var run = Run()
    var power = PowerStatus.unknown { didSet { shown.touchAll() } }
    var claims = LinkClaims() { didSet { shown.areDevicesTouched = true } }
    var recovery = RecoveryMemory() { didSet { shown.isMachineTouched = true } }
    var renewal = RenewalState()
    var effects: [Effect] = []
    var shown: ShownSnapshots
    /// The time of the next step without an event.
    private(set) var wake = Uptime.never

    /// The configuration for all devices.
    struct Settings: Sendable {
        var adapter: AdapterChoice?
        var maxLinks: Int
        /// Whether held connections stay when `poll` stops.
        var keepsLinks = false
    }

    /// The progress of the run.
    struct Run: Sendable {
        var isStopping = false
        /// Whether the machine sleeps, or is about to.
        var isSleeping = false
        /// Whether the work of all ticks so far is done.
        var isSettled = true
        /// Whether a user is watching.
        var isWatched = false
    }

    init(plans: [DevicePlan], adapter: AdapterChoice?, maxLinks: Int, at start: Uptime) {
        devices = plans.enumerated().map { DeviceState(id: $0.offset, place: $0.offset, plan: $0.element, at: start) }
        reach = Reach(at: start)
        shown = ShownSnapshots(devices: plans.count)
        settings = Settings(adapter: adapter, maxLinks: max(1, maxLinks))
    }

    /// The outage that prevents polling of all devices.
    var outage: Outage? { reach.outage }

    /// Takes an event at `now`, and returns the effects to perform.
    mutating func step(_ event: Event, at now: Uptime) -> [Effect] {
        effects = []
        absorb(event, now)
        if run.isStopping || run.isSleeping { releaseAll(now) } else { decide(now) }
        wake = nextWake(after: now)
        addSnapshots()
        assert(devices.allSatisfy { $0.link.phase.fits(isConnected: $0.isConnected) })
        return effects
    }

    /// Whether the run is over.
    var isFinished: Bool { run.isStopping || devices.allSatisfy(\.isFinished) }

    /// Whether no poll is in progress.
    var isQuiet: Bool { devices.allSatisfy { !$0.link.phase.isPolling } }

    /// Whether a tick is due.
    func hasTickDue(at now: Uptime) -> Bool { devices.indices.contains { devices[$0].nextTick <= now } }

    private func nextWake(after now: Uptime) -> Uptime {
        if run.isSleeping, !run.isStopping { return .never }
        var earliest = Uptime.never
        func consider(_ time: Uptime) { if time > now, time < earliest { earliest = time } }
        for id in devices.indices {
            if devices[id].link.phase.isPolling { continue }
            if devices[id].link.phase.isIdle { consider(devices[id].retry.notBefore) }
            if let deadline = devices[id].link.phase.deadline { consider(deadline) }
            if let turnEnd = devices[id].link.turnEnd { consider(turnEnd) }
            consider(devices[id].nextTick)
            if let end = devices[id].ticks.pausedUntil { consider(end) }
            if devices[id].hasTick {
                consider(giveUp(id))
                consider(listenUntil(id))
            }
        }
        consider(reach.activation)
        consider(recheck.next)
        if outage != nil || !adapters.contains(where: \.facts.isPowered) { consider(reach.firstReport) }
        consider(reach.health.nextPing)
        recoveryDecisions(consider)
        for index in adapters.indices {
            adapters[index].queue.decisions(longestSearch: longestSearch).forEach(consider)
        }
        return earliest
    }

    // MARK: Adapters

    /// Returns a device's adapter: the one that knows it, the configured one, or the first that is on.
    func adapter(of id: DeviceIndex) -> ObjectPath? {
        devices[id].facts?.adapter ?? adapterIndex(of: id).map { adapters[$0].facts.path }
    }

    /// Returns the index of a device's adapter; `nil` when the machine doesn't have it.
    func adapterIndex(of id: DeviceIndex) -> Int? {
        if let path = devices[id].facts?.adapter { return adapters.index(for: path) }
        let choice = devices[id].plan.adapter ?? settings.adapter
        func isChosen(_ index: Int) -> Bool {
            choice.matches(adapters[index].facts.path.name, adapters[index].facts.address)
        }
        return adapters.indices.first { isChosen($0) && adapters[$0].facts.isPowered }
            ?? adapters.indices.first(where: isChosen)
    }
}
