#if DEBUG
import BlekeepKeepAlive
import DBus
import Glibc
import RunLoop

@testable import BlekeepBluetooth
@testable import BlekeepPoller
@testable import BlekeepReadings
@testable import BlekeepRecords

extension Subject {
    /// Events in any order for the poller's state, with its devices and adapters: what BlueZ, the bus, the machine and a user
    /// may send, whether it was asked for or not. Then all goes well, and each device must be read again.
    package static let orders = Subject(
        name: "orders of events",
        feed: { dice in
            var orders = Orders(&dice)
            for _ in 0..<dice.below(80) where orders.problem == nil { orders.disturb(&dice) }
            return orders.problem ?? orders.recover()
        }, share: 20)
}

/// The poller's state, and what a world without memory answers to it.
private struct Orders {
    private var state: PollerState
    private var now = Uptime.start + .seconds(1000)
    private var adapters: [AdapterFacts]
    /// What BlueZ says of each device; `nil` while it doesn't know it.
    private var facts: [DeviceFacts?]
    /// Polls in progress, by the number of their connection.
    private var polls: [Int: (link: Int, began: Uptime)] = [:]
    private var pending: [Effect] = []
    private(set) var problem: String?
    /// Which devices were read since the start of `recover`.
    private var read: Set<Int> = []

    /// Whether each event is printed, with what the poller then calls: for one input.
    private static let isTraced = getenv("FUZZ_TRACE") != nil

    private func calls(_ effects: [Effect]) -> [Effect] {
        effects.filter {
            switch $0 {
            case .settle, .notice, .timed, .attempt, .commonAttempt, .device, .machine, .failed: false
            default: true
            }
        }
    }

    private static let modes: [LinkMode] = [.auto, .hold, .release, .passive, .heard]
    private static let errors: [BusError] = [
        .timedOut, .vanished, .disconnected, .remote(name: "org.bluez.Error.InProgress", message: ""),
        .remote(name: "org.bluez.Error.AlreadyConnected", message: ""),
        .remote(name: "org.bluez.Error.Failed", message: "le-connection-abort-by-local"),
        .remote(name: "org.bluez.Error.Failed", message: "le-connection-refused"),
        .remote(name: "org.bluez.Error.NotReady", message: ""),
        .remote(name: "org.bluez.Error.AuthenticationFailed", message: ""),
        .remote(name: "org.freedesktop.DBus.Error.UnknownObject", message: ""),
    ]

    init(_ dice: inout Dice) {
        adapters = (0...dice.below(2)).map {
            AdapterFacts(path: ObjectPath(unchecked: "/org/bluez/hci\($0)"), address: nil, isPowered: true)
        }
        let plans = (0...dice.below(3)).map { number in
            DevicePlan(
                name: "device \(number)", address: BluetoothAddress(bits: UInt64(number + 1)), adapter: nil,
                mode: dice.pick(Self.modes), intervals: [.seconds(30)], subscribes: dice.below(4) == 0)
        }
        facts = plans.map { _ in nil }
        state = PollerState(plans: plans, adapter: nil, maxLinks: 1 + dice.below(3), at: now)
        if dice.below(2) == 0 {
            state.recovery.allowed = [.powerCycle, .restartBluetooth, .forgetStale, .preferLowEnergy]
        }
        if dice.below(8) > 0 { snapshot() }
    }

    // MARK: Any order

    mutating func disturb(_ dice: inout Dice) {
        let device = dice.below(facts.count)
        let adapter = dice.below(adapters.count)
        switch dice.below(24) {
        case 0, 1, 2: pass(until: state.wake)
        case 3: pass(until: now + .seconds(1))
        case 4: pass(until: now + .seconds(dice.pick([5, 30, 900])))
        case 5, 6, 7: answer()
        case 8: toggle(device, \.isConnected)
        case 9: toggle(device, \.isResolved)
        case 10: toggle(device, dice.pick([\.isPaired, \.isBlocked, \.isSubscribed, \.hasLowEnergyBearer]))
        case 11: report(device, facts[device] == nil ? known(device, on: adapter) : nil)
        case 12: hear(device, dice.pick([.news, .repetition, .unreadable(.usedUp)]))
        case 13:
            let link = state.devices[device].link.number - dice.below(2)
            send(.device(DeviceNumber(device), .connected(link: link, dice.pick([nil] + Self.errors))))
        case 14: poll(device, late: dice.below(2), result(&dice))
        case 15: send(.device(DeviceNumber(device), .ended(dice.pick(LinkEnd.allCases))))
        case 16: lose(dice.pick([.bluez, .bus("it ended"), .hung, .denied]))
        case 17: snapshot()
        case 18:
            adapters[adapter].isPowered.toggle()
            snapshot()
        case 19:
            if dice.below(2) == 0 {
                send(.searches(adapters[adapter].path, dice.below(2) == 0))
            } else if !pending.isEmpty {
                refuse(pending.removeFirst(), dice.pick(Self.errors))
            }
        case 20: send(dice.pick([.alive(false), .alive(true), .answered(false), .answered(true)]))
        case 21:
            let mode = dice.pick(PowerMode.allCases)
            send(.power(PowerStatus(mode: mode, reason: "", supply: .unknown)))
        case 22: send(dice.pick([.sleep(.sleep), .awake("")]))
        default:
            let action: DeviceCommand.Action = dice.pick([
                .poll, .pause(.untilResumed), .pause(.time(.seconds(60))), .resume,
                .standBy(because: "", atLinkEnd: dice.below(2) == 0), .takeOver(because: ""),
            ])
            send(.device(DeviceNumber(device), .command(action)))
        }
    }

