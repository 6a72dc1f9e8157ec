/// Advice for the user about a failure.
package enum Advice {
    /// Returns the advice in a sentence.
    ///
    /// - Parameter name: the user's name for the device.
    package static func sentence(_ failure: ReadingFailure?, remedy: Remedy?, of name: String) -> String {
        guard let failure else { return "There is nothing to do." }
        if AttemptMessages.needsUser(remedy.map { .known($0) }, failure.code) {
            return capitalized(failure.message.isEmpty ? "run 'blekeep pair \(name)'" : failure.message) + "."
        }
        return failure.code.known.flatMap { sentence($0, name) }
            ?? "There is nothing to do: blekeep keeps trying. If that takes too long, run 'blekeep doctor'."
    }

    private static func sentence(_ code: FailureCode, _ name: String) -> String? {
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
            "Move the device closer, charge it, or close the app that uses it. 'blekeep gatt \(name)' tries it once."
        case .services: "Switch the device off and on. 'blekeep gatt \(name)' tries it once."
        case .timeout, .noReply:
            "The device is connected but doesn't reply: switch it off and on. 'blekeep gatt \(name)' tries it once."
        case .noAnswer:
            "Move the device closer, close the app that uses it, or check its recipe. 'blekeep recipes' lists all."
        case .badAnswer: "Check that the device is the one that its recipe is for. 'blekeep recipes' lists all."
        case .dropped: "Move the device closer or charge it: its connection is unstable."
        case .noPoint: "Configure characteristics that the device has. 'blekeep gatt \(name)' lists them."
        case .nothing: "Configure what to read and how to decode it. 'blekeep gatt \(name)' lists what the device has."
        case .budget: "Read fewer values, or read less often: the device is too slow for its interval."
        case .noKey: "Add the device's key to the configuration: it encrypts what it advertises."
        case .badKey: "Check the device's key in the configuration."
        case .notEncrypted: "Remove 'key:' of the device if its advertisements are no longer encrypted."
        case .noFilter, .needsUser, .silent, .late, .vanished, .stale, .badLength, .badFormat, .badVersion, .replay,
            .rest,
            .powerCycle, .restart, .replug, .refused, .recovered, .forget, .preferLowEnergy, .newCounter, .noNewLinks,
            .newLinks, .noAirTime, .airTime:
            nil
        }
    }

    /// Returns the advice for an adapter without enough air time.
    package static func sentence(_ shortage: AirShortage, of adapter: String) -> String {
        "It is read less often than it should be: \(shortage.message(of: adapter)). Poll less often, or add an adapter."
    }

    private static func capitalized(_ text: String) -> String { text.prefix(1).uppercased() + text.dropFirst() }
}
