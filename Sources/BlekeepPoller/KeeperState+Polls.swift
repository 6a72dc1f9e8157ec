import RunLoop

/// The results of polls.
extension KeeperState {
    mutating func polled(_ id: DeviceIndex, _ link: Int, _ result: PollResult, _ now: Uptime) {
        guard devices[id].link.polled(on: link) else { return }
        if !devices[id].isConnected { abandonLink(id) }
        devices[id].health.missed(result.failure)
        if result.values > 0 { succeeded(id, result, now) }
        // The connection or the objects may be gone without a signal.
        if result.values == 0, result.failure != nil { recheck.hurry(at: now) }
        if let ending = result.ending {
            if devices[id].isConnected { disconnect(id, now) }
            let mayRelink = devices[id].relink()
            if result.values == 0, mayRelink, ending != .wait { return }
        }
        if result.misfits >= Timing.misfitsUntilUserNeeded,
            let failure = Remedy.stale.userAction(for: devices[id].plan.address)
        {
            if forgetStale(id, now) { return }
            if devices[id].isConnected { disconnect(id, now) }
            return waitForUser(id, in: .read, failure, .stale, now)
        }
        guard devices[id].hasTick else { return }
        if result.values == 0, let failure = result.failure {
            // An answer of the device, even an error, shows that the adapter works.
            let isRadio = result.silences > 0 || result.ending != nil && result.ending != .wait
            if isRadio, aboveCause(of: id) == nil { radioFailed(id, now) }
            pollFailed(id, failure, result.ending, now)
        }
        endTick(id, good: result.values > 0)
        let outcome: TickOutcome = result.values == 0 ? .failed : result.isNew ? .newData : .noData
        devices[id].adapt(to: outcome, in: power.mode, at: now)
        if !isHeld(id, at: now) { disconnect(id, now) }
    }

    private mutating func pollFailed(
        _ id: DeviceIndex, _ failure: ReadingFailure, _ ending: Remedy?, _ now: Uptime
    ) {
        devices[id].health.remember(failure)
        guard aboveCause(of: id) == nil, ending != .wait else { return }
        let pause = devices[id].retry.backoff.fail()
        devices[id].retry.wait(pause, at: now)
        let nextTick = ending != nil && isHeld(id, at: now) ? nil : devices[id].untilNextTick(at: now)
        report(id, Attempt(phase: .read, failure: failure, remedy: ending, pause: pause, nextTick: nextTick), now)
    }

    private mutating func succeeded(_ id: DeviceIndex, _ result: PollResult, _ now: Uptime) {
        devices[id].contact.readAt = now
        devices[id].history.isSubscribed = result.isSubscribed
        devices[id].retry.backoff.succeed()
        radioWorks(id)
        devices[id].retry.notBefore = .start
        report(id, Attempt(phase: .read, failure: result.failure), now)
        if !isBondInDoubt(id, now) { devices[id].retry.userActionNeeded = nil }
    }
}