    private func result(_ dice: inout Dice) -> PollResult {
        PollResult(
            values: dice.below(2), isNew: true, failures: dice.below(2),
            ending: dice.pick([nil, nil, .relink, .wait, .rediscover, .stale, .pairing, .bearer]),
            misfits: dice.below(5))
    }

    private func known(_ device: Int, on adapter: Int) -> DeviceFacts {
        let path = adapters[adapter].path
        return DeviceFacts(
            path: ObjectPath(unchecked: "\(path)/dev_\(device)"), adapter: path, isConnected: false, isResolved: false)
    }

    private mutating func toggle(_ device: Int, _ property: WritableKeyPath<DeviceFacts, Bool>) {
        guard var known = facts[device] else { return }
        known[keyPath: property].toggle()
        if !known.isConnected { known.isResolved = false }
        report(device, known)
    }

    private mutating func report(_ device: Int, _ known: DeviceFacts?) {
        facts[device] = known
        send(.device(DeviceNumber(device), .reported(known.map { [$0] } ?? [])))
        // Reads fail with the connection.
        if known?.isConnected != true { poll(device, late: 0, PollResult(ending: .relink)) }
    }

    private mutating func hear(_ device: Int, _ hearing: Hearing) {
        guard facts[device] != nil else { return }
        send(.device(DeviceNumber(device), .heard()))
        if state.devices.indices.contains(device), state.devices[device].plan.mode == .passive {
            send(.device(DeviceNumber(device), .broadcast(hearing)))
        }
    }

    private mutating func lose(_ outage: Outage) {
        send(.lost(outage))
        if outage != .hung { facts = facts.map { _ in nil } }
        // Each call has an end.
        let calls = pending
        pending = []
        for call in calls { refuse(call, .disconnected) }
        for device in polls.keys.sorted() { poll(device, late: 0, PollResult(ending: .wait)) }
    }

    private mutating func snapshot() {
        let found = facts.enumerated().compactMap { number, known in known.map { (DeviceNumber(number), [$0]) } }
        send(.bluez(adapters, Dictionary(uniqueKeysWithValues: found)))
    }

    private mutating func poll(_ device: Int, late: Int, _ result: PollResult) {
        guard let link = polls[device]?.link else { return }
        if late == 0 { polls[device] = nil }
        send(.device(DeviceNumber(device), .polled(link: link - late, result)))
    }

    // MARK: What must hold

    private mutating func pass(until time: Uptime) {
        now = max(now + .milliseconds(1), min(time, now + .seconds(3600)))
        // Each request of a poll has a deadline.
        for device in polls.keys.sorted() {
            guard let began = polls[device]?.began, now - began >= .seconds(35) else { continue }
            poll(device, late: 0, PollResult(failures: 1, failure: .usedUp))
        }
        send(.time)
    }

    private mutating func send(_ event: Event) {
        guard problem == nil else { return }
        let effects = state.step(event, at: now)
        if Self.isTraced {
            print((now - .start).wholeMilliseconds, event, state.devices.map(\.link.phase), calls(effects))
        }
        if effects.count > 60 + 20 * facts.count { problem = "\(effects.count) effects of one event" }
        if state.wake <= now { problem = "the next decision is due before now, for ever" }
        for case .notice(let notice) in effects where notice.text.contains("please report it") { problem = notice.text }
        for effect in calls(effects) {
            switch effect {
            case .poll(let device, let link, _, _, _):
                if polls[device.value] != nil { problem = "two polls of device \(device.value)" }
                polls[device.value] = (link, now)
                pending.append(effect)
            case .abandon(let device, _): polls[device.value] = nil
            case .tickEnded(let device, _, let failure): if failure == nil { read.insert(device.value) }
            case .flushed: break
            default: pending.append(effect)
            }
        }
        if pending.count > 200 { problem = "\(pending.count) calls at once" }
        for path in adapters.map(\.path) {
            let attempts = state.devices.count { $0.link.phase.isConnecting && $0.facts?.adapter == path }
            if attempts > 1 { problem = "\(attempts) attempts at once on \(path)" }
        }
    }

