import DBus
import RunLoop

/// All that the keeper knows and intends: events in, effects out. No await, no clock, no I/O.
struct KeeperState: Sendable {
    private(set) var devices: [DeviceState]
    private(set) var adapters: [ObjectPath: AdapterState] = [:]
    private(set) var outage: Outage? = .bus("there is no connection to the message bus")
    private var activation = Uptime.never
    private var activationPause = Timing.firstActivationPause
    private let preferred: AdapterChoice?
    private let maxLinks: Int
    private var isStopping = false
    private var isSettled = true
    private var effects: [Effect] = []

    init(plans: [DevicePlan], adapter: AdapterChoice?, maxLinks: Int, at start: Uptime) {
        devices = plans.enumerated().map { DeviceState(id: $0.offset, plan: $0.element, at: start) }
        preferred = adapter
        self.maxLinks = max(1, maxLinks)
    }

    /// Takes in what happened at `now` and says what is to be done.
    mutating func step(_ event: Event, at now: Uptime) -> [Effect] {
        effects = []
        absorb(event, now)
        if isStopping { releaseAll(now) } else { decide(now) }
        return effects
    }

    /// Whether everything that was asked for is done.
    var isFinished: Bool { isStopping || devices.allSatisfy(\.isFinished) }

    /// Whether nothing of ours is on the air any more.
    var isQuiet: Bool { devices.allSatisfy { $0.activity != .polling } }

    /// When to step again if nothing happens before.
    func nextWake(after now: Uptime) -> Uptime {
        var earliest = Uptime.never
        func consider(_ moment: Uptime) { if moment > now, moment < earliest { earliest = moment } }
        for device in devices {
            switch device.activity {
            case .polling: continue
            case .connecting(let until), .resolving(let until), .disconnecting(let until): consider(until)
            case .none: consider(device.notBefore)
            }
            consider(device.nextTick)
            consider(giveUp(device))
        }
        consider(activation)
        for adapter in adapters.values {
            adapter.decisions.forEach(consider)
            consider(adapter.noDiscoveryBefore)
        }
        return earliest
    }

    // MARK: What happened

    private mutating func absorb(_ event: Event, _ now: Uptime) {
        switch event {
        case .time: break
        case .stop: isStopping = true
        case .lost(let outage): lose(outage, now)
        case .bluez(let adapters, let found):
            outage = nil
            activation = .never
            adopt(adapters)
            for id in devices.indices { update(id, found[id], now) }
        case .device(let id, let facts): update(id, facts, now)
        case .heard(let id): hear(id, now)
        case .discovering(let path, let error): discoveryAnswered(path, error, now)
        case .discoveryEnded(let path): adapters[path]?.discovery = .off
        case .connected(let id, let link, let error): connectAnswered(id, link, error, now)
        case .polled(let id, let link, let result): polled(id, link, result, now)
        }
    }

    private mutating func lose(_ outage: Outage, _ now: Uptime) {
        if self.outage == nil {
            let what = outage == .bluez ? "bluetoothd went away" : "the message bus was lost"
            note(.warning, nil, "\(what); waiting for it to come back")
        }
        self.outage = outage
        activation = outage == .bluez ? now + Timing.beforeActivation : .never
        activationPause = Timing.firstActivationPause
        adapters = [:]
        for id in devices.indices {
            devices[id].facts = nil
            abandonLink(id)
        }
    }

    /// Whatever was under way on this link is void from now on.
    private mutating func abandonLink(_ id: DeviceID) {
        devices[id].link += 1
        devices[id].activity = .none
        devices[id].owns = false
        freeRadio(of: id)
    }

    private mutating func freeRadio(of id: DeviceID) {
        for path in adapters.keys where adapters[path]?.connecting == id { adapters[path]?.connecting = nil }
    }

    private mutating func adopt(_ facts: [AdapterFacts]) {
        let known = adapters
        adapters = [:]
        for adapter in facts {
            var state = known[adapter.path] ?? AdapterState(facts: adapter)
            if state.facts.isPowered != adapter.isPowered, !adapter.isPowered {
                state.discovery = .off
                note(.warning, nil, "adapter \(adapter.path.name) is off; waiting for it")
            }
            state.facts = adapter
            adapters[adapter.path] = state
        }
    }

