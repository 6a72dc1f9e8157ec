import DBus
import RunLoop

/// The state of the poller: takes events and returns effects. Pure: no await, no clock, no I/O.
///
/// Events and effects name a device by its number. Within a step, a device is known by its index.
struct PollerState: Sendable {
    typealias DeviceIndex = Int

    /// Also the ones that were removed, as long as they have a connection to end.
    var devices: [DeviceMachine]
    var adapters: [AdapterMachine] = []
    var bluez: BluezMachine
    var settings: Settings
    var run = Run()
    var power = PowerStatus.unknown { didSet { touched = (true, true) } }
    /// Whether a snapshot of BlueZ came since the start.
    var hasSeenFirst = false
    /// The devices that aren't configured any more, and to which an earlier run left connections that are to be ended.
    var strays: [BluetoothAddress] = []
    /// Until when their connections may take to end.
    var strayEnds: [BluetoothAddress: Uptime] = [:]
    var recovery = RecoveryMemory() { didSet { touched.machine = true } }
    var scans = ScanTime()
    var effects: [Effect] = []
    /// Whether the snapshot of the machine may be outdated, and that of any device.
    var touched = (machine: true, devices: true)
    /// The newest snapshot of the machine that was an effect.
    private var shown: MachineSnapshot?
    /// What is kept of each device, and made again when a step touches it.
    var outlines: [Outline]
    /// The devices with a dedicated slot of each adapter, for this number of slots. Made again when a worth changes.
    private var owners: [(slots: Int, owners: SlotOwners)] = []
    /// The time of the next step without an event.
    private(set) var wake = Uptime.never

    /// The configuration for all devices.
    struct Settings: Sendable {
        var adapter: AdapterChoice?
        var maxLinks: Int
        var scan = ScanMode.auto
        /// Whether held connections stay when `poll` stops.
        var keepsLinks = false
    }

    /// What each step needs of all devices. A device that no step touches costs no more than to read it.
    struct Outline: Sendable, Hashable {
        /// When its first wait is over.
        var wait = Uptime.never
        /// The index of its adapter; `nil` when the machine doesn't have it.
        var adapter: Int?
        /// The worth of its connection; `nil` for a device that blekeep doesn't connect.
        var worth: LinkWorth?

        /// Whether the device has the same rank among those that want a slot of an adapter.
        func ranks(as other: Outline) -> Bool { adapter == other.adapter && worth == other.worth }
    }

    struct Run: Sendable {
        var isStopping = false
        /// Whether the machine sleeps, or is about to.
        var isSleeping = false
        /// Whether the work of all ticks so far is done.
        var isSettled = true
        var isWatched = false
    }

    init(plans: [DevicePlan], adapter: AdapterChoice?, maxLinks: Int, at start: Uptime) {
        devices = plans.enumerated().map {
            DeviceMachine(number: DeviceNumber($0.offset), place: $0.offset, plan: $0.element, at: start)
        }
        bluez = BluezMachine(at: start)
        outlines = Array(repeating: Outline(), count: plans.count)
        settings = Settings(adapter: adapter, maxLinks: max(1, maxLinks))
    }

    /// The outage that prevents polling of all devices.
    var outage: Outage? { bluez.outage }

    mutating func step(_ event: Event, at now: Uptime) -> [Effect] {
        effects = []
        absorb(event, at: now)
        if run.isStopping || run.isSleeping {
            releaseAll(at: now)
        } else {
            decide(at: now)
            outlineDevices(at: now)
            // A decision may end a tick, and the next one is due already.
            if outlines.contains(where: { $0.wait <= now }) { decide(at: now) }
        }
        outlineDevices(at: now)
        wake = nextWake(after: now)
        scans.note(adapters.filter(\.isScanning).map(\.facts.path), at: now)
        addSnapshots()
        return effects
    }

    /// Whether the run is over.
    var isFinished: Bool {
        // Without devices yet, a run waits for a configuration that has some.
        run.isStopping || !devices.isEmpty && devices.indices.allSatisfy { devices[$0].isFinished }
    }

