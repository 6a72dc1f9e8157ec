import Glibc

/// The properties of standard output that determine how to print.
struct Terminal: Sendable {
    /// Whether it is a terminal that can show a live picture.
    var isInteractive: Bool
    var hasColor: Bool
    /// Whether standard input is a terminal, on which a user can answer.
    var hasKeyboard = false
    /// Whether the locale has more characters than ASCII.
    var hasUnicode = true
    var size: @Sendable () -> (columns: Int, rows: Int)

    /// A file, a pipe or a test.
    static let none = Terminal(isInteractive: false, hasColor: false) { (80, 24) }

    /// - Parameter noColor: the option `--no-color`. `NO_COLOR` has the same effect. A terminal with `TERM=dumb` can't
    ///   move its cursor either.
    static func standardOutput(noColor: Bool, environment: [String: String]) -> Terminal {
        let isPlain = noColor || environment["NO_COLOR"]?.isEmpty == false
        let isCapable = isatty(STDOUT_FILENO) == 1 && environment["TERM"] ?? "dumb" != "dumb"
        return Terminal(
            isInteractive: isCapable, hasColor: isCapable && !isPlain, hasKeyboard: isatty(STDIN_FILENO) == 1,
            hasUnicode: hasUnicode(environment),
            size: {
                var window = winsize()
                guard ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &window) == 0, window.ws_col > 0, window.ws_row > 0
                else { return (80, 24) }
                return (Int(window.ws_col), Int(window.ws_row))
            })
    }

    static func hasUnicode(_ environment: [String: String]) -> Bool {
        let locale = ["LC_ALL", "LC_CTYPE", "LANG"].lazy.compactMap { environment[$0] }.first { !$0.isEmpty }
        return ["utf-8", "utf8"].contains { locale?.lowercased().contains($0) == true }
    }

    func paint(_ text: String, as paint: Paint) -> String {
        guard hasColor, paint != .plain else { return text }
        return "\u{1B}[\(paint.rawValue)m\(text)\u{1B}[0m"
    }
}

/// The style of a piece of text, by the terminal's code.
enum Paint: Int {
    case plain = 0, bold, faint
    case bad = 31, good, warning, blue, magenta, accent
}
