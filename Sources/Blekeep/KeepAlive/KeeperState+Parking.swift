import RunLoop

/// Devices that only a person can help: left alone, tried again four times an hour, or as soon as something changed.
extension KeeperState {
    /// Leaves a device alone, and says what a person has to do.
    mutating func park(
        _ id: DeviceID, in phase: Attempt.Phase, _ failure: ReadingFailure, _ remedy: Remedy, _ now: Uptime
    ) {
        devices[id].retry.parked = failure
        devices[id].health.remember(failure)
        devices[id].retry.notBefore = now + Timing.parked
        report(id, Attempt(phase: phase, failure: failure, remedy: remedy, pause: Timing.parked), now)
        giveUpTick(id, now)
    }

    /// Something changed that may have helped: it is tried at once.
    mutating func unpark(_ id: DeviceID, _ now: Uptime) {
        guard devices[id].retry.parked != nil else { return }
        devices[id].retry.parked = nil
        devices[id].retry.notBefore = now
        note(.notice, id, "tried again, as something about it has changed")
    }
}

extension ReadingFailure {
    static func needsUser(_ message: String) -> ReadingFailure { ReadingFailure(.needsUser, message) }

    /// What only a person can help, as a sentence with the next step.
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
        case .denied: .needsUser("this user may not talk to bluetoothd: run 'blekeep doctor'")
        case .stale:
            .needsUser(
                "its values no longer fit what BlueZ remembers of it: run 'blekeep forget \(address) --cache'")
        default: nil
        }
    }

    static let endless = needsUser("its link does not end and gives no values: run 'systemctl restart bluetooth'")
    static let contended = needsUser(
        "another program on this machine ends its link again and again: stop that program, or set mode: release")
}