    /// Whether no poll is in progress.
    var isQuiet: Bool { devices.allSatisfy { !$0.link.phase.isPolling } }

    func hasTickDue(at now: Uptime) -> Bool {
        outlines.indices.contains { outlines[$0].wait <= now && devices[$0].nextTick <= now }
    }

    /// Makes the outlines of the devices that the step touched.
    private mutating func outlineDevices(at now: Uptime) {
        let areAllTouched = areAllTouched
        var areOwnersOld = areAllTouched
        for id in devices.indices where areAllTouched || devices[id].isTouched {
            let outline = newOutline(of: id)
            if !outline.ranks(as: outlines[id]) { areOwnersOld = true }
            outlines[id] = outline
        }
        if areOwnersOld || adapters.indices.contains(where: { owners[$0].slots != slotsForOwn(on: $0, at: now) }) {
            owners = adapters.indices.map { newSlotOwners(on: $0, at: now) }
        }
        for id in devices.indices where areAllTouched || devices[id].isTouched {
            // Which devices are held depends on the slots of all, and so changes without touching a device: no wait may.
            let around = surroundings(of: id, through: outlines[id].adapter, isHeld: false, at: now)
            outlines[id].wait = devices[id].nextWait(in: around)
        }
    }

    private func newOutline(of id: DeviceIndex) -> Outline {
        Outline(
            adapter: newAdapterIndex(of: id),
            worth: devices[id].plan.mode == .passive || devices[id].hasLeft ? nil : devices[id].linkWorth)
    }

    /// Returns a device's outline; a new one if the step touched the device.
    func outline(of id: DeviceIndex) -> Outline {
        areAllTouched || devices[id].isTouched ? newOutline(of: id) : outlines[id]
    }

    /// Whether the surroundings of all devices may have changed.
    private var areAllTouched: Bool { touched.devices || isMachineTouched }

    /// Returns the devices with a dedicated slot of an adapter.
    func slotOwners(on index: Int, at now: Uptime) -> SlotOwners {
        let areAllTouched = areAllTouched
        let areNew =
            owners.indices.contains(index) && owners[index].slots == slotsForOwn(on: index, at: now)
            && devices.indices.allSatisfy {
                !areAllTouched && !devices[$0].isTouched || newOutline(of: $0).ranks(as: outlines[$0])
            }
        return areNew ? owners[index].owners : newSlotOwners(on: index, at: now).owners
    }

    private func slotsForOwn(on index: Int, at now: Uptime) -> Int {
        adapters[index].slots.limit(at: now) - adapters[index].facts.externalLinks
    }

    private func newSlotOwners(on index: Int, at now: Uptime) -> (slots: Int, owners: SlotOwners) {
        let slots = slotsForOwn(on: index, at: now)
        if devices.indices.count(where: { !devices[$0].hasLeft }) <= slots { return (slots, .all) }
        let worths = devices.indices.compactMap { id in
            let outline = outline(of: id)
            return outline.adapter == index ? outline.worth : nil
        }
        return (slots, SlotOwners(of: worths, slots: slots))
    }

    /// Returns when the first wait is over. Before a sleep and at the end, nothing that waits is done.
    private func nextWake(after now: Uptime) -> Uptime {
        if run.isSleeping || run.isStopping { return .never }
        var next = outlines.reduce(.never) { min($0, $1.wait) }
        next = min(next, bluez.nextWait(in: recovery.allowed), nextRecovery(after: now))
        for index in adapters.indices { next = min(next, adapters[index].nextWait(in: (now, maxSearch))) }
        // What is due and was left undone is tried again soon, but doesn't keep the machine busy.
        assert(next > now, "a wait that is over was left")
        return next > now ? next : now + .seconds(1)
    }

    // MARK: Devices

