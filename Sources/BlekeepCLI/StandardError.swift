import Glibc

/// Standard error: everything that is not data.
enum StandardError {
    /// Writes a line, whole.
    static func print(_ line: String) {
        let octets = Array((line + "\n").utf8)
        _ = octets.withUnsafeBytes { write(STDERR_FILENO, $0.baseAddress, $0.count) }
    }
}
