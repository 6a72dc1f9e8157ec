import DBus
import RunLoop

/// Outages, adapters, and what is decided between the devices of an adapter.
extension PollerState {
    // MARK: Outages and adapters

    mutating func lose(_ outage: Outage, at now: Uptime) {
        effects += bluez.report(outage)
        if outage == .bluez, self.outage == nil { bluezDied(at: now) }
        if outage != .hung { adapterStopped(nil, at: now) }
        adaptersLost(at: now)
        // The connections of a bluetoothd that doesn't run are gone, of this run and of the last one. On a new connection to
        // the bus, the first such news only says that nobody has looked yet.
        let areLinksGone = outage == .bluez && self.outage?.isOfBus != true
        for id in devices.indices {
            if areLinksGone { devices[id].forgetClaim() }
            if outage != .hung { devices[id].isUpSinceStart = false }
        }
        let links = outage == .hung ? knownExternalLinks : 0
        bluez.lost(outage, externalLinks: links, at: now)
        touched.machine = true
        // A bluetoothd that hangs may still connect, but one that stopped doesn't.
        if outage == .hung {
            for id in devices.indices { update(id, at: now) { $0.giveUpAttempt(at: now) } }
        } else {
            adapters = []
        }
        for id in devices.indices { update(id, at: now) { $0.lost(outage) } }
    }

    mutating func snapshot(_ facts: [AdapterFacts], found: [DeviceNumber: [DeviceFacts]], at now: Uptime) {
        effects += bluez.regained(at: now)
        adopt(facts, at: now)
        for id in devices.indices {
            reported(found[devices[id].number] ?? [], of: id, at: now)
            update(id, at: now) { $0.snapshotEnded() }
        }
        for id in devices.indices { devices[id].settleClaim(at: now) }
        if bluez.renewed() { for id in devices.indices { devices[id].busRenewed() } }
        if !hasSeenFirst { for id in devices.indices { devices[id].seenFirst() } }
        hasSeenFirst = true
        endStrays(at: now)
    }

    /// Handles a crash of bluetoothd.
    private mutating func bluezDied(at now: Uptime) {
        let trying = devices.indices.filter { devices[$0].isBeingConnected(at: now) }
        for id in devices.indices { update(id, at: now) { $0.bluezDied(isSuspect: trying == [id], in: $1) } }
    }

    /// An adapter stopped, or bluetoothd with all adapters (`nil`).
    private mutating func adapterStopped(_ path: ObjectPath?, at now: Uptime) {
        for id in devices.indices { update(id, at: now) { $0.adapterStopped(path, at: now) } }
    }

    mutating func adopt(_ facts: [AdapterFacts], at now: Uptime) {
        let known = adapters
        adaptersChanged(from: known, to: facts)
        for state in known where state.facts.isPowered {
            if facts.contains(where: { $0.path == state.facts.path && $0.isPowered }) { continue }
            adapterStopped(state.facts.path, at: now)
        }
        adapters = []
        touched.machine = true
        if known.contains(where: { state in !facts.contains { $0.path == state.facts.path } })
            || facts.contains(where: { !$0.isPowered && known[$0.path] == nil })
        {
            bluez.reports.hurry(at: now)
        }
        for adapter in facts {
            var machine = known[adapter.path] ?? AdapterMachine(adapter, maxLinks: settings.maxLinks)
            let before = machine.facts
            machine.reported(adapter)
            adapters[adapter.path] = machine
            if before.isPowered != adapter.isPowered {
                resetStallEvidence(of: adapter.escalationKey)
                if !isCycling(adapter) { logPower(of: adapter) }
            }
            if known[adapter.path] == nil, bluez.reports.isAdapterMissing {
                bluez.reports.isAdapterMissing = false
                effects += .report(.notice, "adapter \(adapter.path.name) is there", Attempt(phase: .adapter))
            }
            if adapter.externalLinks > before.externalLinks, let index = adapters.index(for: adapter.path) {
                connectionMade(on: adapter.path, at: now)
                adapters[index].slots.holds(slots(on: index, at: now).links)
            }
            if adapter.isPowered, !isCycling(adapter) { recovery.switchedOff.remove(adapter.path) }
        }
        let paths = adapters.paths
        for id in devices.indices where devices[id].ranking.chosen != nil {
            update(id, at: now) { $0.adaptersReported(paths) }
        }
        for state in known where state.facts.isPowered { bluez.recheck.doubt(.adapter(state.facts.path), at: now) }
        for state in adapters where state.facts.isPowered { bluez.recheck.end(.adapter(state.facts.path)) }
    }