    /// Returns what a device must know of its surroundings.
    ///
    /// - Parameter judgesAir: whether a tick of the device may end without a turn.
    func surroundings(
        of id: DeviceIndex, judgesAir: Bool = false, areTicksDue: Bool = false, at now: Uptime
    ) -> Surroundings {
        surroundings(of: id, through: adapterIndex(of: id), judgesAir: judgesAir, areTicksDue: areTicksDue, at: now)
    }

    /// - Parameter index: of the device's adapter.
    func surroundings(
        of id: DeviceIndex, through index: Int?, judgesAir: Bool = false, areTicksDue: Bool = false,
        isHeld: Bool? = nil, at now: Uptime
    ) -> Surroundings {
        let adapter = index.map { index in
            let shortage = judgesAir ? shortage(on: index, at: now) : nil
            return Surroundings.Adapter(
                path: adapters[index].facts.path, isPowered: adapters[index].facts.isPowered,
                isSearching: adapters[index].discovery != .off,
                discoveryFailure: adapters[index].refusal.failure, airShortage: shortage,
                lacksAirTime: shortage != nil || adapters[index].shortage != nil)
        }
        return Surroundings(
            now: now, power: power, outage: outage, adapter: adapter,
            isHeld: isHeld ?? self.isHeld(id, on: index, at: now), listensOpenly: listensOpenly(on: index),
            areTicksDue: areTicksDue, maxSearch: maxSearch, allowed: recovery.allowed)
    }

    /// Whether an adapter listens without a pause: a user watches or wants it, or windows heard less.
    ///
    /// - Parameter index: of the adapter.
    func listensOpenly(on index: Int?) -> Bool {
        guard settings.scan == .auto else { return settings.scan == .active }
        guard let index else { return run.isWatched }
        return adapters[index].windows.isOpen || run.isWatched && !adapters[index].isMonitoring
    }

    /// Lets something happen to a device, and carries out what the device then asks for.
    mutating func update(_ id: DeviceIndex, at now: Uptime, happening: (inout DeviceMachine) -> Void) {
        happening(&devices[id])
        for action in devices[id].collectActions() { perform(action, of: id, at: now) }
    }

    /// Lets something happen to a device in its surroundings.
    mutating func update(_ id: DeviceIndex, at now: Uptime, happening: (inout DeviceMachine, Surroundings) -> Void) {
        let around = surroundings(of: id, at: now)
        update(id, at: now) { happening(&$0, around) }
    }

    private mutating func perform(_ action: DeviceAction, of id: DeviceIndex, at now: Uptime) {
        switch action {
        case .effect(let effect): effects.append(effect)
        case .tickBegan: run.isSettled = false
        case .tickDone:
            if !isHeld(id, at: now) { update(id, at: now) { $0.endConnection(at: now) } }
        case .turnMissed(let shortage):
            if let index = adapterIndex(of: id) { effects += adapters[index].turnMissed(shortage) }
        case .adapterFailed:
            devices[id].ranking.failed()
            adapterFailed(id, at: now)
        case .silent: deviceSilent(id)
        case .listened(let heard): listened(id, heard: heard, at: now)
        case .adapterWorks:
            devices[id].ranking.worked()
            adapterWorks(id)
        case .notConnected(let remedy): connectionFailed(id, after: remedy, at: now)
        case .slotDoubted(let remedy): slotDoubted(id, after: remedy, at: now)
        case .connected: connectionMade(on: devices[id].facts?.adapter, at: now)
        case .resolved:
            if let index = adapterIndex(of: id) { adapters[index].linkMade(slots(on: index, at: now).links, at: now) }
        case .dropped: crowdedOut(id, at: now)
        case .listensAnew:
            for path in adapters.paths {
                endDiscovery(path)
                adapters[path]?.monitorsEnded()
            }
        case .found: if let index = adapterIndex(of: id) { adapters[index].found(at: now) }
        case .recheckSoon: bluez.recheck.hurry(at: now)
        case .reported(let isHeldUp):
            let doubt = Recheck.Doubt.device(devices[id].number)
            if isHeldUp { bluez.recheck.doubt(doubt, at: now) } else { bluez.recheck.end(doubt) }
        }
    }

