import Glibc
import Logging
import RunLoop
import Synchronization

/// Standard error: everything that is not data.
enum StandardError {
    private static let writer = OutputWriter(STDERR_FILENO)
    /// Takes the lines while something is drawn on the same terminal.
    private static let diversion = Mutex<(@Sendable (String) -> Void)?>(nil)
    /// The most bytes that wait for a reader.
    private static let limit = 1 << 18

    /// Writes a line, whole.
    static func print(_ line: String) {
        if let diversion = diversion.withLock({ $0 }) { return diversion(line) }
        put(line + "\n")
    }

    /// Writes what is no line, if it can be seen at once.
    static func draw(_ text: String) {
        if writer.isIdle { put(text) }
    }

    /// A reader that has gone is no reason to end.
    private static func put(_ text: String) { try? writer.write(Array(text.utf8)) }

    /// Hands lines to `taker` from now on; with `nil`, writes them again.
    static func divert(to taker: (@Sendable (String) -> Void)?) { diversion.withLock { $0 = taker } }

    /// Lets no line wait for the reader from now on: lines that exceed the limit are dropped, and counted in the log.
    static func attach(to loop: RunLoop) {
        writer.onResume = { missed in
            print(StandardErrorLog.line(.warning, "dropped \(missed) lines of the log, because no program read it"))
        }
        writer.attach(to: loop, limit: limit)
    }

    /// Waits until the reader has everything; no longer than a process may that was asked to end.
    static func finish() { try? writer.finish() }
}
