import Glibc

/// The system's message for an error number.
package enum SystemError {
    package static func words(for code: Int32) -> String {
        guard let words = strerror(code) else { return "error \(code)" }
        return String(cString: words)
    }
}
