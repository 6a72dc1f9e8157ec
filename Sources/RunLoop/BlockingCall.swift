/// A call that waits and offers no other way, such as a question to a name server, on a short-lived thread.
///
/// No caller waits for the thread: it may still run when the program ends. Use it on the loop's thread only.
package final class BlockingCall: @unchecked Sendable {
    /// Whether the thread still waits.
    package private(set) var isRunning = false

    package init() {}

    /// Runs `body` on a thread of its own, and then `done` on the loop.
    ///
    /// - Throws: `RunLoopError.descriptors` when the system has no thread left.
    package func start<Outcome: Sendable>(
        on loop: RunLoop, _ body: @escaping @Sendable () -> Outcome, then done: @escaping @Sendable (Outcome) -> Void
    ) throws(RunLoopError) {
        isRunning = true
        do {
            try LoopThread.start {
                let outcome = body()
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
