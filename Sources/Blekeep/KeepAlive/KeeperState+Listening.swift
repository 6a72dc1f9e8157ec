import DBus
import RunLoop

/// Devices that are listened to: `passive` ones are never connected, `heard` ones only when they were just heard.
///
/// Discovery is held for them, and gives way whenever somebody is to be connected.
extension KeeperState {
    mutating func heard(_ hearing: Hearing?, of id: DeviceID, _ now: Uptime) {
        guard devices[id].plan.mode.listens else { return }
        devices[id].listening?.hear(hearing, at: now)
        guard devices[id].plan.mode == .passive, devices[id].health.verdict.trouble != nil, hearing != nil,
            devices[id].listening?.failure == nil
        else { return }
        report(id, Attempt(phase: .search), now)
    }

    /// Ends a passive device's tick when there is something to say of it.
    mutating func listen(_ id: DeviceID, _ now: Uptime) {
        guard let state = devices[id].listening else { return }
        if cause(of: id) != nil {
            devices[id].listening?.rest(at: now)
            return
        }
        guard devices[id].plan.mode == .passive, let tick = devices[id].tick else { return }
        if state.wasHeard { return endListening(id, now) }
        // Nothing can have been heard before the first tick; and a run of so many ticks is worth a wait.
        guard devices[id].plan.count == nil else { return }
        if power.mode == .critical ? now >= listenUntil(id) : tick.number > 1 { endListening(id, now) }
    }

    /// On the last of a battery a passive device is listened to for a little while in each tick, and not between.
    func listenUntil(_ id: DeviceID) -> Uptime {
        guard power.mode == .critical, devices[id].plan.mode == .passive, let tick = devices[id].tick
        else { return .never }
        return tick.deadline + longestSearch
    }

    /// A tick is over because the next one is due.
    mutating func endOverdueTick(_ id: DeviceID, _ now: Uptime) {
        guard devices[id].plan.mode.listens, cause(of: id) == nil else {
            return giveUpTick(id, now)
        }
        // Who was heard and then could not be read has failed; who was not heard has nothing to say.
        if devices[id].plan.mode == .heard, let lastHeardAt = devices[id].contact.lastHeardAt,
            let tick = devices[id].tick,
            lastHeardAt + Timing.justHeard > tick.deadline
        {
            return giveUpTick(id, now)
        }
        endListening(id, now)
    }

    private mutating func endListening(_ id: DeviceID, _ now: Uptime) {
        guard let state = devices[id].listening else { return }
        devices[id].listening?.beginAnew()
        let interval = devices[id].shortestInterval ?? devices[id].plan.shortestInterval
        if let failure = state.failure { return failListening(id, failure, now) }
        let wasHeard = state.wasHeard && devices[id].plan.mode == .passive
        if !wasHeard, devices[id].plan.count != nil, !state.isKnown {
            return failListening(id, .notHeard, now)
        }
        if !wasHeard, state.isSilent(every: interval, at: now) {
            let silence = DurationText.text(.seconds(state.silence(at: now).components.seconds))
            return failListening(
                id, ReadingFailure(.silent, "nothing was heard of the device for \(silence)"), now)
        }
        if wasHeard { report(id, Attempt(phase: .search), now) }
        devices[id].endTick(good: true)
        devices[id].adapt(to: state.hasNews ? .newData : .noData, in: power.mode, at: now)
    }

    private mutating func failListening(_ id: DeviceID, _ failure: ReadingFailure, _ now: Uptime) {
        devices[id].health.remember(failure)
        report(id, Attempt(phase: .search, failure: failure, remedy: .wait), now)
        giveUpTick(id, now)
        devices[id].adapt(to: .failed, in: power.mode, at: now)
    }
}
