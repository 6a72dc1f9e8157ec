internal import DequeModule

/// Lets one task of a run loop at a time into a section that spans awaits; the others wait in line.
package final class AsyncLock {
    private var isTaken = false
    private var waiting = Deque<UnsafeContinuation<Void, Never>>()

    package init() {}

    /// Waits for the section to be free and takes it; `leave` must follow.
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
