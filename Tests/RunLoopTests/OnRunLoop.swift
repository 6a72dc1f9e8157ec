import RunLoop

/// Runs `body` on a run loop in real time, on a thread of its own, so that the caller's thread stays free for other
/// tests.
func onRunLoop<Success: Sendable>(
    _ body: @escaping @Sendable (RunLoop) async throws -> Success
) async throws -> Success {
    let loop = try RunLoop()
    // The task is created here so that it inherits the caller's test.
    let task = Task(executorPreference: loop) { try await body(loop) }
    return try await withUnsafeThrowingContinuation { continuation in
        do {
            try LoopThread.start {
                let result = Result { try loop.run { try await task.value } }
                loop.abandon()
                continuation.resume(with: result)
            }
        } catch { continuation.resume(throwing: error) }
    }
}
