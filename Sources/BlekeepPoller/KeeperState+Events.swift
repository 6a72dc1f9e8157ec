import DBus
import RunLoop

/// The handling of events.
extension KeeperState {
    mutating func absorb(_ event: Event, _ now: Uptime) {
        switch event {
        case .time: break
        case .stop:
            if !run.isStopping { switchOnAll() }
            run.isStopping = true
        case .power(let status): powerChanged(status, now)
        case .command(let id, let action): obey(action, id, now)
        case .configured(let new): reconfigure(new, now)
        case .watched(let isWatched): setWatched(isWatched, now)
        case .sleep(let cause): fallAsleep(cause)
        case .awake(let how): wakeUp(how, now)
        case .lost(let outage): lose(outage, now)
        case .bluez(let adapters, let found): snapshot(adapters, found, now)
        case .device(let id, let facts): reported(facts, of: id, now)
        case .heard(let id): perform(devices[id].found(in: surroundings(of: id, at: now)), of: id, at: now)
        case .ended(let id, let end): devices[id].willEnd(end)
        case .broadcast(let id, let hearing):
            perform(devices[id].heard(hearing, in: surroundings(of: id, at: now)), of: id, at: now)
        case .remark(let id, let remark):
            note(remark.code == .known(.newCounter) ? .notice : .warning, id, remark.message)
            let sentence = "\(devices[id].plan.name): \(remark.message)"
            effects.append(
                .commonAttempt(Attempt(phase: .recovery, failure: ReadingFailure(code: remark.code, message: sentence)))
            )
        case .discovering(let path, let error, let refused): discoveryAnswered(path, error, refused, now)
        case .discoveryEnded(let path): adapters[path]?.queue.discoveryEnded()
        case .connected(let id, let link, let error): connectAnswered(id, link, error, now)
        case .polled(let id, let link, let result):
            perform(devices[id].polled(result, on: link, in: surroundings(of: id, at: now)), of: id, at: now)
        case .answered(let isAnswered): effects += bluez.answered(isAnswered)
        case .alive(let isAlive):
            if bluez.pinged(isAlive, at: now) { lose(.hung, now) }
            if isAlive, outage == .hung { effects.append(.refresh) }
        case .notified(let id, let time): notified(id, at: time)
        case .recovered(let answer): recovered(answer, now)
        case .pressure(let pressure): bluez.pressed(pressure)
        case .recalled(let inheritance): recall(inheritance, now)
        }
    }

    /// Takes BlueZ's report of a device.
    private mutating func reported(_ facts: DeviceFacts?, of id: DeviceIndex, _ now: Uptime) {
        // With the new facts, because the adapter is among them.
        let index = facts.map { adapters.index(for: $0.adapter) } ?? chosenAdapter(for: id)
        perform(devices[id].reported(facts, in: surroundings(of: id, through: index, at: now)), of: id, at: now)
    }

    /// Takes the reply to a Connect.
    private mutating func connectAnswered(_ id: DeviceIndex, _ link: Int, _ error: BusError?, _ now: Uptime) {
        // The connection to the bus ended without the reply. BlueZ goes on with the attempt.
        if error == .disconnected { return }
        if error != .timedOut { effects += bluez.answered(true) }
        guard devices[id].link.isConnecting(in: link) else { return }
        if let error, devices[id].mayLackSlot(error) { learnSlots(id, Remedy(error), now) }
        let slots = error == nil ? nil : slots(of: id, now)
        perform(
            devices[id].connectAnswered(error, slots: slots, in: surroundings(of: id, at: now)), of: id, at: now)
    }

    // MARK: Outages and adapters

    mutating func lose(_ outage: Outage, _ now: Uptime) {
        effects += bluez.report(outage)
        if outage == .bluez, self.outage == nil { bluezDied(now) }
        if outage != .hung { adapterStopped(nil, now) }
        radiosLost(now)
        // The connections of a bluetoothd that doesn't run are gone, of this run and of the last one. On a new connection to
        // the bus, the first such news only says that nobody has looked yet.
        let areLinksGone = outage == .bluez && self.outage?.isOfBus != true
        for id in devices.indices {
            if areLinksGone { devices[id].forgetClaim() }
            if outage != .hung { devices[id].isUpSinceStart = false }
        }
        let links = outage == .hung ? knownExternalLinks : 0
        bluez.lost(outage, externalLinks: links, at: now)
        shown.isMachineTouched = true
        // A bluetoothd that hangs may still connect, but one that stopped doesn't.
        if outage == .hung {
            for id in devices.indices { perform(devices[id].attemptsEnded(at: now), of: id, at: now) }
        } else {
            adapters = []
        }
        for id in devices.indices { perform(devices[id].lost(outage), of: id, at: now) }
    }

