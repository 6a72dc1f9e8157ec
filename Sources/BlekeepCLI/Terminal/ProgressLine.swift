import Glibc

/// What is under way, on the last line of a terminal, for as long as it lasts: on standard error, where no data is.
enum ProgressLine {
    static func show(_ text: String, on terminal: Terminal) {
        guard terminal.isInteractive, isatty(STDERR_FILENO) == 1 else { return }
        put("\r\u{1B}[K" + DisplayWidth.cut(text, to: max(1, terminal.size().columns - 1)))
    }

    static func clear(on terminal: Terminal) { show("", on: terminal) }

    private static func put(_ text: String) {
        let octets = Array(text.utf8)
        _ = octets.withUnsafeBytes { write(STDERR_FILENO, $0.baseAddress, $0.count) }
    }
}
