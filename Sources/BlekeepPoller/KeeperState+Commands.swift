import RunLoop

/// The commands of users.
extension KeeperState {
    mutating func obey(_ action: KeeperCommand.Action, _ id: DeviceIndex, _ now: Uptime) {
        guard devices.indices.contains(id), !run.isStopping else { return }
        switch action {
        case .poll, .write: pollNow(id, now)
        case .pause(let length): pause(id, length, now)
        case .resume: resume(id, now)
        }
    }

    /// Makes a tick due, and shortens the pause after a failure.
    private mutating func pollNow(_ id: DeviceIndex, _ now: Uptime) {
        guard !devices[id].isPaused else { return }
        devices[id].retry.hurry(at: now)
        devices[id].requestTick(at: now)
    }

    private mutating func pause(_ id: DeviceIndex, _ length: PauseLength, _ now: Uptime) {
        let end = length.end(from: now)
        guard end > now, devices[id].ticks.pausedUntil != end else { return }
        devices[id].pause(until: end)
        let text = if case .time(let time) = length { "for \(DurationText.text(time))" } else { "until it is resumed" }
        note(.notice, id, "paused by a user \(text)")
        guard devices[id].isPaused else { return }
        devices[id].dropTick()
        release(id, now)
    }

    private mutating func resume(_ id: DeviceIndex, _ now: Uptime) {
        guard devices[id].ticks.pausedUntil != nil else { return }
        devices[id].endPause(at: now)
        note(.notice, id, "resumed by a user")
    }

    /// Ends a pause that is over.
    mutating func endPause(_ id: DeviceIndex, _ now: Uptime) {
        guard let end = devices[id].ticks.pausedUntil, now >= end else { return }
        devices[id].endPause(at: now)
        note(.notice, id, "resumed, because the user's pause is over")
    }
}