    mutating func snapshot(_ facts: [AdapterFacts], _ found: [DeviceIndex: DeviceFacts], _ now: Uptime) {
        effects += bluez.regained(at: now)
        adopt(facts, now)
        for id in devices.indices {
            reported(found[id], of: id, now)
            perform(devices[id].snapshotEnded(at: now), of: id, at: now)
        }
        for id in devices.indices { devices[id].settleClaim(at: now) }
        if bluez.renewed() { for id in devices.indices { devices[id].busRenewed() } }
        if !hasSeenFirst { for id in devices.indices { devices[id].seenFirst() } }
        hasSeenFirst = true
    }

    /// Handles a crash of bluetoothd.
    private mutating func bluezDied(_ now: Uptime) {
        let trying = devices.indices.filter { devices[$0].isBeingConnected(at: now) }
        for id in devices.indices {
            perform(
                devices[id].bluezDied(isSuspect: trying == [id], in: surroundings(of: id, at: now)), of: id, at: now)
        }
    }

    /// An adapter stopped, or bluetoothd with all adapters (`nil`).
    private mutating func adapterStopped(_ path: ObjectPath?, _ now: Uptime) {
        for id in devices.indices { perform(devices[id].adapterStopped(path, at: now), of: id, at: now) }
    }

    mutating func adopt(_ facts: [AdapterFacts], _ now: Uptime) {
        let known = adapters
        radiosChanged(from: known, to: facts)
        for state in known where state.facts.isPowered {
            if facts.contains(where: { $0.path == state.facts.path && $0.isPowered }) { continue }
            adapterStopped(state.facts.path, now)
        }
        adapters = []
        shown.isMachineTouched = true
        if known.contains(where: { state in !facts.contains { $0.path == state.facts.path } })
            || facts.contains(where: { !$0.isPowered && known[$0.path] == nil })
        {
            bluez.reports.hurry(at: now)
        }
        for adapter in facts {
            var state =
                known[adapter.path] ?? AdapterState(facts: adapter, queue: RadioQueue(maxLinks: settings.maxLinks))
            if state.facts.isPowered != adapter.isPowered {
                state.queue.discoveryEnded()
                resetStallEvidence(of: adapter.escalationKey)
                if !isCycling(adapter) { logPower(of: adapter) }
            }
            let hasMoreLinks = adapter.externalLinks > state.facts.externalLinks
            state.facts = adapter
            adapters[adapter.path] = state
            if known[adapter.path] == nil, bluez.reports.isAdapterMissing {
                bluez.reports.isAdapterMissing = false
                note(.notice, nil, "adapter \(adapter.path.name) is there")
                effects.append(.commonAttempt(Attempt(phase: .adapter)))
            }
            if hasMoreLinks {
                newLinkMade(on: adapter.path, now)
                let links = links(on: adapter.path)
                adapters[adapter.path]?.queue.slots.holds(links)
            }
            if adapter.isPowered, !isCycling(adapter) { recovery.switchedOff.remove(adapter.path) }
        }
        for state in known where state.facts.isPowered { bluez.recheck.doubt(.adapter(state.facts.path), at: now) }
        for state in adapters where state.facts.isPowered { bluez.recheck.end(.adapter(state.facts.path)) }
    }