    // MARK: Adapters

    /// Returns a device's adapter: the one that knows it, the configured one, or the first that is on.
    func adapter(of id: DeviceIndex) -> ObjectPath? {
        devices[id].facts?.adapter ?? adapterIndex(of: id).map { adapters[$0].facts.path }
    }

    /// Returns the index of a device's adapter; `nil` when the machine doesn't have it.
    func adapterIndex(of id: DeviceIndex) -> Int? {
        areAllTouched || devices[id].isTouched ? newAdapterIndex(of: id) : outlines[id].adapter
    }

    private func newAdapterIndex(of id: DeviceIndex) -> Int? {
        if let path = devices[id].facts?.adapter { return adapters.index(for: path) }
        return chosenAdapter(for: id)
    }

    /// Returns the index of the adapter that a device is searched with: the configured one, the best, or the first that is
    /// on.
    func chosenAdapter(for id: DeviceIndex) -> Int? {
        if let path = devices[id].ranking.chosen, let index = adapters.index(for: path), mayUse(index, for: id) {
            return index
        }
        return adapters.indices.first { mayUse($0, for: id) && adapters[$0].facts.isPowered }
            ?? adapters.indices.first { mayUse($0, for: id) }
    }

    /// Whether the user lets the adapter read the device.
    func mayUse(_ index: Int, for id: DeviceIndex) -> Bool {
        let choice = devices[id].plan.adapter ?? settings.adapter
        return choice.matches(adapters[index].facts.path.name, address: adapters[index].facts.address)
    }

    /// Lets each device that may move have the best adapter.
    private mutating func chooseAdapters(at now: Uptime) {
        let areFull = adapters.indices.map { slots(on: $0, at: now).areFull }
        for id in devices.indices where devices[id].isTouched && devices[id].mayMove && !devices[id].hasLeft {
            let candidates = candidates(for: id, areFull: areFull)
            guard !candidates.isEmpty else { continue }
            let current = adapterIndex(of: id).map { adapters[$0].facts.path }
            update(id, at: now) { $0.chooseAdapter(among: candidates, current: current, at: now) }
            if let current, current != devices[id].ranking.chosen { adapterLeft(current) }
            let facts = devices[id].factsThatCount
            if facts != devices[id].facts { reported(facts, of: id, at: now) }
        }
    }

    /// Returns the adapters that may read a device: of those that the user lets do so and that are on, the ones that work, are
    /// left alone by other programs unless the user names them, and have a slot. What none of them meets counts for nothing.
    private func candidates(for id: DeviceIndex, areFull: [Bool]) -> [ObjectPath] {
        let isNamed = (devices[id].plan.adapter ?? settings.adapter) != nil
        let wishes: [(Int) -> Bool] = [
            { !isActing($0) },
            { isNamed || adapters[$0].facts.externalLinks == 0 },
            { devices[id].plan.mode == .passive || !areFull[$0] },
        ]
        var left = adapters.indices.filter { mayUse($0, for: id) && adapters[$0].facts.isPowered }
        for wish in wishes where left.contains(where: wish) { left = left.filter(wish) }
        return left.map { adapters[$0].facts.path }
    }

    // MARK: Events

