import DBus
import RunLoop

/// Recovery of adapters that reach no device, and of a bluetoothd that hangs.
extension PollerState {
    /// Takes due steps. Call it while bluetoothd replies.
    mutating func recover(at now: Uptime) {
        if !recovery.isCalm { for path in adapters.paths { escalate(path, at: now) } }
        guard now >= switchOnTime else { return }
        recovery.nextSwitchOn = now + RecoveryMemory.switchOnPause
        for path in recovery.switchedOff.sorted() where isLeftOff(path) { effects.append(.recover(.switchOn(path))) }
    }

    /// When to turn on again the adapters that blekeep left off.
    private var switchOnTime: Uptime {
        recovery.switchedOff.contains(where: isLeftOff) ? recovery.nextSwitchOn : .never
    }

    /// When `recover` has something to do without an event. It waits for bluetoothd and for the adapter: what is over
    /// without them is done when they are back.
    func nextRecovery(after now: Uptime) -> Uptime {
        let canAct = outage == nil && !bluez.isBlind
        let around = (now, bluez.noRestartBefore)
        var next = recovery.switchedOff.isEmpty ? .never : recovery.nextSwitchOn.whileAhead(of: now)
        if canAct { next = min(next, switchOnTime) }
        for (key, escalation) in recovery.escalations where escalation.isEscalating {
            let wait = escalation.nextWait(in: around)
            let isThere = canAct && adapters.contains { $0.facts.escalationKey == key }
            next = min(next, isThere ? wait : wait.whileAhead(of: now))
        }
        return next
    }

    private mutating func escalate(_ path: ObjectPath, at now: Uptime) {
        guard let key = escalationKey(path), let escalation = recovery.escalations[key] else { return }
        let isDue = now >= escalation.end(of: .phase, in: (now, bluez.noRestartBefore))
        switch escalation.phase {
        case .acting(let step, _) where isDue:
            finish(step, of: path, error: step == .rest ? nil : .timedOut, at: now)
        case .querying(let step, _) where isDue: linksCounted(nil, step: step, path: path, at: now)
        case .watching where adapters[path]?.facts.isPowered == true:
            guard let index = adapters.index(for: path) else { return }
            let devices = (connectable(on: index), listened(on: index))
            if let step = escalation.next(of: devices.0, listened: devices.1, at: now, earliest: { earliest($0) }) {
                begin(step, of: path, at: now)
            }
        default: break
        }
    }

    /// Returns when a step is allowed; `nil` for never.
    private func earliest(_ step: AdapterEscalation.Step) -> Uptime? {
        switch step {
        case .rest, .replug: .start
        case .powerCycle: recovery.allowed.contains(.powerCycle) ? .start : nil
        case .restart: recovery.allowed.contains(.restartBluetooth) ? bluez.noRestartBefore : nil
        }
    }

    /// Whether blekeep left the adapter off.
    private func isLeftOff(_ path: ObjectPath) -> Bool {
        adapters[path]?.facts.isPowered == false && escalation(path)?.isActing != true
    }

    /// Turns on the adapters that blekeep turned off, before a sleep or the end.
    mutating func switchOnAll() {
        for path in recovery.switchedOff.sorted() where adapters[path] != nil {
            effects.append(.recover(.switchOn(path)))
        }
    }

    // MARK: Steps

    private mutating func begin(_ step: AdapterEscalation.Step, of path: ObjectPath, at now: Uptime) {
        guard let key = escalationKey(path) else { return }
        switch step {
        case .rest:
            endDiscovery(path)
            recovery.escalations[key]?.act(step, until: now + AdapterEscalation.rest, at: now)
        case .powerCycle, .restart, .replug:
            recovery.escalations[key]?.query(for: step, until: now + Timing.linkCount)
            effects.append(.recover(.countLinks))
        }
    }

    private mutating func linksCounted(
        _ links: [ObjectPath: Int]?, step: AdapterEscalation.Step, path: ObjectPath, at now: Uptime
    ) {
        guard let key = escalationKey(path) else { return }
        if step == .replug { return finish(step, of: path, error: nil, at: now) }
        let count = links.map { step == .restart ? externalLinks(nil, counted: $0) : externalLinks(path, counted: $0) }
        guard count == 0 else {
            let message = RecoveryMessages.refused(step, path: path, links: count)
            if recovery.escalations[key]?.refuse(step, at: now) == true {
                logRecovery(.warning, code: .refused, message: message)
            }
            return
        }
        // Another adapter's escalation may have been quicker.
        guard let time = earliest(step), now >= time else {
            _ = recovery.escalations[key]?.refuse(step, at: now)
            return
        }
        recovery.escalations[key]?.act(step, until: now + Timing.recovering, at: now)
        for id in devices.indices where step == .restart || adapter(of: id) == path {
            update(id, at: now) { $0.giveUpAttempt(at: now) }
        }
        if step == .powerCycle {
            endDiscovery(path)
            recovery.switchedOff.insert(path)
            effects.append(.recover(.cycle(path)))
        } else {
            bluez.restarts(at: now)
            effects.append(.recover(.restartBluez))
        }
    }

