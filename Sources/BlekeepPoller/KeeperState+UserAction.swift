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

extension ReadingFailure {
    static func needsUser(_ message: String) -> ReadingFailure { ReadingFailure(.needsUser, message) }

    /// Returns the failure of a remedy that needs the user, with the command to run.
    static func remedy(_ remedy: Remedy, for address: BluetoothAddress) -> ReadingFailure? {
        switch remedy {
        case .rebond:
            .needsUser(
                "the device has lost the keys of its pairing: run 'blekeep forget \(address)', then "
                    + "'blekeep pair \(address)'")
        case .bearer:
            .needsUser(
                "bluetoothd tries classic Bluetooth: set ControllerMode = le in /etc/bluetooth/main.conf, then "
                    + "'systemctl restart bluetooth'")
        case .blocked: .needsUser("it is blocked: run 'bluetoothctl unblock \(address)', or 'rfkill unblock bluetooth'")
        case .denied: .needsUser("no permission to use bluetoothd: run 'blekeep doctor'")
        case .stale:
            .needsUser(
                "its values no longer match what BlueZ caches of it: run 'blekeep forget \(address) --cache'")
        default: nil
        }
    }

    static let endless = needsUser(
        "its connection doesn't end and gives no values: run 'systemctl restart bluetooth'")
    static let contended = needsUser(
        "another program on this machine keeps ending its connection: stop that program, or set mode: release")
}
