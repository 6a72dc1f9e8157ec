import RunLoop

/// What the machine's power and sleep do to the keeper.
extension KeeperState {
    mutating func powerChanged(_ status: PowerStatus, _ now: Uptime) {
        let isNew = status.mode != power.mode
        power = status
        guard isNew else { return }
        let before = devices.map(\.shortestInterval)
        for id in devices.indices { devices[id].pace(for: status.mode, at: now) }
        let changes = devices.map { Self.change(from: before[$0.id], to: $0.shortestInterval) }
        if Set(changes).count == 1, let change = changes.first {
            note(.notice, nil, "\(change ?? "\(status.mode.rawValue) mode"): \(status.reason)")
        } else {
            for (id, change) in changes.enumerated() {
                if let change { note(.notice, id, "\(change): \(status.reason)") }
            }
        }
        // Links that were worth holding at the quicker rhythm.
        for id in devices.indices {
            if devices[id].link.phase.isIdle, devices[id].isConnected, !devices[id].hasTick, !isHeld(id, at: now) {
                disconnect(id, now)
            }
        }
    }

    /// Foreground: what stretches while nothing is new comes at its interval for as long as somebody looks. What the
    /// power mode asks for holds in the foreground, too.
    mutating func attend(_ isAttended: Bool, _ now: Uptime) {
        for id in devices.indices { devices[id].attend(isAttended, in: power.mode, at: now) }
        note(.debug, nil, isAttended ? "somebody looks: no interval stretches" : "nobody looks any more")
    }

    private static func change(from old: Duration?, to new: Duration?) -> String? {
        guard old != new else { return nil }
        return "interval \(old.map(DurationText.text) ?? "paused") → \(new.map(DurationText.text) ?? "paused")"
    }

    /// Whether the radio may be used to search for it: on the last of a battery only within a tick of its own.
    func maySearch(_ id: DeviceID) -> Bool { power.mode < .critical || devices[id].hasTick }

    /// How long a device is searched for that does not show: on the last of a battery not for long, unless somebody
    /// asks in person.
    var longestSearch: Duration {
        let isSparing = power.mode == .critical && devices.allSatisfy { $0.plan.count == nil }
        return isSparing ? Timing.criticalSearch : RadioQueue.Discovery.longest
    }

    /// Nothing more is started; the ticks under way are dropped, as they say nothing of the devices.
    mutating func fallAsleep(_ cause: SleepCause) {
        guard !run.isSleeping else { return }
        run.isSleeping = true
        run.isSettled = false
        for id in devices.indices { devices[id].dropTick() }
        switchOnAll()
        note(.notice, nil, cause == .shutdown ? "the machine is about to shut down" : "the machine is about to sleep")
    }

    /// Everything from before is void: what BlueZ has is asked anew, and each device has one tick.
    mutating func wakeUp(_ how: String, _ now: Uptime) {
        run.isSleeping = false
        note(.notice, nil, how)
        reach.isBlind = outage == nil
        excuseRadios()
        for path in adapters.paths { endDiscovery(path) }
        for id in devices.indices {
            giveUpAttempt(id, now)
            devices[id].dropTick()
            // What was ours is ours still, should it have outlived the sleep.
            keepClaim(on: id)
            devices[id].facts = nil
            loseSight(of: id)
            devices[id].resume(at: now)
        }
        effects.append(.refresh)
    }
}
