import DBus
import RunLoop

/// The state of the poller: takes events and returns effects. Pure: no await, no clock, no I/O.
struct KeeperState: Sendable {
    var devices: [DeviceMachine]
    var adapters: [AdapterState] = []
    var bluez: BluezMachine
    var settings: Settings
    var run = Run()
    var power = PowerStatus.unknown { didSet { shown.touchAll() } }
    /// Whether a snapshot of BlueZ came since the start.
    var hasSeenFirst = false
    var recovery = RecoveryMemory() { didSet { shown.isMachineTouched = true } }
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
        devices = plans.enumerated().map { DeviceMachine(id: $0.offset, place: $0.offset, plan: $0.element, at: start) }
        bluez = BluezMachine(at: start)
        shown = ShownSnapshots(devices: plans.count)
        settings = Settings(adapter: adapter, maxLinks: max(1, maxLinks))
    }

    /// The outage that prevents polling of all devices.
    var outage: Outage? { bluez.outage }

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
        let criticalSearch = power.mode == .critical ? longestSearch : nil
        for id in devices.indices {
            let isHopeless = devices[id].plan.count != nil && devices[id].hasTick && !isReady(id)
            consider(
                devices[id].nextDecision(after: now, criticalSearch: criticalSearch, isHopeless: isHopeless))
        }
        bluez.decisions(mayReport: outage != nil || !adapters.contains(where: \.facts.isPowered), consider)
        recoveryDecisions(consider)
        for index in adapters.indices {
            adapters[index].queue.decisions(longestSearch: longestSearch).forEach(consider)
        }
        return earliest
    }

    // MARK: Devices

    /// Returns what a device must know of its surroundings.
    ///
    /// - Parameter judgesAir: whether a tick of the device may end without a turn.
    func surroundings(of id: DeviceIndex, judgesAir: Bool = false, at now: Uptime) -> Surroundings {
        surroundings(of: id, through: adapterIndex(of: id), judgesAir: judgesAir, at: now)
    }

    /// - Parameter index: of the device's adapter.
    func surroundings(
        of id: DeviceIndex, through index: Int?, judgesAir: Bool = false, at now: Uptime
    ) -> Surroundings {
        let adapter = index.map { index in
            let shortage = judgesAir ? shortage(on: index, now) : nil
            return Surroundings.Adapter(
                path: adapters[index].facts.path, isPowered: adapters[index].facts.isPowered,
                isSearching: adapters[index].queue.discovery != .off,
                discoveryFailure: adapters[index].discovery.failure, airShortage: shortage,
                lacksAirTime: shortage != nil || adapters[index].shortage != nil)
        }
        return Surroundings(
            now: now, power: power, outage: outage, adapter: adapter, isHeld: isHeld(id, on: index, at: now),
            longestSearch: longestSearch, allowed: recovery.allowed)
    }

    /// Whether bluetoothd and the device's adapter work.
    func isReady(_ id: DeviceIndex) -> Bool {
        outage == nil && adapterIndex(of: id).map { adapters[$0].facts.isPowered } ?? false
    }

    /// Carries out what a device asks for.
    mutating func perform(_ actions: [DeviceAction], of id: DeviceIndex, at now: Uptime) {
        for action in actions {
            switch action {
            case .effect(let effect): effects.append(effect)
            case .tickBegan: run.isSettled = false
            case .tickDone:
                if !isHeld(id, at: now) { perform(devices[id].connectionUnneeded(at: now), of: id, at: now) }
            case .turnMissed(let shortage): turnMissed(id, shortage)
            case .adapterFailed: radioFailed(id, now)
            case .adapterWorks: radioWorks(id)
            case .notConnected(let remedy): linkNotMade(id, remedy, now)
            case .slotDoubted(let remedy): learnSlots(id, remedy, now)
            case .connected: newLinkMade(on: devices[id].facts?.adapter, now)
            case .resolved: linkMade(id, now)
            case .dropped: crowdedOut(id, now)
            case .found: if let index = adapterIndex(of: id) { adapters[index].queue.found(at: now) }
            case .recheckSoon: bluez.recheck.hurry(at: now)
            case .reported(let isHeldUp):
                if isHeldUp { bluez.recheck.doubt(.device(id), at: now) } else { bluez.recheck.end(.device(id)) }
            }
        }
    }

    // MARK: Adapters

    /// Returns a device's adapter: the one that knows it, the configured one, or the first that is on.
    func adapter(of id: DeviceIndex) -> ObjectPath? {
        devices[id].facts?.adapter ?? adapterIndex(of: id).map { adapters[$0].facts.path }
    }

    /// Returns the index of a device's adapter; `nil` when the machine doesn't have it.
    func adapterIndex(of id: DeviceIndex) -> Int? {
        if let path = devices[id].facts?.adapter { return adapters.index(for: path) }
        return chosenAdapter(for: id)
    }

    /// Returns the index of the adapter that a device is searched with: the configured one, or the first that is on.
    func chosenAdapter(for id: DeviceIndex) -> Int? {
        let choice = devices[id].plan.adapter ?? settings.adapter
        func isChosen(_ index: Int) -> Bool {
            choice.matches(adapters[index].facts.path.name, adapters[index].facts.address)
        }
        return adapters.indices.first { isChosen($0) && adapters[$0].facts.isPowered }
            ?? adapters.indices.first(where: isChosen)
    }
}
