import BlekeepConfiguration

/// The manual page of the configuration file: the file that `config init` writes, part by part.
enum ConfigurationManPage {
    static var text: String {
        var lines = [
            Roff.title("BLEKEEP.YAML", section: 5, manual: "File Formats"), ".SH NAME",
            "blekeep.yaml \\- the configuration of blekeep", ".SH DESCRIPTION",
            Roff.escaped(ConfigInit.introduction.replacing("\n", with: " ")),
            ".PP",
            Roff.escaped(Self.format), ".SH KEYS",
        ]
        for part in ConfigurationTemplate.parts {
            lines += [".SS \(Roff.escaped(part.key))", Roff.escaped(part.remark), ".PP"]
            lines += Roff.block(part.lines.joined(separator: "\n"))
        }
        lines += [".SH FILES"] + Roff.list(files)
        lines += [
            ".SH EXAMPLES", ".nf", "devices:", "  \\- address: F0:00:00:00:00:01", "    alias: greenhouse", ".fi",
            ".SH SEE ALSO", "blekeep(1)",
        ]
        return lines.joined(separator: "\n") + "\n"
    }

    private static let format = """
        The file is YAML. A duration is a whole number with the unit d, h, m, s or ms, such as 1h30m. A size has a unit such \
        as MiB. A key that isn't set has its default. The settings below are the defaults, or examples. An unknown key is a \
        mistake.
        """

    private static let files = [
        ("/etc/blekeep/config.yaml", "The file of the service and of root."),
        ("/etc/blekeep/conf.d/*.yaml", "Further files, in the order of their names: their devices and layouts add up."),
        ("~/.config/blekeep/config.yaml, ~/.config/blekeep/conf.d/*.yaml", "The same for other users."),
    ]
}