    /// Reports what is wrong since the start, or since bluetoothd came back, and a missing adapter. Other changes are reported
    /// when they come.
    mutating func reportFirst() {
        // A run of a few ticks reports it as the result.
        guard devices.allSatisfy({ $0.plan.count == nil }) else { return }
        if outage != nil { return effects += bluez.reportFirst() }
        var choices = Set(devices.filter { !$0.hasLeft }.map { $0.plan.adapter ?? settings.adapter })
        if choices.isEmpty { choices = [settings.adapter] }
        for choice in choices.sorted(by: { $0?.description ?? "" < $1?.description ?? "" }) {
            let chosen = adapters.map(\.facts).filter { choice.matches($0.path.name, $0.address) }
            if chosen.contains(where: \.isPowered) { continue }
            guard let adapter = chosen.first else {
                guard !bluez.reports.isAdapterMissing else { continue }
                let message = "there is no Bluetooth adapter\(choice.map { " \($0)" } ?? "")"
                bluez.reports.isAdapterMissing = true
                note(.warning, nil, "\(message); waiting for it")
                effects.append(
                    .commonAttempt(
                        Attempt(phase: .adapter, failure: ReadingFailure(.noAdapter, message), remedy: .wait)))
                continue
            }
            if !bluez.reports.off.contains(adapter.path), !isCycling(adapter) { logPower(of: adapter) }
        }
    }

    mutating func logPower(of adapter: AdapterFacts) {
        let name = adapter.path.name
        if adapter.isPowered { bluez.reports.off.remove(adapter.path) } else { bluez.reports.off.insert(adapter.path) }
        if adapter.isPowered {
            note(.notice, nil, "adapter \(name) is on again")
        } else {
            note(.warning, nil, "adapter \(name) is off; waiting for it")
        }
        let off = ReadingFailure(.adapterOff, "the adapter \(name) is off")
        effects.append(
            .commonAttempt(
                Attempt(
                    phase: .adapter, failure: adapter.isPowered ? nil : off,
                    remedy: adapter.isPowered ? nil : .wait)))
    }

    // MARK: Discovery

    mutating func discoveryAnswered(
        _ path: ObjectPath, _ error: BusError?, _ refused: FilterRefusal?, _ now: Uptime
    ) {
        guard let index = adapters.index(for: path) else { return }
        // A discovery in progress is blekeep's own: the reply to an earlier call came late.
        if let error, Remedy(error) != .watch {
            adapters[index].queue.discoveryRefused(at: now)
            note(.debug, nil, "BlueZ refused discovery: \(error)")
            // Other causes are reported elsewhere: the adapter is off, or bluetoothd is gone.
            if Remedy(error) != .wait, error != .disconnected { discoveryRefused(on: index, error) }
        } else {
            adapters[index].queue.discoveryStarted(at: now)
            discoveryWorks(on: index, without: refused)
        }
    }

    /// Takes a refusal. The third of consecutive ones is reported: others pass by themselves.
    private mutating func discoveryRefused(on index: Int, _ error: BusError) {
        adapters[index].discovery.refusals += 1
        guard adapters[index].discovery.refusals == 3 else { return }
        let message = "BlueZ refuses to search for devices with \(adapters[index].facts.path.name) (\(error))"
        let failure = ReadingFailure(.noDiscovery, message)
        adapters[index].discovery.failure = failure
        shown.isMachineTouched = true
        note(.warning, nil, "\(message); run 'blekeep doctor'; still retrying")
        effects.append(.commonAttempt(Attempt(phase: .adapter, failure: failure, remedy: .wait)))
    }

    private mutating func discoveryWorks(on index: Int, without refused: FilterRefusal?) {
        let before = adapters[index].discovery
        guard before != DiscoveryState(filter: refused) else { return }
        adapters[index].discovery = DiscoveryState(filter: refused)
        shown.isMachineTouched = true
        let name = adapters[index].facts.path.name
        if before.failure != nil {
            note(.notice, nil, "BlueZ searches for devices with \(name) again")
            effects.append(.commonAttempt(Attempt(phase: .adapter)))
        }
        guard let refused, refused != before.filter else { return }
        let keys = refused.keys.joined(separator: " and ")
        let message = "BlueZ refuses \(keys) in the filter of a search with \(name) (\(refused.error))"
        note(.warning, nil, "\(message); blekeep searches without")
        effects.append(.commonAttempt(Attempt(phase: .adapter, failure: ReadingFailure(.noFilter, message))))
    }
}

/// The commands of users.
extension KeeperState {
    mutating func obey(_ action: KeeperCommand.Action, _ id: DeviceIndex, _ now: Uptime) {
        guard devices.indices.contains(id), !run.isStopping else { return }
        switch action {
        case .poll, .write: devices[id].tickRequested(at: now)
        case .pause(let length): perform(devices[id].paused(for: length, at: now), of: id, at: now)
        case .resume: perform(devices[id].resumed(at: now), of: id, at: now)
        }
    }
}