    /// Reports what is wrong since the start, or since bluetoothd came back, and a missing adapter. Other changes are reported
    /// when they come.
    mutating func reportFirst(at now: Uptime) {
        // A run of a few ticks reports it as the result.
        guard devices.allSatisfy({ !$0.plan.isOneOff }) else { return }
        if outage != nil {
            effects += bluez.reportFirst()
            return
        }
        var choices = Set(devices.filter { !$0.hasLeft }.map { $0.plan.adapter ?? settings.adapter })
        if choices.isEmpty { choices = [settings.adapter] }
        for choice in choices.sorted(by: { $0?.description ?? "" < $1?.description ?? "" }) {
            let chosen = adapters.map(\.facts).filter { choice.matches($0.path.name, address: $0.address) }
            if chosen.contains(where: \.isPowered) { continue }
            guard let adapter = chosen.first else {
                guard !bluez.reports.isAdapterMissing else { continue }
                let message = "there is no Bluetooth adapter\(choice.map { " \($0)" } ?? "")"
                bluez.reports.isAdapterMissing = true
                let attempt = Attempt(
                    phase: .adapter, failure: ReadingFailure(.noAdapter, message), remedy: .wait)
                let notice = "\(message); waiting for it"
                if choices.count == 1 {
                    effects += .report(.warning, notice, attempt)
                    continue
                }
                // The others' adapters are there.
                effects.append(.notice(Notice(level: .warning, text: notice)))
                for id in devices.indices where devices[id].plan.adapter ?? settings.adapter == choice {
                    update(id, at: now) { $0.report(attempt, at: now) }
                }
                continue
            }
            if !bluez.reports.off.contains(adapter.path), !isCycling(adapter) { logPower(of: adapter) }
        }
    }

    mutating func logPower(of adapter: AdapterFacts) {
        let name = adapter.path.name
        if adapter.isPowered {
            bluez.reports.off.remove(adapter.path)
            effects += .report(.notice, "adapter \(name) is on again", Attempt(phase: .adapter))
        } else {
            bluez.reports.off.insert(adapter.path)
            let off = ReadingFailure(.adapterOff, "the adapter \(name) is off")
            effects += .report(
                .warning, "adapter \(name) is off; waiting for it",
                Attempt(phase: .adapter, failure: off, remedy: .wait))
        }
    }

    // MARK: The use of an adapter

    mutating func useAdapter(_ index: Int, at now: Uptime) {
        if adapters[index].shortage != nil, shortage(on: index, share: 0.9, at: now) == nil {
            effects += adapters[index].turnsSuffice()
        }
        guard adapters[index].facts.isPowered, recovery.isCalm || !isActing(index), adapters[index].mayDecide,
            isNeeded(index, at: now)
        else { return }
        let contenders = contenders(on: index, at: now)
        adapters[index].isHearing = contenders.contains(where: \.isToBeHeard)
        effects += adapters[index].monitor(settings.scan)
        let actions = adapters[index].decide(
            contenders, external: adapters[index].facts.externalLinks, listensOpenly: listensOpenly(on: index),
            maxSearch: maxSearch, at: now)
        for action in actions { perform(action, on: adapters[index].facts.path, at: now) }
    }

    /// Whether any device may need the adapter. At most steps, none does.
    private func isNeeded(_ index: Int, at now: Uptime) -> Bool {
        var isNeeded = adapters[index].discovery != .off
        for id in devices.indices where devices[id].needsAdapter(at: now) {
            guard self.adapterIndex(of: id) == index else {
                isNeeded = isNeeded || adapters.count > 1 && mayUse(index, for: id)
                continue
            }
            if devices[id].attempt(at: now) == .attempt(hasHadItsTurn: false) { return false }
            isNeeded = true
        }
        return isNeeded
    }

    private mutating func perform(_ action: AdapterMachine.Action, on path: ObjectPath, at now: Uptime) {
        switch action {
        case .connect(let number, let within):
            if let id = devices.index(of: number) { update(id, at: now) { $0.connect(within: within, at: now) } }
        case .giveWay(let number):
            if let id = devices.index(of: number) { update(id, at: now) { $0.gaveWay(in: $1) } }
        case .makeRoom(let number):
            if let id = devices.index(of: number) { update(id, at: now) { $0.endConnection(at: now) } }
        case .startDiscovery: effects.append(.startDiscovery(path))
        case .queryDiscovery: effects.append(.queryDiscovery(path))
        case .stopDiscovery: effects.append(.stopDiscovery(path))
        case .searchFailed(let missing, let length):
            // With another one's devices, this adapter only helped.
            for id in missing.compactMap({ devices.index(of: $0) }) where adapter(of: id) == path {
                update(id, at: now) { $0.notFound(after: length, in: $1) }
            }
        }
    }