    /// Returns the number of other programs' connections on an adapter, or on all, with those to configured devices.
    private func externalLinks(_ path: ObjectPath?, counted: [ObjectPath: Int]) -> Int {
        let own = devices.count { $0.isConnected && !$0.link.phase.isOwn && (path == nil || $0.facts?.adapter == path) }
        return own + (path.map { counted[$0] ?? 0 } ?? counted.values.reduce(0, +))
    }

    /// The number of other programs' connections when bluetoothd last replied.
    var knownExternalLinks: Int {
        externalLinks(nil, counted: adapters.reduce(into: [:]) { $0[$1.facts.path] = $1.facts.externalLinks })
    }

    mutating func recovered(_ answer: RecoveryAnswer, at now: Uptime) {
        switch answer {
        case .linksCounted(let links):
            guard outage == nil, !bluez.isBlind else { return }
            for path in adapters.paths {
                if case .querying(let step, _)? = escalation(path)?.phase {
                    linksCounted(links, step: step, path: path, at: now)
                }
            }
        case .cycled(let path, let error):
            if escalation(path)?.isCycling == true { finish(.powerCycle, of: path, error: error, at: now) }
        case .restarted(let error): restarted(error, at: now)
        case .forgotten(let number, let error):
            guard let id = devices.index(of: number) else { return }
            logRecovery(
                .notice, code: .forget, message: RecoveryMessages.forgotten(devices[id].plan.name, error: error))
        case .preferred(let number, let error):
            guard let id = devices.index(of: number) else { return }
            logRecovery(
                .notice, code: .preferLowEnergy,
                message: RecoveryMessages.preferred(devices[id].plan.name, error: error))
        }
    }

    private mutating func restarted(_ error: BusError?, at now: Uptime) {
        let isDenied = error.flatMap { Remedy($0).policy.outage } == .denied
        if isDenied { bluez.restartDenied(at: now) }
        let waiting = recovery.escalations.filter {
            if case .acting(.restart, _) = $0.value.phase { true } else { false }
        }
        for key in waiting.keys { recovery.escalations[key]?.finished(.restart, at: now) }
        hurryDevices(on: nil, at: now)
        logRecovery(
            error == nil ? .notice : .warning, code: .restart,
            message: RecoveryMessages.restarted(error, isDenied: isDenied))
    }

    private mutating func finish(
        _ step: AdapterEscalation.Step, of path: ObjectPath, error: BusError?, at now: Uptime
    ) {
        guard let key = escalationKey(path), let escalation = recovery.escalations[key] else { return }
        let evidence = escalation.evidence(at: now)
        recovery.escalations[key]?.finished(step, at: now)
        let isOn = adapters[path]?.facts.isPowered == true
        if isOn { recovery.switchedOff.remove(path) }
        for id in devices.indices { devices[id].ranking.forgive(path) }
        switch step {
        case .rest:
            logRecovery(
                .debug, code: .rest,
                message: escalation.isOfHearing
                    ? RecoveryMessages.restedDeaf(path) : RecoveryMessages.rested(path, evidence: evidence))
        case .powerCycle:
            logRecovery(
                error == nil ? .notice : .warning, code: .powerCycle,
                message: RecoveryMessages.cycled(path, error: error))
            if !isOn, let facts = adapters[path]?.facts { logPower(of: facts) }
        case .restart:
            logRecovery(.warning, code: .restart, message: RecoveryMessages.restarted(error, isDenied: false))
        case .replug:
            logRecovery(.warning, code: .replug, message: RecoveryMessages.replug(path, allowed: recovery.allowed))
        }
        if step != .replug { hurryDevices(on: path, at: now) }
    }

    /// Ends the pauses of an adapter's devices, because the adapter may work again.
    private mutating func hurryDevices(on path: ObjectPath?, at now: Uptime) {
        for id in devices.indices where path == nil || adapter(of: id) == path { devices[id].adapterRecovered(at: now) }
    }

    mutating func logRecovery(_ level: Notice.Level, code: FailureCode, message: String) {
        effects += .recovery(level, code: code, message: message)
    }
}

