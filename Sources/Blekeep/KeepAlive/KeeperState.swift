import DBus
import RunLoop

/// All that the keeper knows and intends: events in, effects out. No await, no clock, no I/O.
struct KeeperState: Sendable {
    var devices: [DeviceState]
    var adapters: [AdapterState] = []
    var outage: Outage? = .bus("there is no connection to the message bus") { didSet { isMachineTouched = true } }
    var isOutageTold = false
    var activation = Uptime.never
    var activationPause = Timing.firstActivationPause
    let preferred: AdapterChoice?
    let maxLinks: Int
    var health = BluezHealth()
    /// Whether what BlueZ has is asked anew, and nothing of it may be relied on until it is answered.
    var isBlind = false
    var renewal = RenewalState()
    var isStopping = false
    var isSleeping = false
    var power = PowerStatus.unknown {
        didSet {
            isMachineTouched = true
            areDevicesTouched = true
        }
    }
    var isSettled = true
    /// Of the devices that are listened to.
    var listening: [DeviceID: ListeningState] = [:]
    var bonds: [DeviceID: BondState] = [:]
    /// Links that are ours though we do not see them.
    var claims: [DeviceID: LinkClaim] = [:] { didSet { areDevicesTouched = true } }
    /// The claims that come from the last run.
    var inheritedClaims: Set<DeviceID> = []
    /// Links that were up in the first snapshot and have been since, and that no other program used then; `nil` before.
    var firstLinks: Set<DeviceID>?
    /// Whether links that are held stay at a stop.
    var keepsLinks = false
    var recovery = RecoveryMemory() { didSet { isMachineTouched = true } }
    var effects: [Effect] = []
    /// The newest snapshots, and whether something that they show may have changed since.
    var lastDevices: [DeviceSnapshot?]
    var lastMachine: MachineSnapshot?
    var isMachineTouched = true
    /// Whether that may be so for any device.
    var areDevicesTouched = true
    /// When to step again if nothing happens before.
    private(set) var wake = Uptime.never

    init(plans: [DevicePlan], adapter: AdapterChoice?, maxLinks: Int, at start: Uptime) {
        devices = plans.enumerated().map { DeviceState(id: $0.offset, plan: $0.element, at: start) }
        lastDevices = plans.map { _ in nil }
        preferred = adapter
        self.maxLinks = max(1, maxLinks)
    }

    /// Takes in what happened at `now` and says what is to be done.
    mutating func step(_ event: Event, at now: Uptime) -> [Effect] {
        effects = []
        absorb(event, now)
        if isStopping || isSleeping { releaseAll(now) } else { decide(now) }
        wake = nextWake(after: now)
        addSnapshots()
        assert(devices.allSatisfy { $0.link.phase.fits(isConnected: $0.isConnected) })
        return effects
    }

    /// Whether everything that was asked for is done.
    var isFinished: Bool { isStopping || devices.allSatisfy(\.isFinished) }

    /// Whether nothing of ours is on the air any more.
    var isQuiet: Bool { devices.allSatisfy { !$0.link.phase.isPolling } }

    /// Whether a tick is due.
    func hasTickDue(at now: Uptime) -> Bool { devices.indices.contains { devices[$0].nextTick <= now } }

    private func nextWake(after now: Uptime) -> Uptime {
        if isSleeping, !isStopping { return .never }
        var earliest = Uptime.never
        func consider(_ moment: Uptime) { if moment > now, moment < earliest { earliest = moment } }
        for id in devices.indices {
            if devices[id].link.phase.isPolling { continue }
            if devices[id].link.phase.isIdle { consider(devices[id].notBefore) }
            if let deadline = devices[id].link.phase.deadline { consider(deadline) }
            if let turnEnd = devices[id].link.turnEnd { consider(turnEnd) }
            consider(devices[id].nextTick)
            if devices[id].hasTick {
                consider(giveUp(id))
                consider(listenUntil(id))
            }
        }
        consider(activation)
        consider(health.nextQuestion)
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
        let choice = devices[id].plan.adapter ?? preferred
        func isChosen(_ place: Int) -> Bool {
            choice.takes(adapters[place].facts.path.name, adapters[place].facts.address)
        }
        return adapters.indices.first { isChosen($0) && adapters[$0].facts.isPowered }
            ?? adapters.indices.first(where: isChosen)
    }
}
