import Glibc

/// What is under way, on the last line of a terminal, for as long as it lasts: on standard error, where no data is.
enum ProgressLine {
    static func show(_ text: String, on terminal: Terminal) {
        guard terminal.isInteractive, isatty(STDERR_FILENO) == 1 else { return }
        StandardError.draw("\r\u{1B}[K" + DisplayWidth.cut(text, to: max(1, terminal.size().columns - 1)))
    }

    static func clear(on terminal: Terminal) { show("", on: terminal) }
}
