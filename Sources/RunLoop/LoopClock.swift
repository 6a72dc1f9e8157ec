/// The loop's time as a `Clock`. Sleeping takes a timer, but no thread.
package struct LoopClock: Clock {
    package let loop: RunLoop

    package init(_ loop: RunLoop) { self.loop = loop }

    package var now: Uptime { loop.now }

    package var minimumResolution: Duration { .nanoseconds(1) }

    package func sleep(until deadline: Uptime, tolerance: Duration? = nil) async throws {
        try await loop.sleep(until: deadline)
    }
}

extension RunLoop {
    package var clock: LoopClock { LoopClock(self) }

    /// Waits until `deadline`. Call it on the loop. Throws `CancellationError` as soon as the task is cancelled.
    package func sleep(until deadline: Uptime) async throws {
        let sleeper = Sleeper()
        await withTaskCancellationHandler {
            await withUnsafeContinuation { continuation in
                sleeper.continuation = continuation
                if Task.isCancelled { sleeper.fire() } else { arm(sleeper, at: deadline) }
            }
        } onCancel: {
            perform {
                self.disarm(sleeper)
                sleeper.fire()
            }
        }
        try Task.checkCancellation()
    }

    private final class Sleeper: LoopTimer, @unchecked Sendable {
        var continuation: UnsafeContinuation<Void, Never>?

        override func fire() {
            continuation?.resume()
            continuation = nil
        }
    }
}