    // MARK: When all goes well

    /// Answers what waits longest, as BlueZ does when all goes well.
    private mutating func answer() {
        guard !pending.isEmpty else { return }
        switch pending.removeFirst() {
        case .startDiscovery(let path): send(.discovering(path, nil))
        case .stopDiscovery(let path): send(.discoveryEnded(path))
        case .startMonitors(let path): send(.monitors(path, nil))
        case .queryDiscovery(let path): send(.searches(path, true, isAsked: true))
        case .connect(let number, let link, _, _):
            guard var known = facts[number.value] else {
                return send(.device(number, .connected(link: link, .vanished)))
            }
            known.isConnected = true
            report(number.value, known)
            send(.device(number, .connected(link: link, nil)))
            known.isResolved = true
            report(number.value, known)
        case .disconnect(let number, _, _):
            guard var known = facts[number.value] else { return }
            (known.isConnected, known.isResolved) = (false, false)
            report(number.value, known)
        case .poll(let number, _, _, _, _): poll(number.value, late: 0, PollResult(values: 1, isNew: true))
        case .ping: send(.alive(true))
        case .refresh, .activate: snapshot()
        case .renew: lose(.bus("it is replaced"))
        case .recover(.restartBluez):
            lose(.bluez)
            send(.recovered(.restarted(nil)))
            snapshot()
        case .countExternalLinks, .recover(.countLinks): send(.recovered(.linksCounted([:])))
        case .recover(.cycle(let path)): send(.recovered(.cycled(path, nil)))
        case .recover(.forget(let number, _)):
            report(number.value, nil)
            send(.recovered(.forgotten(number, nil)))
        case .recover(.preferLowEnergy(let number, _)): send(.recovered(.preferred(number, nil)))
        default: break
        }
    }

    private mutating func refuse(_ call: Effect, _ error: BusError) {
        switch call {
        case .startDiscovery(let path): send(.discovering(path, error))
        case .stopDiscovery(let path): send(.discoveryEnded(path))
        case .connect(let number, let link, _, _): send(.device(number, .connected(link: link, error)))
        case .poll(let number, _, _, _, _): poll(number.value, late: 0, PollResult(ending: .relink))
        case .ping: send(.alive(false))
        case .countExternalLinks, .recover(.countLinks): send(.recovered(.linksCounted(nil)))
        case .recover(.cycle(let path)): send(.recovered(.cycled(path, error)))
        case .recover(.restartBluez): send(.recovered(.restarted(error)))
        case .recover(.forget(let number, _)): send(.recovered(.forgotten(number, error)))
        case .recover(.preferLowEnergy(let number, _)): send(.recovered(.preferred(number, error)))
        default: break
        }
    }

    /// Lets all go well for two hours, after which each device must have been read, and then ends.
    mutating func recover() -> String? {
        for index in adapters.indices { adapters[index].isPowered = true }
        for number in facts.indices {
            var known = facts[number] ?? known(number, on: 0)
            (known.isResolved, known.isBlocked, known.isSubscribed) = (known.isConnected, false, false)
            report(number, known)
        }
        send(.awake(""))
        send(.power(.unknown))
        snapshot()
        for number in facts.indices {
            send(.device(DeviceNumber(number), .command(.resume)))
            send(.device(DeviceNumber(number), .command(.takeOver(because: ""))))
        }
        read = []
        let end = now + .seconds(7200)
        while now < end, problem == nil, read.count < facts.count {
            while !pending.isEmpty, problem == nil { answer() }
            for number in facts.indices {
                // Another program's connection ends: it uses a slot.
                let isForeign = facts[number]?.isConnected == true && !state.devices[number].link.phase.isOwn
                if facts[number] == nil || isForeign { report(number, known(number, on: 0)) }
                hear(number, .news)
            }
            pass(until: min(state.wake, now + .seconds(5)))
        }
        if let problem { return problem }
        if let missing = facts.indices.first(where: { !read.contains($0) }) {
            let device = state.devices[missing]
            return "device \(missing), \(device.plan.mode), isn't read again: \(device.link.phase)"
        }
        return stop()
    }

    private mutating func stop() -> String? {
        send(.stop)
        let end = now + .seconds(60)
        while now < end, problem == nil, !(state.isFinished && state.isQuiet) {
            while !pending.isEmpty, problem == nil { answer() }
            pass(until: min(state.wake, now + .seconds(5)))
        }
        return problem ?? (now < end ? nil : "the poller doesn't end")
    }
}
#endif
