import Glibc

/// What stands behind standard output, as far as it matters for what is printed.
struct Terminal: Sendable {
    /// Whether somebody looks at it, so that tables may be drawn anew in place.
    var isInteractive: Bool
    var hasColor: Bool
    /// Columns and rows; asked again and again, as windows change.
    var size: @Sendable () -> (columns: Int, rows: Int)

    /// A file, a pipe, a test.
    static let none = Terminal(isInteractive: false, hasColor: false) { (80, 24) }

    /// - Parameter noColor: what a person said; `NO_COLOR` and `TERM=dumb` say the same.
    static func standardOutput(noColor: Bool, environment: [String: String]) -> Terminal {
        let isPlain = noColor || environment["NO_COLOR"]?.isEmpty == false || environment["TERM"] ?? "dumb" == "dumb"
        let isTerminal = isatty(STDOUT_FILENO) == 1
        return Terminal(
            isInteractive: isTerminal && !isPlain, hasColor: isTerminal && !isPlain,
            size: {
                var window = winsize()
                guard ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &window) == 0, window.ws_col > 0, window.ws_row > 0
                else { return (80, 24) }
                return (Int(window.ws_col), Int(window.ws_row))
            })
    }

    func paint(_ text: String, _ paint: Paint) -> String {
        guard hasColor, !paint.code.isEmpty else { return text }
        return "\u{1B}[\(paint.code)m\(text)\u{1B}[0m"
    }
}

/// How a piece of text stands out.
enum Paint: Sendable {
    case plain, bold, faint, good, warning, bad, accent

    var code: String {
        switch self {
        case .plain: ""
        case .bold: "1"
        case .faint: "2"
        case .good: "32"
        case .warning: "33"
        case .bad: "31"
        case .accent: "36"
        }
    }
}
