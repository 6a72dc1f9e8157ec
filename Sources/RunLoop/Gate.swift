/// An event that tasks of a run loop can wait for.
package final class Gate: LoopTimer, @unchecked Sendable {
    private let loop: RunLoop
    private var waiting: UnsafeContinuation<Void, Never>?
    private var isOpen = false

    package init(_ loop: RunLoop) {
        self.loop = loop
    }

    /// Resumes the waiting task, or the next task that waits.
    package func open() {
        isOpen = true
        fire()
    }

    /// Waits until the gate is opened, or until `deadline`, and closes it again.
    package func wait(until deadline: Uptime = .never) async {
        // Check inside the continuation's body, because other jobs may run before it.
        await withUnsafeContinuation { continuation in
            if isOpen { return continuation.resume() }
            waiting = continuation
            // Let other jobs run first, even for a deadline in the past.
            if loop.now >= deadline { return loop.soon { self.fire() } }
            if deadline < .never { loop.arm(self, at: deadline) }
        }
        loop.disarm(self)
        isOpen = false
    }

    public override func fire() {
        waiting?.resume()
        waiting = nil
    }
}