    private mutating func update(_ id: DeviceID, _ facts: DeviceFacts?, _ now: Uptime) {
        let before = devices[id].facts
        devices[id].facts = facts
        if before == nil, facts != nil { found(id, now) }
        guard let facts else {
            if before != nil { vanished(id, now) }
            return
        }
        if case .connecting = devices[id].activity, facts.isConnected {
            devices[id].activity = .resolving(until: now + Timing.resolve)
        }
        if case .resolving = devices[id].activity, facts.isConnected, facts.isResolved {
            devices[id].activity = .none
            freeRadio(of: id)
        }
        guard before?.isConnected == true, !facts.isConnected else { return }
        if case .disconnecting = devices[id].activity { abandonLink(id) } else { dropped(id, now) }
    }

    private mutating func found(_ id: DeviceID, _ now: Uptime) {
        devices[id].heardAt = now
        devices[id].searched = .zero
        guard let path = adapter(of: id), case .on(let since, _)? = adapters[path]?.discovery else { return }
        adapters[path]?.discovery = .on(since: since, lastFind: now)
    }

    private mutating func hear(_ id: DeviceID, _ now: Uptime) {
        devices[id].heardAt = now
        // It is back on the air: there is no reason to wait out a long pause.
        if devices[id].notBefore > now + Timing.soonAfterHeard { devices[id].notBefore = now + Timing.soonAfterHeard }
    }

    /// The object went away: after a failed attempt BlueZ removes a device without answering.
    private mutating func vanished(_ id: DeviceID, _ now: Uptime) {
        let activity = devices[id].activity
        abandonLink(id)
        switch activity {
        case .connecting:
            fail(id, ReadingFailure(code: "connect", message: "the connection could not be made"), .rediscover, now)
        case .resolving, .polling:
            fail(id, ReadingFailure(code: "vanished", message: "BlueZ forgot the device"), .rediscover, now)
        case .none, .disconnecting: break
        }
    }

    private mutating func dropped(_ id: DeviceID, _ now: Uptime) {
        let activity = devices[id].activity
        note(.info, id, "link lost")
        // A poll under way ends by itself, and tells then; its link is this one still.
        if activity == .polling { return }
        abandonLink(id)
        if case .resolving = activity {
            fail(id, ReadingFailure(code: "dropped", message: "the link was lost at once"), .retry, now)
        }
    }

    private mutating func discoveryAnswered(_ path: ObjectPath, _ error: BusError?, _ now: Uptime) {
        guard adapters[path] != nil else { return }
        if let error {
            adapters[path]?.discovery = .off
            adapters[path]?.noDiscoveryBefore = now + Timing.afterRefusedDiscovery
            note(.debug, nil, "discovery was refused: \(error)")
        } else {
            adapters[path]?.discovery = .on(since: now, lastFind: now)
        }
    }

    private mutating func connectAnswered(_ id: DeviceID, _ link: Int, _ error: BusError?, _ now: Uptime) {
        guard link == devices[id].link else { return }
        freeRadio(of: id)
        guard case .connecting = devices[id].activity else { return }
        guard let error else {
            // The state is the truth, not the reply: the link has to show within a moment.
            devices[id].activity = .connecting(until: now + Timing.afterConnect)
            return
        }
        let remedy = Remedy(error)
        if remedy == .adopt { return }
        cancel(id, now)
        fail(id, ReadingFailure(connect: error), remedy, now)
    }

