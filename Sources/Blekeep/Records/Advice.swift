/// What a person can do about a failure, if anything.
package enum Advice {
    /// What a person can do, in one sentence.
    ///
    /// - Parameter name: what the person calls the device.
    package static func sentence(_ failure: ReadingFailure?, remedy: OpenEnum<Remedy>?, of name: String) -> String {
        guard let failure else { return "There is nothing to do." }
        if AttemptWords.needsUser(remedy, failure.code) {
            return capitalized(failure.message.isEmpty ? "run 'blekeep pair \(name)'" : failure.message) + "."
        }
        return failure.code.known.flatMap { sentence($0, name) }
            ?? "There is nothing to do: it goes on by itself; see 'blekeep doctor' if that takes too long."
    }

    private static func sentence(_ code: FailureCode, _ name: String) -> String? {
        switch code {
        case .noBus: "Start the message bus (systemctl start dbus), or say where it is with --bus."
        case .noBluez: "Start BlueZ (systemctl start bluetooth); 'blekeep doctor' says what keeps it from running."
        case .bluezHung: "Restart BlueZ (systemctl restart bluetooth) if it doesn't reply again soon."
        case .noAdapter: "Plug an adapter in, or name one that is there; 'blekeep adapters' lists them."
        case .adapterOff:
            "Turn the adapter on: bluetoothctl power on, after rfkill unblock bluetooth if it is blocked."
        case .power: "Feed the machine, or say otherwise under 'power:' in the configuration."
        case .notFound:
            "See that it is switched on, near, and not connected to a phone; 'blekeep scan' shows who is heard."
        case .connect:
            "Bring it nearer, charge it, or close the app that holds it; 'blekeep info \(name)' tries it once."
        case .services: "Switch it off and on again; 'blekeep gatt \(name)' tries it once."
        case .timeout, .noReply:
            "It has a link and answers nothing: switch it off and on again; 'blekeep gatt \(name)' tries it once."
        case .dropped: "Bring it nearer or charge it: its link comes and goes."
        case .noPoint: "Name characteristics that it has: 'blekeep gatt \(name)' lists them."
        case .nothing: "Say in the configuration what to read and how; 'blekeep gatt \(name)' lists what it has."
        case .budget: "Read less of it, or less often: it does not answer quickly enough for its interval."
        case .noKey: "Add the device's key to the configuration: it encrypts what it advertises."
        case .badKey: "Check the device's key in the configuration."
        case .noCipher: "Install libgcrypt20: blekeep can't decrypt what the device advertises without it."
        case .needsUser, .silent, .late, .vanished, .stale, .badLength, .badFormat, .badVersion, .replay, .rest,
            .powerCycle, .restart, .replug, .refused, .recovered, .forget, .preferLowEnergy, .noNewLinks, .newLinks,
            .noAirTime,
            .airTime:
            nil
        }
    }

    /// What a person can do where an adapter has too little time for all its devices.
    package static func sentence(_ shortage: AirShortage, of adapter: String) -> String {
        "It is read less often than it should be: \(shortage.words(of: adapter)). Poll less often, or add an adapter."
    }

    private static func capitalized(_ text: String) -> String { text.prefix(1).uppercased() + text.dropFirst() }
}
