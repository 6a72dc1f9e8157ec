internal import Glibc

/// A thread of its own for a run loop, in programs whose main thread belongs to somebody else.
package final class LoopThread: Sendable {
    package let loop: RunLoop

    /// Starts a thread that runs `body` on a new loop and ends with it.
    ///
    /// - Throws: `RunLoopError.descriptors` when the system has no descriptor or thread left.
    package init(_ body: @escaping @Sendable (RunLoop) async -> Void) throws(RunLoopError) {
        let loop = try RunLoop()
        self.loop = loop
        try Self.start { try? loop.run { await body(loop) } }
    }

    /// Runs `body` on a thread of its own, for calls that wait and offer no other way.
    ///
    /// - Throws: `RunLoopError.descriptors` when the system has no thread left.
    package static func start(_ body: @escaping @Sendable () -> Void) throws(RunLoopError) {
        let box = Unmanaged.passRetained(Body(body))
        var thread = pthread_t()
        let failure = pthread_create(
            &thread, nil,
            { context in
                guard let context else { return nil }
                Unmanaged<Body>.fromOpaque(context).takeRetainedValue().run()
                return nil
            }, box.toOpaque())
        guard failure == 0 else {
            box.release()
            throw .descriptors(failure)
        }
        pthread_detach(thread)
    }

    private final class Body: Sendable {
        let run: @Sendable () -> Void

        init(_ run: @escaping @Sendable () -> Void) {
            self.run = run
        }
    }
}
