import DBus
import RunLoop

/// Devices with the modes `passive`, which blekeep never connects, and `heard`, which it connects just after it heard them.
///
/// Discovery runs for them, except while another device connects.
extension KeeperState {
    mutating func heard(_ hearing: Hearing?, of id: DeviceID, _ now: Uptime) {
        guard devices[id].plan.mode.listens else { return }
        devices[id].listening?.hear(hearing, at: now)
        guard devices[id].plan.mode == .passive, devices[id].health.condition.trouble != nil, hearing != nil,
            devices[id].listening?.failure == nil
        else { return }
        report(id, Attempt(phase: .search), now)
    }

    /// Ends a passive device's tick when it has a result.
    mutating func listen(_ id: DeviceID, _ now: Uptime) {
        guard let state = devices[id].listening else { return }
        if devices[id].isPaused || cause(of: id) != nil {
            devices[id].listening?.rest(at: now)
            return
        }
        guard devices[id].plan.mode == .passive, let tick = devices[id].tick else { return }
        if state.wasHeard { return endListening(id, now) }
        // The first tick and the ticks of a finite run wait for the device.
        guard devices[id].plan.count == nil else { return }
        if power.mode == .critical ? now >= listenUntil(id) : tick.number > 1 { endListening(id, now) }
    }

    /// Returns until when to listen to a passive device in critical power mode: a short time in each tick.
    func listenUntil(_ id: DeviceID) -> Uptime {
        guard power.mode == .critical, devices[id].plan.mode == .passive, let tick = devices[id].tick
        else { return .never }
        return tick.deadline + longestSearch
    }

    /// Ends a tick because the next one is due.
    mutating func endOverdueTick(_ id: DeviceID, _ now: Uptime) {
        guard devices[id].plan.mode.listens, cause(of: id) == nil else {
            return giveUpTick(id, now)
        }
        // A device that blekeep heard but couldn't read failed. A device out of range didn't.
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
        devices[id].listening?.restart()
        let interval = devices[id].shortestInterval ?? devices[id].plan.shortestInterval
        if let failure = state.failure { return failListening(id, failure, now) }
        let wasHeard = state.wasHeard && devices[id].plan.mode == .passive
        if !wasHeard, devices[id].plan.count != nil, !state.isKnown {
            return failListening(id, .notHeard, now)
        }
        if !wasHeard, state.isSilent(every: interval, at: now) {
            let silence = DurationText.text(.seconds(state.silence(at: now).components.seconds))
            return failListening(
                id, ReadingFailure(.silent, "blekeep didn't hear the device for \(silence)"), now)
        }
        if wasHeard { report(id, Attempt(phase: .search), now) }
        endTick(id, good: true)
        devices[id].adapt(to: state.hasNews ? .newData : .noData, in: power.mode, at: now)
    }

    private mutating func failListening(_ id: DeviceID, _ failure: ReadingFailure, _ now: Uptime) {
        devices[id].health.remember(failure)
        report(id, Attempt(phase: .search, failure: failure, remedy: .wait), now)
        giveUpTick(id, now)
        devices[id].adapt(to: .failed, in: power.mode, at: now)
    }
}