    private mutating func polled(_ id: DeviceID, _ link: Int, _ result: PollResult, _ now: Uptime) {
        guard link == devices[id].link, devices[id].activity == .polling else { return }
        devices[id].activity = .none
        if !devices[id].isConnected { abandonLink(id) }
        if result.values > 0 { succeeded(id) }
        if let ending = result.ending, ending == .relink || ending == .rediscover || ending == .wait {
            if devices[id].isConnected { disconnect(id, now) }
            devices[id].relinks += 1
            if result.values == 0, devices[id].relinks <= Timing.relinksPerTick, ending != .wait { return }
        }
        guard devices[id].tick != nil else { return }
        if result.values == 0, let failure = result.failure {
            devices[id].lastFailure = failure
            devices[id].notBefore = now + devices[id].backoff.fail()
            lost(id, failure)
        }
        devices[id].endTick(good: result.values > 0)
        if !isHeld(devices[id]) { disconnect(id, now) }
    }

    private mutating func succeeded(_ id: DeviceID) {
        devices[id].backoff.succeed()
        devices[id].notBefore = .start
        devices[id].lastFailure = nil
        if devices[id].isLost { note(.info, id, "reads again") }
        devices[id].isLost = false
    }

    // MARK: What to do

    private mutating func decide(_ now: Uptime) {
        for id in devices.indices {
            expire(id, now)
            if let due = devices[id].takeDue(at: now) {
                if devices[id].tick != nil { giveUpTick(id, now) }
                devices[id].begin(due)
                isSettled = false
                // A pause that lasts beyond this tick: nothing will come of it.
                if devices[id].notBefore >= devices[id].nextTick { giveUpTick(id, now) }
            }
        }
        if now >= activation {
            effects.append(.activate)
            activation = now + activationPause
            activationPause = min(activationPause * 2, Timing.longestActivationPause)
        }
        if outage == nil {
            for id in devices.indices { useLink(id, now) }
            for path in adapters.keys.sorted() { useRadio(path, now) }
        }
        let isUnderWay = devices.contains { $0.tick != nil && outage == nil && now >= $0.notBefore }
        if !isSettled, !isUnderWay {
            isSettled = true
            effects.append(.settle)
        }
    }

    /// Ends what has taken too long.
    private mutating func expire(_ id: DeviceID, _ now: Uptime) {
        switch devices[id].activity {
        case .connecting(let until) where now >= until:
            cancel(id, now)
            fail(id, ReadingFailure(code: "connect", message: "the connection was not made in time"), .retry, now)
        case .resolving(let until) where now >= until:
            disconnect(id, now)
            fail(id, ReadingFailure(code: "services", message: "the services were not resolved in 30 s"), .retry, now)
        case .disconnecting(let until) where now >= until: abandonLink(id)
        default: break
        }
        if devices[id].tick != nil, devices[id].activity != .polling, now >= giveUp(devices[id]) {
            giveUpTick(id, now)
        }
    }

    /// When a tick that could not be worked on so far is given up; a finite run waits a little for what may come.
    private func giveUp(_ device: DeviceState) -> Uptime {
        guard let tick = device.tick, device.activity != .polling else { return .never }
        guard device.plan.count != nil else { return .never }
        let isHopeless = outage != nil || adapterState(of: device)?.facts.isPowered != true
        return tick.deadline + (isHopeless ? Timing.finiteOutage : max(Timing.finiteTick, device.plan.shortestInterval))
    }

    private mutating func giveUpTick(_ id: DeviceID, _ now: Uptime) {
        guard let tick = devices[id].tick else { return }
        let failure =
            cause(of: id) ?? devices[id].lastFailure
            ?? ReadingFailure(code: "late", message: "its turn did not come in time")
        devices[id].lastFailure = failure
        effects.append(.failed(id, tick: tick.number, failure))
        devices[id].endTick(good: false)
    }

    /// What stands above the device and keeps it from being polled.
    private func cause(of id: DeviceID) -> ReadingFailure? {
        switch outage {
        case .bus(let why): return ReadingFailure(code: "no-bus", message: why)
        case .bluez: return ReadingFailure(code: "no-bluez", message: "bluetoothd is not running")
        case nil: break
        }
        guard let adapter = adapterState(of: devices[id]) else {
            return ReadingFailure(code: "no-adapter", message: "there is no such Bluetooth adapter")
        }
        if adapter.facts.isPowered { return nil }
        return ReadingFailure(
            code: "adapter-off",
            message: "the adapter \(adapter.facts.path.name) is off; turn it on with bluetoothctl power on")
    }

