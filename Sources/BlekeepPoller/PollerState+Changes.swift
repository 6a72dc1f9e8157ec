import DBus
import RunLoop

/// Changes from outside: a new configuration, an earlier run, the machine's power and its sleep.
extension PollerState {
    // MARK: Configurations

    // A device that isn't changed isn't touched: its connection stays up, and its ticks don't move.

    /// Takes the settings for all devices.
    mutating func apply(_ configuration: PollConfiguration) {
        settings.adapter = configuration.adapter
        settings.maxLinks = max(1, configuration.maxLinks)
        if settings.scan != configuration.scan { touched = (true, true) }
        settings.scan = configuration.scan
        settings.keepsLinks = configuration.onStop == .keep
        recovery.allowed = configuration.recovery
        for path in adapters.paths { adapters[path]?.slots.configured = settings.maxLinks }
    }

    mutating func reconfigure(_ new: Reconfiguration, at now: Uptime) {
        let listened = listens
        apply(new.configuration)
        log(new.changes, of: new.configuration)
        let left = devices.indices.filter { devices[$0].hasLeft }
        let leaving = Dictionary(left.map { (devices[$0].plan.address, $0) }, uniquingKeysWith: { $1 })
        for change in new.changes {
            switch (change.kind, devices.index(of: change.number)) {
            case (.joined(let setting), _):
                join(change.number, DevicePlan(setting), inPlaceOf: leaving[setting.device.address], at: now)
            case (.changed(let old, let new), let id?):
                let (fits, mode) = (new.fitsConnection(of: old), power.mode)
                update(id, at: now) { $0.replanned(DevicePlan(new), fitsConnection: fits, in: mode, at: now) }
            case (.left, let id?): update(id, at: now) { $0.left(at: now) }
            case (.changed, nil), (.left, nil): break
            }
        }
        setPlaces(new.configuration.devices)
        recall(new.earlier.inheritance, at: now)
        // Repeated packets need another discovery.
        if listens != listened { for path in adapters.paths { endDiscovery(path) } }
        for id in new.changes.compactMap({ devices.index(of: $0.number) }) { endUnneededConnection(id, at: now) }
        removeDevices(Set(left.filter { devices[$0].isGone }.map { devices[$0].number }))
        touched = (true, true)
    }

    /// Whether BlueZ must report repeated packets, so that a device with unchanged values doesn't seem to be silent.
    var listens: Bool { devices.contains { ($0.plan.mode.listens || $0.isStandingBy) && !$0.hasLeft } }

    private mutating func setPlaces(_ configured: [DeviceConfiguration]) {
        let places = Dictionary(zip(configured.map(\.address), configured.indices)) { first, _ in first }
        for id in devices.indices where !devices[id].hasLeft {
            devices[id].place = places[devices[id].plan.address] ?? devices[id].place
        }
    }

    /// - Parameter earlier: the device itself, if it was removed and may still be disconnecting.
    private mutating func join(
        _ number: DeviceNumber, _ plan: DevicePlan, inPlaceOf earlier: DeviceIndex?, at now: Uptime
    ) {
        var device = DeviceMachine(number: number, place: devices.count, plan: plan, at: now)
        if let earlier { device.inherit(from: &devices[earlier]) }
        if let end = strayEnds.removeValue(forKey: plan.address), now < end {
            device.link.waitForEnd(within: end - now, at: now)
        }
        device.watched(run.isWatched, in: power.mode, at: now)
        devices.append(device)
        outlines.append(Outline())
    }

    /// Forgets devices that left some time ago.
    private mutating func removeDevices(_ gone: Set<DeviceNumber>) {
        guard !gone.isEmpty else { return }
        for number in gone { bluez.recheck.end(.device(number)) }
        outlines.removeLast(gone.count)
        devices.removeAll { gone.contains($0.number) }
    }

    private mutating func log(_ changes: [DeviceChange], of configuration: PollConfiguration) {
        var (joined, changed, left): ([DeviceNumber], [DeviceNumber], [DeviceNumber]) = ([], [], [])
        var (disabled, elsewhere): ([DeviceNumber], [DeviceNumber]) = ([], [])
        let exclusions = Dictionary(configuration.devices.map { ($0.address, $0.exclusion) }) { first, _ in first }
        for change in changes {
            switch change.kind {
            case .joined: joined.append(change.number)
            case .changed: changed.append(change.number)
            case .left:
                let address = devices.index(of: change.number).map { devices[$0].plan.address }
                switch address.flatMap({ exclusions[$0] ?? nil }) {
                case .disabled?: disabled.append(change.number)
                case .elsewhere?: elsewhere.append(change.number)
                case .unconfigured?, nil: left.append(change.number)
                }
            }
        }
        note(.notice, left, "removed from the configuration")
        note(.notice, disabled, "disabled in the configuration")
        note(.notice, elsewhere, "left to other gateways by the configuration")
        note(.notice, changed, "changed in the configuration")
        note(.notice, joined, "polled from now on")
    }

