internal import Glibc

/// A separate thread for a run loop, in programs that use the main thread for something else.
package final class LoopThread: Sendable {
    package let loop: RunLoop

    /// Starts a thread that runs `body` on a new loop and ends with it.
    /// Throws `RunLoopError.descriptors` when the system has no descriptor or thread left.
    package init(_ body: @escaping @Sendable (RunLoop) async -> Void) throws(RunLoopError) {
        let loop = try RunLoop()
        self.loop = loop
        try Self.start { try? loop.run { await body(loop) } }
    }

    /// Runs `body` on a new thread, for calls that can only block.
    /// Throws `RunLoopError.descriptors` when the system has no threads left.
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

        init(_ run: @escaping @Sendable () -> Void) { self.run = run }
    }
}
