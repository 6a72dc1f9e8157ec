/// Something that one task waits for and others announce, on a run loop.
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

    /// Waits until the gate is opened, and closes it again; not longer than until `deadline`.
    package func wait(until deadline: Uptime = .never) async {
        // Asked within the continuation's body: other jobs may run before it.
        await withUnsafeContinuation { continuation in
            if isOpen { return continuation.resume() }
            waiting = continuation
            // Other jobs have their turn first: a task that waits until a time in the past must not starve them.
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