    // MARK: Earlier runs

    /// Takes the ledger of an earlier run, before the first step.
    mutating func inherit(_ inheritance: Inheritance, at now: Uptime) {
        for id in devices.indices { devices[id].inherit(inheritance[devices[id].number], at: now) }
        recovery.switchedOff = inheritance.switchedOff
        strays = inheritance.strays
    }

    /// Takes the ledger of an earlier run, after the start.
    mutating func recall(_ inheritance: Inheritance, at now: Uptime) {
        for id in devices.indices {
            let earlier = inheritance[devices[id].number]
            if let condition = earlier.condition { devices[id].health.resume(condition) }
            if let length = earlier.pause { obey(.pause(length), on: id, at: now) }
            if earlier.identity?.habit.isTriggered == true { devices[id].listening?.isTriggered = true }
            if let claim = earlier.claim { devices[id].recalled(claim, isKnown: hasSeenFirst) }
        }
        for path in inheritance.switchedOff where adapters[path]?.facts.isPowered != true {
            recovery.switchedOff.insert(path)
        }
        strays += inheritance.strays
        if hasSeenFirst { endStrays(at: now) }
    }

    /// Ends the connections that an earlier run left to devices that aren't configured any more.
    mutating func endStrays(at now: Uptime) {
        strays.removeAll { address in devices.contains { $0.plan.address == address } }
        if !strays.isEmpty { effects.append(.endLinks(to: strays)) }
        for address in strays { strayEnds[address] = now + Timing.disconnect }
        strays = []
    }

    // MARK: Power and sleep

    mutating func powerChanged(_ status: PowerStatus, at now: Uptime) {
        let isNew = status.mode != power.mode
        power = status
        guard isNew else { return }
        let before = devices.map(\.shortestInterval)
        for id in devices.indices { devices[id].powerChanged(to: status.mode, at: now) }
        let changes = zip(before, devices).filter { !$1.hasLeft }.map { before, device in
            (number: device.number, text: Self.change(from: before, to: device.shortestInterval))
        }
        if Set(changes.map(\.text)).count == 1, let change = changes.first {
            note(.notice, nil, "\(change.text ?? "\(status.mode.rawValue) mode"): \(status.reason)")
        } else {
            let groups = Dictionary(grouping: changes.filter { $0.text != nil }) { $0.text ?? "" }
            for (text, changes) in groups.sorted(by: { $0.value[0].number < $1.value[0].number }) {
                note(.notice, changes.map(\.number), "\(text): \(status.reason)")
            }
        }
        // At the longer interval, some aren't held any more.
        for id in devices.indices { endUnneededConnection(id, at: now) }
    }

    /// Ends a connection that has no work and is no longer held.
    private mutating func endUnneededConnection(_ id: DeviceIndex, at now: Uptime) {
        guard devices[id].link.phase.isIdle, devices[id].isConnected, !devices[id].hasTick, !isHeld(id, at: now)
        else { return }
        update(id, at: now) { $0.endConnection(at: now) }
    }

    /// Sets whether a user is watching. Intervals then don't stretch, but power modes still apply.
    mutating func setWatched(_ isWatched: Bool, at now: Uptime) {
        run.isWatched = isWatched
        for id in devices.indices { devices[id].watched(isWatched, in: power.mode, at: now) }
        note(.debug, nil, isWatched ? "a user is watching: intervals don't stretch" : "no user is watching")
    }

    private static func change(from old: Duration?, to new: Duration?) -> String? {
        guard old != new else { return nil }
        return "interval \(old.map(DurationText.text) ?? "paused") → \(new.map(DurationText.text) ?? "paused")"
    }

    /// The longest search for a device. It is short in critical power mode, except in a one-off run.
    var maxSearch: Duration {
        let isSparing = power.mode == .critical && devices.allSatisfy { !$0.plan.isOneOff }
        return isSparing ? Timing.criticalSearch : AdapterMachine.Discovery.longest
    }

    /// Prepares for a sleep or a shutdown: drops the ticks in progress, and starts nothing.
    mutating func fallAsleep(_ cause: SleepCause) {
        guard !run.isSleeping else { return }
        run.isSleeping = true
        run.isSettled = false
        // The ticks in progress don't count.
        for id in devices.indices { devices[id].ticks.drop() }
        switchOnAll()
        note(.notice, nil, cause == .shutdown ? "the machine is about to shut down" : "the machine is about to sleep")
    }

    /// Continues after a sleep: queries BlueZ's objects again, and gives each device a tick.
    mutating func wakeUp(_ how: String, at now: Uptime) {
        run.isSleeping = false
        note(.notice, nil, how)
        bluez.isBlind = outage == nil
        resetAdapterEvidence()
        for path in adapters.paths { endDiscovery(path) }
        for id in devices.indices { update(id, at: now) { $0.awoke(at: now) } }
        effects.append(.refresh)
    }
}
