import BlekeepRecords

/// What the user of the program can do about a failure. The library's messages say what is needed; the commands of
/// `blekeep` that do it are named here alone.
package enum Advice {
    /// Returns the command that helps, such as `run 'blekeep pair C0:…'`; `nil` when the message of the failure says all.
    ///
    /// - Parameter device: the name or the address of the device; `nil` for a failure that concerns all devices.
    package static func command(_ code: FailureCode?, of device: String?) -> String? {
        switch (code, device) {
        case (.needsPairing, let device?): "run 'blekeep pair \(device)'"
        case (.lostKeys, let device?), (.crashesBluez, let device?):
            "run 'blekeep forget \(device)', then 'blekeep pair \(device)'"
        case (.staleCache, let device?): "run 'blekeep forget \(device) --cache'"
        case (.nothing, let device?): "'blekeep gatt \(device)' lists what the device has"
        case (.noKey, let device?): "'blekeep set \(device) key FILE' names the file with its key"
        case (.noFormat, _?): "'blekeep scan' shows what it advertises"
        case (.noPermission, _), (.noDiscovery, _): "run 'blekeep doctor'"
        default: nil
        }
    }

    /// Returns the message of a failure, with the command that helps.
    ///
    /// - Parameter device: `nil` for a failure that concerns all devices.
    package static func message(_ failure: ReadingFailure, of device: BluetoothAddress? = nil) -> String {
        let command = command(failure.code.known, of: device?.description)
        return "\(failure)\(command.map { ": \($0)" } ?? "")"
    }

    /// Returns the state of an adapter, such as `on`, with what helps.
    package static func message(_ adapter: GatewayStatus.Adapter, now: Int64) -> String {
        guard let trouble = adapter.trouble else {
            guard adapter.isOn else { return "off" }
            return switch adapter.listening {
            case .passive: "on, listens passively"
            case .windows: "on, listens in windows"
            case .open: "on, listens without a pause"
            case .deaf: "on, hears no advertisements: `scan` is `passive`, which 'blekeep doctor' says how to allow"
            case nil: "on"
            }
        }
        let isShown = [.noDiscovery, .noFilter].contains(trouble.code)
        return trouble.message(now: now) + (isShown ? ", as 'blekeep doctor' shows" : "")
    }

    /// Returns the advice in a sentence.
    ///
    /// - Parameter name: the user's name for the device.
    package static func sentence(_ failure: ReadingFailure?, remedy: Remedy?, of name: String) -> String {
        guard let failure else { return "There is nothing to do." }
        if AttemptMessages.needsUser(remedy.map { .known($0) }, code: failure.code) {
            let command = command(failure.code.known, of: name)
            return "\(failure.description.prefix(1).uppercased())\(failure.description.dropFirst())"
                + "\(command.map { ": \($0)" } ?? "")."
        }
        return failure.code.known.flatMap { sentence($0, of: name) }
            ?? "There is nothing to do: blekeep keeps trying. If that takes too long, run 'blekeep doctor'."
    }

    private static func sentence(_ code: FailureCode, of name: String) -> String? {
        switch code {
        case .noBus: "Start the message bus (systemctl start dbus), or pass its address with --bus."
        case .noBluez: "Start BlueZ (systemctl start bluetooth). 'blekeep doctor' shows what prevents that."
        case .bluezHung: "Restart BlueZ (systemctl restart bluetooth) if it doesn't reply again soon."
        case .noAdapter: "Plug in an adapter, or name one that exists. 'blekeep adapters' lists them."
        case .adapterOff:
            "Turn the adapter on: bluetoothctl power on, after rfkill unblock bluetooth if it is blocked."
        case .noDiscovery: "Restart BlueZ (systemctl restart bluetooth). 'blekeep doctor' shows what it refuses."
        case .power: "Plug in the charger, or change 'power:' in the configuration."
        case .notFound:
            "Make sure the device is on, in range and not connected to a phone. 'blekeep scan' lists nearby devices."
        case .connect:
            "Move the device closer, charge it, or close the app that uses it; one that only advertises needs `mode: passive`. "
                + "'blekeep gatt \(name)' tries it once."
        case .services: "Switch the device off and on. 'blekeep gatt \(name)' tries it once."
        case .timeout, .noReply:
            "The device is connected but doesn't reply: switch it off and on. 'blekeep gatt \(name)' tries it once."
        case .noAnswer:
            "Move the device closer, close the app that uses it, or check its recipe. 'blekeep recipes' lists all."
        case .badAnswer:
            "Move the device closer if this happens now and then. If it happens each time, check the recipe's `frame` and "
                + "`check`, or whether the recipe is for another device. 'blekeep recipes' lists all."
        case .dropped: "Move the device closer or charge it: its connection is unstable."
        case .noPoint: "Configure characteristics that the device has. 'blekeep gatt \(name)' lists them."
        case .noField: "Correct 'fields:' or 'derive:' of the device. 'blekeep scan' shows what it advertises."
        case .noFormat:
            "Check 'format:' and 'mode:' of the device. 'blekeep scan' shows what it advertises."
        case .nothing: "Configure what to read and how to decode it. 'blekeep gatt \(name)' lists what the device has."
        case .budget: "Read fewer values, or read less often: the device is too slow for its interval."
        case .badKey: "'blekeep set \(name) key FILE' names another file with the device's key."
        case .notEncrypted: "Remove 'key:' of the device if its advertisements are no longer encrypted."
        default: nil
        }
    }

    /// Returns the advice for an adapter without enough air time.
    package static func sentence(_ shortage: AirShortage, of adapter: String) -> String {
        "It is read less often than it should be: \(shortage.message(of: adapter)). Poll less often, or add an adapter."
    }
}

extension PollExclusion {
    /// What the user can do.
    ///
    /// - Parameter name: the device's name, as commands take it.
    package func advice(for name: String, at address: BluetoothAddress) -> String {
        switch self {
        case .disabled: "'blekeep set \(DeviceNames.argument(name, at: address)) enabled true' enables it"
        case .elsewhere: "see 'gateways' in the configuration"
        case .unconfigured: "'blekeep add \(address)' adds it"
        }
    }
}

extension DeviceConfiguration {
    /// The sentence about a device that `poll` doesn't read; `nil` for one that it reads.
    package var exclusionMessage: String? {
        exclusion.map { "\(name) is \($0.state); \($0.advice(for: name, at: address))" }
    }
}

extension DeviceGroup {
    /// Returns the message that says that a group has no devices, or that `poll` reads none of them.
    package func emptyMessage(_ devices: [DeviceConfiguration]) -> String {
        let excluded = members(of: devices).compactMap { device in device.exclusion.map { (device.name, $0) } }
        guard !excluded.isEmpty else { return emptyMessage(devices.flatMap(\.tags)) }
        let states = excluded.map { "\($0) is \($1.state)" }.joined(separator: ", ")
        let next = excluded.contains { $1 == .disabled } ? "; 'blekeep set DEV enabled true' enables one" : ""
        return "blekeep polls no device\(tag.map { " with the tag '\($0)'" } ?? ""): \(states)\(next)"
    }
}
