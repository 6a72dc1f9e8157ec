import RunLoop

/// The effects of the machine's power and sleep.
extension KeeperState {
    mutating func powerChanged(_ status: PowerStatus, _ now: Uptime) {
        let isNew = status.mode != power.mode
        power = status
        guard isNew else { return }
        let before = devices.map(\.shortestInterval)
        for id in devices.indices { devices[id].powerChanged(to: status.mode, at: now) }
        let changes = devices.filter { !$0.hasLeft }.map {
            (id: $0.id, text: Self.change(from: before[$0.id], to: $0.shortestInterval))
        }
        if Set(changes.map(\.text)).count == 1, let change = changes.first {
            note(.notice, nil, "\(change.text ?? "\(status.mode.rawValue) mode"): \(status.reason)")
        } else {
            let groups = Dictionary(grouping: changes.filter { $0.text != nil }) { $0.text ?? "" }
            for (text, changes) in groups.sorted(by: { $0.value[0].id < $1.value[0].id }) {
                note(.notice, changes.map(\.id), "\(text): \(status.reason)")
            }
        }
        // Ends connections that are no longer held at the longer interval.
        for id in devices.indices {
            if devices[id].link.phase.isIdle, devices[id].isConnected, !devices[id].hasTick, !isHeld(id, at: now) {
                perform(devices[id].connectionUnneeded(at: now), of: id, at: now)
            }
        }
    }

    /// Sets whether a user is watching. Intervals then don't stretch, but power modes still apply.
    mutating func setWatched(_ isWatched: Bool, _ now: Uptime) {
        run.isWatched = isWatched
        for id in devices.indices { devices[id].watched(isWatched, in: power.mode, at: now) }
        note(.debug, nil, isWatched ? "a user is watching: intervals don't stretch" : "no user is watching")
    }

    private static func change(from old: Duration?, to new: Duration?) -> String? {
        guard old != new else { return nil }
        return "interval \(old.map(DurationText.text) ?? "paused") → \(new.map(DurationText.text) ?? "paused")"
    }

    /// The longest search for a device. It is short in critical power mode, except in a finite run.
    var longestSearch: Duration {
        let isSparing = power.mode == .critical && devices.allSatisfy { $0.plan.count == nil }
        return isSparing ? Timing.criticalSearch : RadioQueue.Discovery.longest
    }

    /// Prepares for a sleep or a shutdown: drops the ticks in progress, and starts nothing.
    mutating func fallAsleep(_ cause: SleepCause) {
        guard !run.isSleeping else { return }
        run.isSleeping = true
        run.isSettled = false
        for id in devices.indices { devices[id].fallAsleep() }
        switchOnAll()
        note(.notice, nil, cause == .shutdown ? "the machine is about to shut down" : "the machine is about to sleep")
    }

    /// Continues after a sleep: queries BlueZ's objects again, and gives each device a tick.
    mutating func wakeUp(_ how: String, _ now: Uptime) {
        run.isSleeping = false
        note(.notice, nil, how)
        bluez.isBlind = outage == nil
        resetRadioEvidence()
        for path in adapters.paths { endDiscovery(path) }
        for id in devices.indices { perform(devices[id].awoke(at: now), of: id, at: now) }
        effects.append(.refresh)
    }
}
