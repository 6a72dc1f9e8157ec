import Glibc
import Synchronization

/// Standard error: everything that is not data.
enum StandardError {
    /// Takes the lines while something is drawn on the same terminal.
    private static let diversion = Mutex<(@Sendable (String) -> Void)?>(nil)

    /// Writes a line, whole.
    static func print(_ line: String) {
        if let diversion = diversion.withLock({ $0 }) { return diversion(line) }
        let octets = Array((line + "\n").utf8)
        _ = octets.withUnsafeBytes { write(STDERR_FILENO, $0.baseAddress, $0.count) }
    }

    /// Hands lines to `taker` from now on; with `nil`, writes them again.
    static func divert(to taker: (@Sendable (String) -> Void)?) { diversion.withLock { $0 = taker } }
}