    mutating func absorb(_ event: Event, at now: Uptime) {
        switch event {
        case .time: break
        case .stop:
            if !run.isStopping { switchOnAll() }
            run.isStopping = true
        // What is late for a device that has left reaches nobody.
        case .device(let number, let event):
            if let id = devices.index(of: number) { absorb(event, of: id, at: now) }
        case .power(let status): powerChanged(status, at: now)
        case .configured(let new): reconfigure(new, at: now)
        case .watched(let isWatched): setWatched(isWatched, at: now)
        case .sleep(let cause): fallAsleep(cause)
        case .awake(let how): wakeUp(how, at: now)
        case .lost(let outage): lose(outage, at: now)
        case .bluez(let adapters, let found): snapshot(adapters, found: found, at: now)
        case .discovering(let path, let error, let refused):
            search(on: path, at: now) { $0.discoveryAnswered(error, refused: refused, at: now) }
        case .searches(let path, let isDiscovering, let isAsked):
            search(on: path, at: now) { $0.discoveryReported(isDiscovering, isAsked: isAsked, at: now) }
        case .monitors(let path, let error):
            if let index = adapters.index(for: path) { effects += adapters[index].monitorsAnswered(error) }
        case .discoveryEnded(let path): if let index = adapters.index(for: path) { adapters[index].discoveryEnded() }
        case .answered(let isAnswered): effects += bluez.answered(isAnswered)
        case .alive(let isAlive):
            if bluez.pinged(isAlive, at: now) { lose(.hung, at: now) }
            if isAlive, outage == .hung { effects.append(.refresh) }
        case .recovered(let answer): recovered(answer, at: now)
        case .pressure(let pressure): bluez.pressed(pressure)
        case .recalled(let inheritance): recall(inheritance, at: now)
        }
    }

    private mutating func absorb(_ event: DeviceEvent, of id: DeviceIndex, at now: Uptime) {
        switch event {
        case .reported(let known): reported(known, of: id, at: now)
        case .heard(let adapter, let rssi):
            adapterHears(id, with: adapter)
            if let adapter { devices[id].ranking.heard(rssi, with: adapter, at: now) }
            update(id, at: now) { $0.found(in: $1) }
        case .ended(let end): devices[id].willEnd(end)
        case .broadcast(let hearing, let adapter):
            if let adapter { devices[id].ranking.heard(nil, with: adapter, at: now) }
            update(id, at: now) { $0.heard(hearing, in: $1) }
        case .habit(let isTriggered): devices[id].listening?.isTriggered = isTriggered
        case .remark(let remark):
            note(remark.code == .known(.newCounter) ? .notice : .warning, devices[id].number, remark.message)
            let sentence = "\(devices[id].plan.name): \(remark.message)"
            effects.append(
                .commonAttempt(Attempt(phase: .recovery, failure: ReadingFailure(code: remark.code, message: sentence)))
            )
        case .connected(let link, let error): connectAnswered(id, link: link, error: error, at: now)
        case .polled(let link, let result):
            effects += bluez.polled(result)
            update(id, at: now) { $0.polled(result, on: link, in: $1) }
        case .notified(let time): notified(id, at: time)
        case .command(let action): obey(action, on: id, at: now)
        }
    }

    /// Takes BlueZ's report of a device.
    mutating func reported(_ known: [DeviceFacts], of id: DeviceIndex, at now: Uptime) {
        devices[id].known = known
        reported(devices[id].factsThatCount, of: id, at: now)
    }

    private mutating func reported(_ facts: DeviceFacts?, of id: DeviceIndex, at now: Uptime) {
        // With the new facts, because the adapter is among them.
        let index = facts.map { adapters.index(for: $0.adapter) } ?? chosenAdapter(for: id)
        let around = surroundings(of: id, through: index, at: now)
        update(id, at: now) { $0.reported(facts, in: around) }
    }

    private mutating func connectAnswered(_ id: DeviceIndex, link: Int, error: BusError?, at now: Uptime) {
        // The connection to the bus ended without the reply. BlueZ goes on with the attempt.
        if error == .disconnected { return }
        // An attempt that blekeep gave up, and that therefore `vanished`, says nothing of bluetoothd.
        if error != .timedOut, error != .vanished { effects += bluez.answered(true) }
        guard devices[id].link.isConnecting(in: link) else { return }
        if let error, devices[id].mayLackSlot(error) { slotDoubted(id, after: Remedy(error), at: now) }
        let slots = error == nil ? nil : adapterIndex(of: id).map { self.slots(on: $0, at: now) }
        update(id, at: now) { $0.connectAnswered(error, slots: slots, in: $1) }
    }

