/// What a person can do about a failure, if anything.
package enum Advice {
    /// By the failure's code; `%` stands for what the person calls the device.
    private static let byCode: [String: String] = [
        "no-bus": "Start the message bus (systemctl start dbus), or say where it is with --bus.",
        "no-bluez": "Start BlueZ (systemctl start bluetooth); 'blekeep doctor' says what keeps it from running.",
        "no-adapter": "Plug an adapter in, or name one that is there; 'blekeep adapters' lists them.",
        "adapter-off": "Turn the adapter on: bluetoothctl power on, after rfkill unblock bluetooth if it is blocked.",
        "not-found":
            "See that it is switched on, near, and not connected to a phone; 'blekeep scan' shows who is heard.",
        "connect": "Bring it nearer, charge it, or close the app that holds it; 'blekeep info %' tries it once.",
        "services": "Switch it off and on again; 'blekeep gatt %' tries it once.",
        "Timeout": "It has a link and answers nothing: switch it off and on again; 'blekeep gatt %' tries it once.",
        "NoReply": "It has a link and answers nothing: switch it off and on again; 'blekeep gatt %' tries it once.",
        "dropped": "Bring it nearer or charge it: its link comes and goes.",
        "no-point": "Name characteristics that it has: 'blekeep gatt %' lists them.",
        "nothing": "Say in the configuration what to read and how; 'blekeep gatt %' lists what it has.",
        "power": "Feed the machine, or say otherwise under 'power:' in the configuration.",
        "budget": "Read less of it, or less often: it does not answer quickly enough for its interval.",
    ]

    /// What a person can do, in one sentence.
    ///
    /// - Parameter name: what the person calls the device.
    package static func sentence(_ failure: ReadingFailure?, remedy: String?, of name: String) -> String {
        guard let failure else { return "There is nothing to do." }
        if AttemptWords.asksPerson(remedy: remedy, code: failure.code) {
            return capitalized(failure.message.isEmpty ? "run 'blekeep pair \(name)'" : failure.message) + "."
        }
        return byCode[failure.code]?.replacing("%", with: name)
            ?? "There is nothing to do: it goes on by itself; see 'blekeep doctor' if that takes too long."
    }

    private static func capitalized(_ text: String) -> String { text.prefix(1).uppercased() + text.dropFirst() }
}
