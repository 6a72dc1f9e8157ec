/// The texts that the help of `blekeep` and its manual page share.
enum RootHelp {
    static let examples: [(command: String, meaning: String)] = [
        ("blekeep poll --simulate", "simulated sensors, no hardware"),
        ("blekeep scan", "nearby devices"),
        ("blekeep gatt F0:00:00:00:00:01", "services and values of a device"),
        ("blekeep read F0:00:00:00:00:01 temperature", "one value, now"),
        ("blekeep add F0:00:00:00:00:01", "the configuration of a device"),
        ("blekeep poll --once", "all configured devices, once"),
        ("blekeep history --since 1h", "stored readings"),
        ("blekeep status", "the state of each device"),
    ]

    static let exitCodes: [(code: Int, meaning: String)] = [
        (0, "good"), (1, "some failed"), (2, "wrong usage"), (3, "no bus or BlueZ"), (4, "no adapter or off"),
        (5, "not found"), (6, "not connected or nothing read"), (7, "not paired"), (75, "running already"),
        (78, "bad configuration"), (124, "timed out"),
    ]

    static var discussion: String {
        let width = examples.reduce(0) { max($0, $1.command.count) }
        let lines = examples.map { command, meaning in
            "  \(command)\(String(repeating: " ", count: width - command.count + 2))\(meaning)"
        }
        return """
            Examples:
            \(lines.joined(separator: "\n"))

            The variable BLEKEEP_CONFIG names the configuration file in place of -c, and \
            BLEKEEP_GATEWAY this gateway.

            Exit codes:
            \(wrapped(exitCodes.map { "\($0.code) \($0.meaning)" }).map { "  " + $0 }.joined(separator: "\n"))
            """
    }

    /// Joins parts with commas, to lines that a terminal of 80 columns shows whole.
    private static func wrapped(_ parts: [String]) -> [String] {
        var lines: [String] = []
        for part in parts {
            if let last = lines.last, last.count + part.count < 74 {
                lines[lines.count - 1] = "\(last), \(part)"
            } else {
                if !lines.isEmpty { lines[lines.count - 1] += "," }
                lines.append(part)
            }
        }
        return lines
    }
}
