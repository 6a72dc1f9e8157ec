import RunLoop

/// New configurations. A device that isn't changed isn't touched: its connection stays up, and its ticks don't move.
extension KeeperState {
    /// Takes the settings for all devices.
    mutating func apply(_ configuration: PollConfiguration) {
        settings.adapter = configuration.adapter
        settings.maxLinks = max(1, configuration.maxLinks)
        settings.keepsLinks = configuration.onStop == .keep
        recovery.allowed = configuration.recovery
        for path in adapters.paths { adapters[path]?.queue.slots.configured = settings.maxLinks }
    }

    mutating func reconfigure(_ new: Reconfiguration, _ now: Uptime) {
        let listened = listens
        apply(new.configuration)
        log(new.changes)
        for change in new.changes {
            switch change.kind {
            case .joined(let setting): join(change.id, DevicePlan(setting), now)
            case .changed(let old, let new):
                self.change(change.id, DevicePlan(new), fitsConnection: new.fitsConnection(of: old), now)
            case .left: leave(change.id, now)
            }
        }
        setPlaces(new.configuration.devices)
        recall(new.earlier.inheritance, now)
        // Repeated packets need another discovery.
        if listens != listened { for path in adapters.paths { endDiscovery(path) } }
        // Ends connections that are no longer held.
        for change in new.changes where devices[change.id].link.phase.isIdle && devices[change.id].isConnected {
            if !devices[change.id].hasTick, !isHeld(change.id, at: now) { disconnect(change.id, now) }
        }
        shown.touchAll()
    }

    /// Whether BlueZ must report repeated packets, so that a device with unchanged values doesn't seem to be silent.
    var listens: Bool { devices.contains { $0.plan.mode.listens && !$0.hasLeft } }

    private mutating func setPlaces(_ configured: [DeviceConfiguration]) {
        let places = Dictionary(zip(configured.map(\.address), configured.indices)) { first, _ in first }
        for id in devices.indices where !devices[id].hasLeft {
            devices[id].place = places[devices[id].plan.address] ?? devices[id].place
        }
    }

    private mutating func join(_ id: DeviceIndex, _ plan: DevicePlan, _ now: Uptime) {
        var device = DeviceState(id: id, place: id, plan: plan, at: now)
        if devices.indices.contains(id) {
            device.inherit(from: devices[id])
            devices[id] = device
            shown.devices[id] = nil
        } else {
            devices.append(device)
            shown.devices.append(nil)
        }
        devices[id].setWatched(run.isWatched, in: power.mode, at: now)
    }

    private mutating func change(_ id: DeviceIndex, _ plan: DevicePlan, fitsConnection: Bool, _ now: Uptime) {
        devices[id].change(to: plan, in: power.mode, at: now)
        let hadTick = devices[id].hasTick
        devices[id].dropTick()
        if fitsConnection {
            if devices[id].link.phase.isPolling { abandonLink(id, staysUp: devices[id].isConnected) }
            if devices[id].isConnected { devices[id].link.unsubscribed() }
        } else {
            release(id, now)
        }
        if hadTick || !fitsConnection, !devices[id].isPaused { devices[id].requestTick(at: now) }
        devices[id].retry.hurry(at: now)
    }

    private mutating func leave(_ id: DeviceIndex, _ now: Uptime) {
        devices[id].leave()
        release(id, now)
    }

    private mutating func log(_ changes: [Roster.Change]) {
        var (joined, changed, left): ([DeviceIndex], [DeviceIndex], [DeviceIndex]) = ([], [], [])
        for change in changes {
            switch change.kind {
            case .joined: joined.append(change.id)
            case .changed: changed.append(change.id)
            case .left: left.append(change.id)
            }
        }
        note(.notice, left, "removed from the configuration")
        note(.notice, changed, "changed in the configuration")
        note(.notice, joined, "added to the configuration")
    }

    /// Whether no work is left for a device that has left the configuration. A device may have left before its `joined` was
    /// handled.
    func isFree(_ id: DeviceIndex) -> Bool {
        devices.indices.contains(id) && devices[id].hasLeft && devices[id].link.phase == .released && claims[id] == nil
    }
}
