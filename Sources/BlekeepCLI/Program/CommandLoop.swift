import BlekeepLog
import Glibc
import RunLoop

extension RunLoop {
    static let endings = [SIGINT, SIGTERM, SIGHUP]

    /// Runs a command until it returns, or a signal ends it. Slow readers of its output don't block the loop.
    ///
    /// - Parameters:
    ///   - endings: the signals that end it.
    ///   - limit: the most bytes of output that wait for a reader; `nil` drops nothing.
    ///   - onBegin: called once signals no longer end the process, such as to show what must be restored.
    ///   - onEnd: called for the first signal. The second one ends the process at once.
    func runCommand<Success: Sendable>(
        endings: [Int32] = RunLoop.endings, limit: Int? = nil, onBegin: () throws -> Void = {},
        onEnd: @escaping (Int32) -> Void, _ body: @escaping @Sendable () async throws -> Success
    ) throws -> Success {
        let signals = try onTermination(endings, action: onEnd)
        StandardOutput.writer.attach(to: self, limit: limit)
        StandardError.attach(to: self)
        defer {
            unwatch(signals)
            // From here, only output waits for its reader. A signal may end that at once.
            Termination.release(endings)
        }
        try onBegin()
        return try run(body)
    }
}