    mutating func obey(_ action: DeviceCommand.Action, on id: DeviceIndex, at now: Uptime) {
        if !run.isStopping { update(id, at: now) { $0.commanded(action, at: now) } }
    }

    // MARK: Time

    mutating func decide(at now: Uptime) {
        // By index where each step looks at all devices, because an element of the array would be copied.
        let areAllTouched = areAllTouched
        for id in devices.indices where areAllTouched || outlines[id].wait <= now { devices[id].isTouched = true }
        let areTicksDue = devices.indices.contains { devices[$0].isTouched && devices[$0].isDue(at: now) }
        if areTicksDue {
            for id in devices.indices where devices[id].mayCoalesce(at: now) { devices[id].isTouched = true }
        }
        for id in devices.indices {
            // No wait: the end of a claim only forgets it, which matters when something else happens.
            if devices[id].claim != nil { devices[id].expireClaim(at: now) }
        }
        // All else is decided of the touched devices alone: nothing that concerns another one has changed.
        for id in devices.indices where devices[id].isTouched {
            // Whether its tick may end without a turn.
            let isLate =
                areTicksDue && (devices[id].hasTick || devices[id].retry.notBefore > now)
                || devices[id].plan.isOneOff && devices[id].hasTick
            let around = surroundings(of: id, judgesAir: isLate, areTicksDue: areTicksDue, at: now)
            update(id, at: now) { $0.timePassed(in: around) }
        }
        for wait in BluezMachine.Wait.allCases where now >= bluez.end(of: wait, in: recovery.allowed) {
            if wait == .reports { reportFirst(at: now) }
            effects += bluez.pass(wait, at: now)
        }
        // After what is over, such as an attempt, and before the next one.
        if adapters.count > 1 { chooseAdapters(at: now) }
        if outage == nil, !bluez.isBlind {
            recover(at: now)
            for id in devices.indices where devices[id].isTouched && devices[id].mayUseConnection {
                update(id, at: now) { $0.useConnection(in: $1) }
            }
            for index in adapters.indices { useAdapter(index, at: now) }
        }
        if !run.isSettled, !isWorking(at: now) {
            run.isSettled = true
            effects.append(.settle)
        }
        if bluez.isRenewalDue(isIdle: isIdle(at: now), at: now) { renew(at: now) }
    }

    /// Replaces the connection to the bus.
    private mutating func renew(at now: Uptime) {
        for id in devices.indices { update(id, at: now) { $0.busWillBeRenewed() } }
        for path in adapters.paths {
            adapters[path]?.discoveryEnded()
            adapters[path]?.monitorsEnded()
        }
        bluez.renews(at: now)
        effects.append(.renew)
    }

    /// Whether no work is in progress, and no tick begins soon.
    private func isIdle(at now: Uptime) -> Bool {
        run.isSettled
            && devices.indices.allSatisfy {
                devices[$0].link.phase.isIdle && devices[$0].nextTick - now >= RenewalState.length
            }
            && adapters.allSatisfy(\.mayDecide)
    }

    /// Whether work for a tick is in progress.
    private func isWorking(at now: Uptime) -> Bool {
        outage == nil
            && devices.indices.contains {
                devices[$0].hasTick && now >= devices[$0].retry.notBefore
                    && !(devices[$0].plan.mode.listens && devices[$0].link.phase.isIdle)
            }
    }

    // MARK: Ends

    mutating func endDiscovery(_ path: ObjectPath) {
        if let index = adapters.index(for: path), adapters[index].endDiscovery() {
            effects.append(.stopDiscovery(path))
        }
    }

    mutating func releaseAll(at now: Uptime) {
        for id in devices.indices {
            let staysUp = !run.isSleeping && settings.keepsLinks && devices[id].isConnected && isHeld(id, at: now)
            if !staysUp || devices[id].link.phase.isConnecting { update(id, at: now) { $0.letGo(at: now) } }
        }
        for path in adapters.paths { endDiscovery(path) }
        if !run.isSettled {
            run.isSettled = true
            effects.append(.settle)
            if run.isSleeping { effects.append(.flushed) }
        }
    }

