/// An event that tasks of a run loop can wait for.
package final class Gate: @unchecked Sendable {
    private let loop: RunLoop
    private var waiting: [Waiter] = []
    private var isOpen = false
    /// How many tasks were resumed, and how many of them haven't run yet.
    private var resumed = (count: 0, left: 0)

    package init(_ loop: RunLoop) { self.loop = loop }

    /// Resumes the waiting tasks, or else the next task that waits.
    package func open() {
        // Resumed tasks that all have yet to run find out by themselves.
        if waiting.isEmpty, resumed.left == 0 || resumed.left < resumed.count { isOpen = true }
        for waiter in waiting {
            waiter.isResumed = true
            waiter.fire()
        }
        resumed.count += waiting.count
        resumed.left += waiting.count
        waiting = []
    }

    /// Waits until the gate is opened, or until `deadline`, and closes it again.
    package func wait(until deadline: Uptime = .never) async {
        let waiter = Waiter()
        // Check inside the continuation's body, because other jobs may run before it.
        await withUnsafeContinuation { continuation in
            if isOpen {
                isOpen = false
                return continuation.resume()
            }
            waiter.continuation = continuation
            waiting.append(waiter)
            // Let other jobs run first, even for a deadline in the past.
            if loop.now >= deadline { return loop.soon { waiter.fire() } }
            if deadline < .never { loop.arm(waiter, at: deadline) }
        }
        loop.disarm(waiter)
        if waiter.isResumed {
            resumed.left -= 1
            if resumed.left == 0 { resumed.count = 0 }
        } else {
            waiting.removeAll { $0 === waiter }
        }
    }

    private final class Waiter: LoopTimer {
        var continuation: UnsafeContinuation<Void, Never>?
        /// Whether the gate was opened, and not only the deadline reached.
        var isResumed = false

        override func fire() {
            continuation?.resume()
            continuation = nil
        }
    }
}