/// Evidence for and against an adapter that reaches no device.
extension PollerState {
    /// Takes a failed attempt, unless bluetoothd or the bus caused it.
    mutating func adapterFailed(_ id: DeviceIndex, at now: Uptime) {
        guard let key = adapter(of: id).flatMap({ escalationKey($0) }) else { return }
        recovery.escalations[key, default: AdapterEscalation()].failed(devices[id].number, at: now)
    }

    /// Takes that a device is read with another adapter from now on. One that worked for two devices or more, and whose
    /// devices others read now, all of them, is stuck: one device may have been carried away.
    mutating func adapterLeft(_ path: ObjectPath) {
        guard let key = escalationKey(path) else { return }
        let verdicts = devices.indices.compactMap { devices[$0].ranking.isOutdone(path) }
        if verdicts.count >= 2, !verdicts.contains(false) {
            recovery.escalations[key, default: AdapterEscalation()].outdone()
        }
    }

    /// Takes a tick in which blekeep didn't hear a device that it heard before.
    mutating func deviceSilent(_ id: DeviceIndex) {
        guard let key = adapter(of: id).flatMap({ escalationKey($0) }) else { return }
        recovery.escalations[key, default: AdapterEscalation()].wasSilent(devices[id].number)
    }

    /// Takes an advertisement, as evidence that the adapter hears.
    ///
    /// - Parameter adapter: `nil` for the device's own.
    mutating func adapterHears(_ id: DeviceIndex, with adapter: ObjectPath?) {
        guard !recovery.escalations.isEmpty, let path = adapter ?? self.adapter(of: id), let key = escalationKey(path),
            recovery.escalations[key]?.isDeaf == true
        else { return }
        if let step = recovery.escalations[key]?.heard(), step > .rest {
            logRecovery(.notice, code: .recovered, message: RecoveryMessages.helped(step, path: path))
        }
    }

    /// Takes what BlueZ says of an adapter's search. One that BlueZ accepted and didn't do is evidence against the adapter.
    mutating func search(on path: ObjectPath, at now: Uptime, _ take: (inout AdapterMachine) -> [Effect]) {
        guard let index = adapters.index(for: path) else { return }
        let before = adapters[index].watch.deafSearches
        effects += take(&adapters[index])
        let (after, key) = (adapters[index].watch.deafSearches, adapters[index].facts.escalationKey)
        if after > before { recovery.escalations[key, default: AdapterEscalation()].searchFailed(at: now) }
        if after == 0, before > 0 { recovery.escalations[key]?.searched() }
    }

    /// The number of an adapter's devices that blekeep only listens to, and has heard.
    private func listened(on index: Int) -> Int {
        devices.indices.count { devices[$0].isExpectedToBeHeard && adapterIndex(of: $0) == index }
    }

    /// Takes a value, as evidence that the adapter works.
    mutating func adapterWorks(_ id: DeviceIndex) {
        guard !recovery.escalations.isEmpty, let path = adapter(of: id), let key = escalationKey(path),
            let step = recovery.escalations[key]?.succeeded(), step > .rest
        else { return }
        logRecovery(.notice, code: .recovered, message: RecoveryMessages.helped(step, path: path))
    }

    /// Takes a notification. If it came after the last step, the adapter works.
    mutating func notified(_ id: DeviceIndex, at time: Uptime) {
        guard let path = adapter(of: id), let escalation = escalation(path), time > escalation.stepEnd else { return }
        adapterWorks(id)
    }

    /// Forgets the failures so far, because bluetoothd or the bus caused them.
    mutating func resetAdapterEvidence() {
        for key in recovery.escalations.keys { recovery.escalations[key]?.resetEvidence() }
        resetStallEvidence()
    }

    /// Resets recovery for an adapter that the user replugged, but not when bluetoothd stopped, which also removes its
    /// adapters.
    mutating func adaptersChanged(from known: [AdapterMachine], to facts: [AdapterFacts]) {
        guard !recovery.escalations.isEmpty else { return }
        for state in known where !facts.contains(where: { $0.path == state.facts.path }) {
            recovery.pulledOut.insert(state.facts.escalationKey)
        }
        for adapter in facts where known[adapter.path] == nil && recovery.pulledOut.remove(adapter.escalationKey) != nil
        {
            _ = recovery.escalations[adapter.escalationKey]?.succeeded()
        }
    }

    /// Ends all steps, because bluetoothd stopped or hangs.
    mutating func adaptersLost(at now: Uptime) {
        resetAdapterEvidence()
        recovery.pulledOut = []
        for (key, escalation) in recovery.escalations where escalation.isCycling {
            recovery.escalations[key]?.finished(.powerCycle, at: now)
        }
    }

