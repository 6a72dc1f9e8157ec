/// Allows common options before the command: `blekeep -a hci1 scan`.
enum GlobalFlags {
    private static let withValue: Set<String> = [
        "-c", "--config", "-a", "--adapter", "--bus", "--timeout", "--log-level",
    ]
    /// The commands that consist of others.
    private static let groups: Set<String> = ["config", "fleet", "recipes"]
    private static let without: Set<String> = ["--json", "-v", "-vv", "--verbose", "-q", "--quiet", "--no-color"]

    /// Returns a negative number with a space before it, because the parser takes it for an option.
    private static func spaced(_ argument: String) -> String {
        argument.hasPrefix("-") && argument.dropFirst().first.map { $0.isNumber || $0 == "." } == true
            ? " \(argument)" : argument
    }

    /// Returns the arguments with these options after the command's name, where the parser expects them.
    static func moved(_ arguments: [String], commands: Set<String>) -> [String] {
        // The parser ignores the value in `--simulate=flaky`, because the option may also be a flag.
        let prefix = "--simulate="
        let arguments = arguments.flatMap { argument in
            argument.hasPrefix(prefix) ? ["--simulate", String(argument.dropFirst(prefix.count))] : [argument]
        }.map(arguments.contains("set") ? spaced : { $0 })
        var rest = arguments[...]
        var options: [String] = []
        while let first = rest.first {
            let name = first.split(separator: "=", maxSplits: 1).first.map(String.init) ?? first
            if withValue.contains(first), rest.count >= 2 {
                options += rest.prefix(2)
                rest = rest.dropFirst(2)
            } else if without.contains(first) || withValue.contains(name) && first.contains("=") {
                options.append(first)
                rest = rest.dropFirst()
            } else {
                break
            }
        }
        guard !options.isEmpty, let command = rest.first, commands.contains(command) else { return arguments }
        var names = [command]
        rest = rest.dropFirst()
        if Self.groups.contains(command), let second = rest.first, !second.hasPrefix("-") {
            names.append(second)
            rest = rest.dropFirst()
        }
        return names + options + rest
    }
}