    private mutating func useLink(_ id: DeviceID, _ now: Uptime) {
        let device = devices[id]
        guard device.isIdle, let facts = device.facts, facts.isConnected else { return }
        if !facts.isResolved {
            devices[id].activity = .resolving(until: now + Timing.resolve)
        } else if let tick = device.tick, now >= device.notBefore {
            devices[id].activity = .polling
            effects.append(.poll(id, link: device.link, facts.path, tick))
        }
    }

    private mutating func useRadio(_ path: ObjectPath, _ now: Uptime) {
        guard let adapter = adapters[path], adapter.facts.isPowered else { return }
        let mine = devices.filter { self.adapter(of: $0.id) == path }
        let wanting = mine.filter {
            $0.isIdle && !$0.isConnected && $0.wantsLink(holding: isHeld($0), at: now)
        }
        let missing = wanting.filter { $0.facts == nil }
        let candidates = wanting.filter { $0.facts != nil }
        switch adapter.discovery {
        case .starting, .stopping: return
        case .on:
            guard adapter.hasSearchedEnough(found: !candidates.isEmpty, missing: !missing.isEmpty, at: now)
            else { return }
            stopDiscovery(path, missing, now)
        case .off:
            guard adapter.connecting == nil else { return }
            if connectNext(candidates, among: mine, path, now) { return }
            if candidates.isEmpty, !missing.isEmpty, now >= adapter.noDiscoveryBefore {
                adapters[path]?.discovery = .starting
                effects.append(.startDiscovery(path))
            }
        }
    }

    private mutating func stopDiscovery(_ path: ObjectPath, _ missing: [DeviceState], _ now: Uptime) {
        guard case .on(let since, _)? = adapters[path]?.discovery else { return }
        adapters[path]?.discovery = .stopping
        effects.append(.stopDiscovery(path))
        for device in missing {
            devices[device.id].searched += now - since
            if devices[device.id].searched >= AdapterState.longest {
                devices[device.id].searched = .zero
                fail(device.id, ReadingFailure(code: "not-found", message: "the device was not heard"), .wait, now)
            }
        }
    }

    /// Starts one Connect. Whether the radio is taken.
    private mutating func connectNext(
        _ candidates: [DeviceState], among mine: [DeviceState], _ path: ObjectPath, _ now: Uptime
    ) -> Bool {
        let used = mine.count { $0.isConnected }
        guard used < maxLinks || candidates.isEmpty else { return true }
        // Who fails again and again comes after all others; then those heard of late, then who has waited longest.
        let next = candidates.min { left, right in
            let failures = (left.backoff.failures, right.backoff.failures)
            if failures.0 != failures.1 { return failures.0 < failures.1 }
            let heard = (
                left.wasHeard(within: Timing.recently, of: now), right.wasHeard(within: Timing.recently, of: now)
            )
            if heard.0 != heard.1 { return heard.0 }
            return (left.tick?.deadline ?? .never, left.id) < (right.tick?.deadline ?? .never, right.id)
        }
        guard let next, let facts = next.facts else { return false }
        let heard = next.wasHeard(within: Timing.recently, of: now)
        let within = heard ? Timing.connectHeard : mine.count > 1 ? Timing.connectShared : Timing.connectUnheard
        devices[next.id].activity = .connecting(until: now + within + .seconds(1))
        devices[next.id].link += 1
        devices[next.id].owns = true
        adapters[path]?.connecting = next.id
        effects.append(.connect(next.id, link: devices[next.id].link, facts.path, within: within))
        return true
    }

    // MARK: Ends

    private mutating func fail(_ id: DeviceID, _ failure: ReadingFailure, _ remedy: Remedy, _ now: Uptime) {
        devices[id].lastFailure = failure
        let isQuick = devices[id].backoff.isQuick && remedy != .wait
        devices[id].notBefore = now + max(devices[id].backoff.fail(), remedy == .backOff ? Timing.contended : .zero)
        if isQuick { return }
        lost(id, failure)
        giveUpTick(id, now)
    }