    // MARK: Requests

    private func contenders(on index: Int, at now: Uptime) -> [Contender] {
        let owners = slotOwners(on: index, at: now)
        let isOpen = listensOpenly(on: index)
        let isMonitored = adapters[index].isMonitoring
        return devices.indices.compactMap { id in
            let outline = outline(of: id)
            let isOwn = outline.adapter == index
            guard isOwn || adapters.count > 1 && mayUse(index, for: id) else { return nil }
            var contender = devices[id].contender(
                owners: owners, worth: outline.worth, listensOpenly: isOpen, isMonitored: isMonitored, in: power.mode,
                at: now)
            if !isOwn { devices[id].onlyHelps(&contender, on: adapters[index].facts.path, at: now) }
            // Discovery asks all devices in range. It may still look for one that BlueZ doesn't know, to connect it.
            if settings.scan == .passive { contender.isListenedTo = false }
            return contender
        }
    }

    // MARK: Windows

    /// A device's tick ended in which blekeep listened to it.
    mutating func listened(_ id: DeviceIndex, heard: Bool, at now: Uptime) {
        guard let index = adapterIndex(of: id) else { return }
        if adapters.count > 1 {
            devices[id].ranking.listened(isTrying: adapters[index].isScanning || adapters[index].isMonitoring)
        }
        guard !run.isWatched, settings.scan == .auto else { return }
        effects += adapters[index].listened(heard: heard, at: now)
    }

    // MARK: Held connections

    /// Whether a device's connection is held between its ticks.
    func isHeld(_ id: DeviceIndex, at now: Uptime) -> Bool { isHeld(id, on: adapterIndex(of: id), at: now) }

    func isHeld(_ id: DeviceIndex, on index: Int?, at now: Uptime) -> Bool {
        // Mostly, the slots don't matter.
        guard devices[id].needsSlotToBeHeld else { return devices[id].isHeld(owners: .all) }
        return devices[id].isHeld(owners: index.map { slotOwners(on: $0, at: now) } ?? .only([]))
    }

    /// Returns the number of devices that blekeep connects through an adapter.
    func connectable(on index: Int) -> Int { devices.indices.count { isConnectable($0, on: index) } }

    func isConnectable(_ id: DeviceIndex, on index: Int) -> Bool {
        devices[id].plan.mode != .passive && !devices[id].hasLeft && self.adapterIndex(of: id) == index
    }

    /// Returns the connections of an adapter.
    func slots(on index: Int, at now: Uptime) -> Slots {
        let path = adapters[index].facts.path
        let own = devices.indices.count { devices[$0].isConnected && devices[$0].facts?.adapter == path }
        let links = own + adapters[index].facts.externalLinks
        return Slots(links: links, own: own, areFull: adapters[index].slots.isFull(with: links, own: own, at: now))
    }

    /// An attempt to connect a device failed, perhaps because the adapter has no slot.
    mutating func slotDoubted(_ id: DeviceIndex, after remedy: Remedy, at now: Uptime) {
        guard let index = adapterIndex(of: id) else { return }
        effects += adapters[index].slotDoubted(
            after: remedy, with: slots(on: index, at: now), isRefusal: devices[id].isRefusal(at: now), at: now)
    }

    /// Takes a connection that ended just after a new one: the adapter may have made room for it.
    mutating func crowdedOut(_ id: DeviceIndex, at now: Uptime) {
        guard let index = adapterIndex(of: id), adapters[index].mayHaveMadeRoom(at: now) else {
            devices[id].history.lostAt = now
            return
        }
        // A device that also ends other connections proves nothing.
        if let lost = devices[id].history.lostAt, now - lost < Timing.habit { return }
        effects += adapters[index].madeRoom(slots(on: index, at: now), at: now)
    }

    // MARK: Air time

    /// Returns the lack of air time of an adapter; `nil` without one.
    ///
    /// - Parameter share: the part of the time that may be used.
    func shortage(on index: Int, share: Double = 1, at now: Uptime) -> AirShortage? {
        guard let turn = adapters[index].air.turn else { return nil }
        let owners = slotOwners(on: index, at: now)
        let intervals = devices.indices.compactMap {
            needsTurns($0, on: index, owners: owners) ? devices[$0].shortestInterval : nil
        }
        return AirShortage(turn: turn, intervals: intervals, share: share)
    }

    /// Whether the device needs a turn for each of its ticks.
    private func needsTurns(_ id: DeviceIndex, on index: Int, owners: SlotOwners) -> Bool {
        isConnectable(id, on: index) && devices[id].retry.isReliable
            && !(devices[id].isHeld(owners: owners) && owners.contains(devices[id].number))
    }
}