    func escalationKey(_ path: ObjectPath) -> RecoveryMemory.Identity? { adapters[path]?.facts.escalationKey }

    func escalation(_ path: ObjectPath) -> AdapterEscalation? {
        recovery.escalations.isEmpty ? nil : escalationKey(path).flatMap { recovery.escalations[$0] }
    }

    /// Whether a step is in progress, so that the adapter isn't used.
    func isActing(_ index: Int) -> Bool { recovery.escalations[adapters[index].facts.escalationKey]?.isActing == true }

    /// Whether blekeep is turning the adapter off and on.
    func isCycling(_ facts: AdapterFacts) -> Bool { recovery.escalations[facts.escalationKey]?.isCycling == true }
}

extension AdapterFacts {
    /// The adapter's address, because it may come back under another number.
    var escalationKey: RecoveryMemory.Identity { address.map { .address($0) } ?? .path(path) }
}

/// Adapters that can't make new connections while open ones go on. blekeep only reports them: a power cycle would end
/// the open connections. Once those are gone, the adapter's escalation begins.
extension PollerState {
    mutating func connectionFailed(_ id: DeviceIndex, after remedy: Remedy, at now: Uptime) {
        guard remedy.policy.mayBlameAdapter else { return }
        // Where no connection is open, the adapter's escalation counts the failures.
        guard devices[id].contact.readAt != nil, devices[id].contact.isNear(at: now), let index = adapterIndex(of: id),
            slots(on: index, at: now).links > 0
        else { return }
        let (key, path) = (adapters[index].facts.escalationKey, adapters[index].facts.path)
        let number = devices[id].number
        guard let stall = recovery.stallDetectors[key, default: ConnectStallDetector()].failed(number, at: now) else {
            return
        }
        logRecovery(.warning, code: .noNewLinks, message: RecoveryMessages.noNewLinks(path, stall: stall, at: now))
    }

    /// A connection was made, by whichever program.
    mutating func connectionMade(on path: ObjectPath?, at now: Uptime) {
        guard !recovery.stallDetectors.isEmpty, let path, let key = adapters[path]?.facts.escalationKey,
            let stall = recovery.stallDetectors[key]?.made()
        else { return }
        logRecovery(.notice, code: .newLinks, message: RecoveryMessages.newLinks(path, stall: stall, at: now))
    }

    /// Forgets the failures through an adapter, or through all (`nil`), because they have another cause.
    mutating func resetStallEvidence(of radio: RecoveryMemory.Identity? = nil) {
        for key in recovery.stallDetectors.keys where radio == nil || key == radio {
            recovery.stallDetectors[key]?.resetEvidence()
        }
    }

    /// The stall of an adapter that was reported and still lasts.
    func stall(of path: ObjectPath) -> ConnectStall? {
        guard !recovery.stallDetectors.isEmpty, let facts = adapters[path]?.facts, facts.isPowered else { return nil }
        return recovery.stallDetectors[facts.escalationKey]?.stall
    }
}

/// The messages about recovery in the log, `blekeep why` and `blekeep status`.
enum RecoveryMessages {
    static func rested(_ path: ObjectPath, evidence: (devices: Int, failures: Int)) -> String {
        let devices = evidence.devices == 1 ? "its device" : "\(evidence.devices) devices"
        return "\(path.name) reached none of \(devices) in \(evidence.failures) attempts; it was paused for "
            + DurationText.text(AdapterEscalation.rest)
    }

    static func restedDeaf(_ path: ObjectPath) -> String {
        "\(path.name) hears no device any more; it was paused for " + DurationText.text(AdapterEscalation.rest)
    }

    static func cycled(_ path: ObjectPath, error: BusError?) -> String {
        guard let error else { return "turned \(path.name) off and on, because it reached no device" }
        return "can't turn \(path.name) off and on (\(error))"
    }

    static func restarted(_ error: BusError?, isDenied: Bool) -> String {
        guard let error else { return "systemd restarts bluetoothd, because blekeep reached no device" }
        guard isDenied else { return "systemd didn't restart bluetoothd (\(error))" }
        return "no permission to restart bluetoothd: allow org.freedesktop.systemd1.manage-units for "
            + "bluetooth.service in a polkit rule, or take restart_bluetooth out of 'recovery:'"
    }

