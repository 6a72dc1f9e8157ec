import RunLoop

/// Devices that only the user can help. blekeep tries them every 15 minutes, and as soon as something about them changes.
extension KeeperState {
    /// Pauses a device, and reports what the user must do.
    mutating func waitForUser(
        _ id: DeviceIndex, in phase: Attempt.Phase, _ failure: ReadingFailure, _ remedy: Remedy, _ now: Uptime
    ) {
        devices[id].retry.userActionNeeded = failure
        devices[id].health.remember(failure)
        devices[id].retry.notBefore = now + Timing.waitForUser
        report(id, Attempt(phase: phase, failure: failure, remedy: remedy, pause: Timing.waitForUser), now)
        giveUpTick(id, now)
    }

    /// Something changed that may have helped: it is tried at once.
    mutating func endWaitForUser(_ id: DeviceIndex, _ now: Uptime) {
        guard devices[id].retry.userActionNeeded != nil else { return }
        devices[id].retry.userActionNeeded = nil
        devices[id].retry.notBefore = now
        note(.notice, id, "trying again, because the device's state in BlueZ changed")
    }
}
