import DBus
import RunLoop

/// The messages about recovery in the log, `blekeep why` and `blekeep status`.
enum RecoveryMessages {
    static func rested(_ path: ObjectPath, _ evidence: (devices: Int, failures: Int)) -> String {
        let devices = evidence.devices == 1 ? "its device" : "\(evidence.devices) devices"
        return "\(path.name) reached none of \(devices) in \(evidence.failures) attempts; it was paused for "
            + DurationText.text(AdapterEscalation.rest)
    }

    static func cycled(_ path: ObjectPath, _ error: BusError?) -> String {
        guard let error else { return "turned \(path.name) off and on, because it reached no device" }
        return "can't turn \(path.name) off and on (\(error))"
    }

    static func restarted(_ error: BusError?, isDenied: Bool) -> String {
        guard let error else { return "systemd restarts bluetoothd, because blekeep reached no device" }
        guard isDenied else { return "systemd didn't restart bluetoothd (\(error))" }
        return "no permission to restart bluetoothd: allow org.freedesktop.systemd1.manage-units for "
            + "bluetooth.service in a polkit rule, or take restart_bluetooth out of 'recovery:'"
    }

    static func replug(_ path: ObjectPath, allowed: Set<RecoveryStep>) -> String {
        let message =
            "\(path.name) may be stuck, because it reaches no device: make sure that the devices are on and near; if so, "
            + "unplug the adapter and plug it in again"
        let rest = [RecoveryStep.powerCycle, .restartBluetooth].filter { !allowed.contains($0) }
        if rest.isEmpty { return message }
        return message + ", or allow " + rest.map(\.rawValue).joined(separator: " and ") + " under 'recovery:'"
    }

    static func refused(_ step: AdapterEscalation.Step, _ path: ObjectPath, links: Int?) -> String {
        let what =
            step == .restart ? "not restarting bluetoothd" : "not turning \(path.name) off and on"
        guard let links else { return "\(what), because bluetoothd doesn't report the connections of other programs" }
        return "\(what), because other programs have \(links == 1 ? "a connection" : "\(links) connections")"
    }

    static func noNewLinks(_ path: ObjectPath, _ stall: ConnectStall, at now: Uptime) -> String {
        "\(path.name) can't make new connections: \(stall.attempts) attempts to \(stall.devices) nearby devices "
            + "failed in \(span(since: stall.since, now)); open connections go on"
    }

    static func newLinks(_ path: ObjectPath, _ stall: ConnectStall, at now: Uptime) -> String {
        "\(path.name) makes new connections again, after \(span(since: stall.since, now)) and "
            + "\(stall.attempts) failed attempts"
    }

    private static func span(since: Uptime, _ now: Uptime) -> String {
        AttemptMessages.span(from: 0, to: (now - since).wholeMilliseconds)
    }

    static func forgotten(_ name: String, _ error: BusError?) -> String {
        guard let error else {
            return
                "\(name): removed from BlueZ's cache, because its values no longer match; searching again"
        }
        return "\(name): can't remove it from BlueZ's cache (\(error))"
    }

    static func preferred(_ name: String, _ error: BusError?) -> String {
        guard let error else { return "\(name): set BlueZ to prefer Low Energy, because it tries classic Bluetooth" }
        return "\(name): can't set BlueZ to prefer Low Energy (\(error))"
    }

    static func helped(_ step: AdapterEscalation.Step, _ path: ObjectPath) -> String {
        switch step {
        case .rest: "\(path.name) works again, after a pause"
        case .powerCycle: "\(path.name) works again, after it was turned off and on"
        case .restart: "\(path.name) works again, after bluetoothd was restarted"
        case .replug: "\(path.name) works again"
        }
    }
}