    mutating func note(_ level: Notice.Level, _ device: DeviceNumber?, _ text: String) {
        effects.append(.notice(Notice(level: level, device: device, text: text)))
    }

    /// Logs what happened to devices at once: a line for each of a few, or one with their number.
    mutating func note(_ level: Notice.Level, _ devices: [DeviceNumber], _ text: String) {
        guard devices.count > Notice.maxDevices else { return devices.forEach { note(level, $0, text) } }
        note(level, nil, "\(devices.count) devices: \(text)")
    }

    // MARK: Snapshots

    /// Puts snapshots of all changes before the step's other effects, so that the store holds them first.
    mutating func addSnapshots() {
        var snapshots: [Effect] = []
        if isMachineTouched {
            touched.machine = false
            for index in adapters.indices { adapters[index].isTouched = false }
            let machine = machineSnapshot
            if machine != shown { snapshots.append(.machine(machine)) }
            shown = machine
        }
        for id in devices.indices where devices[id].isTouched || touched.devices {
            if let violation = devices[id].collectViolation() { effects.append(violation) }
            devices[id].isTouched = false
            if let new = devices[id].newSnapshot(in: power.mode) { snapshots.append(.device(devices[id].number, new)) }
        }
        touched.devices = false
        if !snapshots.isEmpty { effects.insert(contentsOf: snapshots, at: 0) }
    }

    /// Whether the outage, an adapter, the power or recovery may have changed.
    private var isMachineTouched: Bool {
        touched.machine || adapters.indices.contains { adapters[$0].isTouched }
    }

    private func trouble(of path: ObjectPath) -> GatewayStatus.Adapter.Trouble? {
        if recovery.switchedOff.contains(path) { return .cycling }
        if escalation(path)?.step == .replug { return .stuck }
        guard let adapter = adapters[path] else { return nil }
        if adapter.refusal.failure != nil { return .noDiscovery }
        if let shortage = adapter.shortage { return .tooManyDevices(shortage) }
        return adapter.refusal.filter == nil ? nil : .noFilter
    }

    private func listening(on index: Int) -> GatewayStatus.Adapter.Listening? {
        guard adapters[index].isHearing, adapters[index].facts.isPowered else { return nil }
        if adapters[index].isMonitoring { return .passive }
        return settings.scan == .passive ? .deaf : listensOpenly(on: index) ? .open : .windows
    }

    /// Also of `PollerStatus`.
    var machineSnapshot: MachineSnapshot {
        var machine = MachineSnapshot(
            outage: outage?.failure, power: GatewayStatus.Power(mode: power.mode, reason: power.reason))
        machine.adapters = Set(adapters.paths).union(recovery.switchedOff).sorted().map { path in
            GatewayStatus.Adapter(
                name: String(path.name), isOn: adapters[path]?.facts.isPowered ?? false,
                trouble: trouble(of: path), listening: adapters.index(for: path).flatMap(listening))
        }
        for path in adapters.paths { machine.stalls[String(path.name)] = stall(of: path) }
        return machine
    }
}

/// How long adapters have scanned actively. A restart of bluetoothd forgets adapters, but not this.
struct ScanTime: Sendable, Hashable {
    private var ended: Duration = .zero
    private var open: [Scan] = []

    private struct Scan: Hashable {
        let adapter: ObjectPath
        let since: Uptime
    }

    /// Takes the adapters that scan now.
    mutating func note(_ adapters: [ObjectPath], at now: Uptime) {
        guard open.map(\.adapter) != adapters else { return }
        for scan in open where !adapters.contains(scan.adapter) { ended += now - scan.since }
        open = adapters.map { path in
            open.first { $0.adapter == path } ?? Scan(adapter: path, since: now)
        }
    }

    func length(until now: Uptime) -> Duration { open.reduce(ended) { $0 + (now - $1.since) } }
}
