internal import DequeModule

/// A lock for tasks of a run loop that may be held across awaits. Waiting tasks get it in order.
package final class AsyncLock {
    private var isTaken = false
    private var waiting = Deque<UnsafeContinuation<Void, Never>>()

    package init() {}

    /// Waits for the lock, and takes it. `leave` must follow.
    package func enter() async {
        await withUnsafeContinuation { continuation in
            if isTaken { return waiting.append(continuation) }
            isTaken = true
            continuation.resume()
        }
    }

    package func leave() {
        if let next = waiting.popFirst() { next.resume() } else { isTaken = false }
    }
}
