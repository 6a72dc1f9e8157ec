import Glibc
import Logging
import RunLoop
import Synchronization

/// Standard error, for everything but data.
package enum StandardError {
    private static let writer = OutputWriter(STDERR_FILENO)
    /// Receives the lines while a live picture uses the terminal.
    private static let diversion = Mutex<(@Sendable (String) -> Void)?>(nil)
    /// The most bytes that wait for a reader.
    private static let limit = 1 << 18

    /// Writes a line in one piece.
    package static func print(_ line: String) {
        if let diversion = diversion.withLock({ $0 }) { return diversion(line) }
        put(line + "\n")
    }

    /// Writes a part of a line, if no line waits for the reader.
    package static func draw(_ text: String) {
        if writer.isIdle { put(text) }
    }

    /// Ignores a reader that is gone.
    private static func put(_ text: String) { try? writer.write(Array(text.utf8)) }

    /// Passes lines to `taker` from now on; with `nil`, writes them again.
    package static func divert(to taker: (@Sendable (String) -> Void)?) { diversion.withLock { $0 = taker } }

    /// Stops waiting for the reader. Drops lines beyond the limit, and logs their number.
    package static func attach(to loop: RunLoop) {
        writer.onResume = { missed in
            print(
                StandardErrorLog.line(
                    .warning, message: "dropped \(missed) lines of the log, because no program read it"))
        }
        writer.attach(to: loop, limit: limit)
    }

    /// Waits until the reader has everything, or until the time that a process has to end is up.
    package static func finish() { try? writer.finish() }
}