    static func replug(_ path: ObjectPath, allowed: Set<RecoveryStep>) -> String {
        let message =
            "\(path.name) may be stuck, because it reaches no device: make sure that the devices are on and near; if so, "
            + "unplug the adapter and plug it in again"
        let rest = [RecoveryStep.powerCycle, .restartBluetooth].filter { !allowed.contains($0) }
        if rest.isEmpty { return message }
        return message + ", or allow " + rest.map(\.rawValue).joined(separator: " and ") + " under 'recovery:'"
    }

    static func refused(_ step: AdapterEscalation.Step, path: ObjectPath, links: Int?) -> String {
        let what =
            step == .restart ? "not restarting bluetoothd" : "not turning \(path.name) off and on"
        guard let links else { return "\(what), because bluetoothd doesn't report the connections of other programs" }
        return "\(what), because other programs have \(links == 1 ? "a connection" : "\(links) connections")"
    }

    static func noNewLinks(_ path: ObjectPath, stall: ConnectStall, at now: Uptime) -> String {
        "\(path.name) can't make new connections: \(stall.attempts) attempts to \(stall.devices) nearby devices "
            + "failed in \(span(since: stall.since, at: now)); open connections go on"
    }

    static func newLinks(_ path: ObjectPath, stall: ConnectStall, at now: Uptime) -> String {
        "\(path.name) makes new connections again, after \(span(since: stall.since, at: now)) and "
            + "\(stall.attempts) failed attempts"
    }

    private static func span(since: Uptime, at now: Uptime) -> String {
        AttemptMessages.span(from: 0, to: (now - since).wholeMilliseconds)
    }

    static func forgotten(_ name: String, error: BusError?) -> String {
        guard let error else {
            return
                "\(name): removed from BlueZ's cache, because its values no longer match; searching again"
        }
        return "\(name): can't remove it from BlueZ's cache (\(error))"
    }

    static func preferred(_ name: String, error: BusError?) -> String {
        guard let error else { return "\(name): set BlueZ to prefer Low Energy, because it tries classic Bluetooth" }
        return "\(name): can't set BlueZ to prefer Low Energy (\(error))"
    }

    static func helped(_ step: AdapterEscalation.Step, path: ObjectPath) -> String {
        switch step {
        case .rest: "\(path.name) works again, after a pause"
        case .powerCycle: "\(path.name) works again, after it was turned off and on"
        case .restart: "\(path.name) works again, after bluetoothd was restarted"
        case .replug: "\(path.name) works again"
        }
    }
}

/// A recovery action on BlueZ or an adapter.
enum Recovery: Sendable, Hashable {
    /// Count the connections of other programs on each adapter.
    case countLinks
    /// Turn the adapter off, and on again after 2 s.
    case cycle(ObjectPath)
    /// Turn the adapter on at once, because blekeep turned it off.
    case switchOn(ObjectPath)
    /// Ask systemd to restart bluetoothd.
    case restartBluez
    /// Remove an unpaired device from BlueZ's cache.
    case forget(DeviceNumber, ObjectPath)
    /// Set BlueZ's preference for Low Energy for a device.
    case preferLowEnergy(DeviceNumber, ObjectPath)
}

/// The result of a recovery action.
enum RecoveryAnswer: Sendable {
    /// The number of other programs' connections on each adapter; `nil` when the query failed.
    case linksCounted([ObjectPath: Int]?)
    case cycled(ObjectPath, BusError?)
    case restarted(BusError?)
    case forgotten(DeviceNumber, BusError?)
    case preferred(DeviceNumber, BusError?)
}

/// The state of recovery across all adapters.
struct RecoveryMemory: Sendable {
    var allowed: Set<RecoveryStep> = []
    /// The escalations of adapters with failures.
    var escalations: [Identity: AdapterEscalation] = [:] {
        didSet { isCalm = !escalations.values.contains { $0.isEscalating || $0.mayBegin } }
    }
    /// Whether no step is in progress or may be due. Kept, because each step of the poller reads it.
    private(set) var isCalm = true
    /// The detectors of adapters with failed attempts.
    var stallDetectors: [Identity: ConnectStallDetector] = [:]
    /// The adapters that the user unplugged: they disappeared while bluetoothd ran.
    var pulledOut: Set<Identity> = []
    /// The adapters that blekeep turned off, and that haven't been on since.
    var switchedOff: Set<ObjectPath> = []
    /// When to turn them on again, if the last attempt failed.
    var nextSwitchOn = Uptime.start

    /// The identity of an adapter: its address, because it may come back under another number, or else its path.
    enum Identity: Sendable, Hashable {
        case address(BluetoothAddress)
        case path(ObjectPath)
    }

    static let switchOnPause: Duration = .seconds(60)
}