    private mutating func lost(_ id: DeviceID, _ failure: ReadingFailure) {
        if !devices[id].isLost { note(.warning, id, "\(failure.message); trying on") }
        devices[id].isLost = true
    }

    /// Ends our own link, or lets somebody else's be.
    private mutating func disconnect(_ id: DeviceID, _ now: Uptime) {
        guard let facts = devices[id].facts, devices[id].owns else {
            devices[id].activity = .none
            return
        }
        devices[id].activity = .disconnecting(until: now + Timing.disconnect)
        effects.append(.disconnect(id, facts.path))
    }

    /// Ends an attempt that may still be under way in BlueZ.
    private mutating func cancel(_ id: DeviceID, _ now: Uptime) {
        let path = devices[id].facts?.path
        abandonLink(id)
        guard let path else { return }
        devices[id].activity = .disconnecting(until: now + .milliseconds(500))
        effects.append(.disconnect(id, path))
    }

    private mutating func releaseAll(_ now: Uptime) {
        for id in devices.indices {
            switch devices[id].activity {
            case .disconnecting: continue
            case .connecting: cancel(id, now)
            default: if devices[id].isConnected { disconnect(id, now) }
            }
        }
        for path in adapters.keys.sorted() {
            if case .on = adapters[path]?.discovery {
                adapters[path]?.discovery = .stopping
                effects.append(.stopDiscovery(path))
            }
        }
        if !isSettled {
            isSettled = true
            effects.append(.settle)
        }
    }

    private mutating func note(_ level: Notice.Level, _ id: DeviceID?, _ text: String) {
        effects.append(.notice(Notice(level: level, device: id, text: text)))
    }

    // MARK: Who goes where

    /// The adapter that a device is kept on: its own, the configured one, or the first that is on.
    func adapter(of id: DeviceID) -> ObjectPath? {
        if let path = devices[id].facts?.adapter { return path }
        let paths = adapters.keys.sorted()
        switch devices[id].plan.adapter ?? preferred {
        case .address(let address)?: return paths.first { adapters[$0]?.facts.address == address }
        case .name(let name)?: return paths.first { $0.name == name }
        case nil: return paths.first { adapters[$0]?.facts.isPowered == true } ?? paths.first
        }
    }

    private func adapterState(of device: DeviceState) -> AdapterState? {
        adapter(of: device.id).flatMap { adapters[$0] }
    }

    /// Whether the link is kept between ticks.
    func isHeld(_ device: DeviceState) -> Bool {
        switch device.plan.mode {
        case .hold: true
        case .release: false
        case .auto:
            device.plan.subscribes
                || device.plan.shortestInterval <= Timing.worthHolding && devices.count <= maxLinks
        }
    }
}

/// How long things may take on the air; measured on real bluetoothd where the number is odd.
enum Timing {
    static let recently: Duration = .seconds(30)
    static let connectHeard: Duration = .seconds(12)
    static let connectUnheard: Duration = .seconds(45)
    /// For a device that was not heard while others want the radio, too.
    static let connectShared: Duration = .seconds(15)
    static let afterConnect: Duration = .seconds(5)
    static let resolve: Duration = .seconds(30)
    static let disconnect: Duration = .seconds(10)
    static let read: Duration = .seconds(10)
    static let contended: Duration = .seconds(30)
    static let soonAfterHeard: Duration = .seconds(10)
    static let afterRefusedDiscovery: Duration = .milliseconds(1500)
    static let beforeActivation: Duration = .seconds(1)
    static let firstActivationPause: Duration = .seconds(5)
    static let longestActivationPause: Duration = .seconds(60)
    static let worthHolding: Duration = .seconds(60)
    static let relinksPerTick = 1
    /// A finite run gives a tick so long.
    static let finiteTick: Duration = .seconds(60)
    static let finiteOutage: Duration = .seconds(5)
}

extension ReadingFailure {
    /// Why a Connect failed, in words.
    init(connect error: BusError) {
        self.init(code: "connect", message: "the connection could not be made (\(error))")
    }
}
