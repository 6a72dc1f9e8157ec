import DBus
import RunLoop

/// All that the keeper knows and intends: events in, effects out. No await, no clock, no I/O.
struct KeeperState: Sendable {
    var devices: [DeviceState]
    var adapters: [AdapterState] = []
    var reach = Reach()
    var settings: Settings
    var run = Run()
    var power = PowerStatus.unknown { didSet { shown.touchAll() } }
    var claims = LinkClaims() { didSet { shown.areDevicesTouched = true } }
    var recovery = RecoveryMemory() { didSet { shown.isMachineTouched = true } }
    var renewal = RenewalState()
    var effects: [Effect] = []
    var shown: ShownSnapshots
    /// When to step again if nothing happens before.
    private(set) var wake = Uptime.never

    /// What the configuration says of all devices.
    struct Settings: Sendable {
        var adapter: AdapterChoice?
        var maxLinks: Int
        /// Whether connections that are held stay at a stop.
        var keepsLinks = false
    }

    /// How far the run is.
    struct Run: Sendable {
        var isStopping = false
        /// Whether the machine sleeps, or is about to.
        var isSleeping = false
        /// Whether the work of all ticks so far is done.
        var isSettled = true
    }

    init(plans: [DevicePlan], adapter: AdapterChoice?, maxLinks: Int, at start: Uptime) {
        devices = plans.enumerated().map { DeviceState(id: $0.offset, plan: $0.element, at: start) }
        shown = ShownSnapshots(devices: plans.count)
        settings = Settings(adapter: adapter, maxLinks: max(1, maxLinks))
    }

    /// Why no device can be polled; `nil`: bluetoothd is there.
    var outage: Outage? { reach.outage }

    /// Takes in what happened at `now` and says what is to be done.
    mutating func step(_ event: Event, at now: Uptime) -> [Effect] {
        effects = []
        absorb(event, now)
        if run.isStopping || run.isSleeping { releaseAll(now) } else { decide(now) }
        wake = nextWake(after: now)
        addSnapshots()
        assert(devices.allSatisfy { $0.link.phase.fits(isConnected: $0.isConnected) })
        return effects
    }

    /// Whether everything that was asked for is done.
    var isFinished: Bool { run.isStopping || devices.allSatisfy(\.isFinished) }

    /// Whether nothing of ours is on the air any more.
    var isQuiet: Bool { devices.allSatisfy { !$0.link.phase.isPolling } }

    /// Whether a tick is due.
    func hasTickDue(at now: Uptime) -> Bool { devices.indices.contains { devices[$0].nextTick <= now } }

    private func nextWake(after now: Uptime) -> Uptime {
        if run.isSleeping, !run.isStopping { return .never }
        var earliest = Uptime.never
        func consider(_ moment: Uptime) { if moment > now, moment < earliest { earliest = moment } }
        for id in devices.indices {
            if devices[id].link.phase.isPolling { continue }
            if devices[id].link.phase.isIdle { consider(devices[id].retry.notBefore) }
            if let deadline = devices[id].link.phase.deadline { consider(deadline) }
            if let turnEnd = devices[id].link.turnEnd { consider(turnEnd) }
            consider(devices[id].nextTick)
            if devices[id].hasTick {
                consider(giveUp(id))
                consider(listenUntil(id))
            }
        }
        consider(reach.activation)
        consider(reach.health.nextQuestion)
        recoveryDecisions(consider)
        for place in adapters.indices {
            adapters[place].queue.decisions(longestSearch: longestSearch).forEach(consider)
        }
        return earliest
    }

    // MARK: Who goes where

    /// The adapter that a device is kept on: its own, the configured one, or the first that is on.
    func adapter(of id: DeviceID) -> ObjectPath? {
        devices[id].facts?.adapter ?? place(of: id).map { adapters[$0].facts.path }
    }

    /// Where that adapter stands among those that are there; `nil` where it is not.
    func place(of id: DeviceID) -> Int? {
        if let path = devices[id].facts?.adapter { return adapters.place(of: path) }
        let choice = devices[id].plan.adapter ?? settings.adapter
        func isChosen(_ place: Int) -> Bool {
            choice.matches(adapters[place].facts.path.name, adapters[place].facts.address)
        }
        return adapters.indices.first { isChosen($0) && adapters[$0].facts.isPowered }
            ?? adapters.indices.first(where: isChosen)
    }
}
