import BlekeepLog
import Glibc

/// The current action, as the last line on a terminal's standard error.
enum ProgressLine {
    static func show(_ text: String, on terminal: Terminal) {
        guard terminal.isInteractive, isatty(STDERR_FILENO) == 1 else { return }
        StandardError.draw("\r\u{1B}[K" + DisplayWidth.cut(text, to: max(1, terminal.size().columns - 1)))
    }

    static func clear(on terminal: Terminal) { show("", on: terminal) }
}
