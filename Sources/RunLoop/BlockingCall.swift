internal import Glibc
import Synchronization

/// A call that waits and offers no other way, such as a question to a name server, on a short-lived thread.
///
/// No caller waits for the thread: it may still run when the program ends. Use it on the loop's thread only.
package final class BlockingCall: @unchecked Sendable {
    /// Whether the thread still waits.
    package private(set) var isRunning = false

    /// How many threads run, of all calls of the process.
    private static let threads = Atomic(0)

    package init() {}

    /// Ends the process. A thread that still computes, as a server can make it, would crash in what exit(3) has taken down.
    package static func exitProcess(_ code: Int32) -> Never {
        guard threads.load(ordering: .relaxed) > 0 else { exit(code) }
        fflush(nil)
        _exit(code)
    }

    /// Runs `body` on a thread of its own, and then `done` on the loop.
    /// Throws `RunLoopError.descriptors` when the system has no thread left.
    package func start<Outcome: Sendable>(
        on loop: RunLoop, _ body: @escaping @Sendable () -> Outcome, then done: @escaping @Sendable (Outcome) -> Void
    ) throws(RunLoopError) {
        isRunning = true
        do {
            try LoopThread.start {
                Self.threads.add(1, ordering: .relaxed)
                let outcome = body()
                Self.threads.subtract(1, ordering: .relaxed)
                loop.perform {
                    self.isRunning = false
                    done(outcome)
                }
            }
        } catch {
            isRunning = false
            throw error
        }
    }
}
