import NIOCore
import RunLoop

/// The main thread, which alone reads the history. The thread of the connections never waits for it.
struct HistoryThread: Sendable {
    let loop: RunLoop
    let history: ServedHistory

    /// Runs `body` on the main thread. Its result arrives on `eventLoop`.
    func run<Result: Sendable>(
        on eventLoop: any EventLoop, _ body: @escaping @Sendable (ServedHistory) throws -> Result
    ) -> EventLoopFuture<Result> {
        let promise = eventLoop.makePromise(of: Result.self)
        loop.perform {
            do { promise.succeed(try body(history)) } catch { promise.fail(error) }
        }
        return promise.futureResult
    }

    /// Answers a request. The answer arrives on `eventLoop`.
    func answer(_ route: Route, encodings: String, on eventLoop: any EventLoop) -> EventLoopFuture<Answer> {
        let promise = eventLoop.makePromise(of: Answer.self)
        loop.perform {
            history.prepare(route) { promise.succeed(history.answer(route).compressed(for: encodings)) }
        }
        return promise.futureResult
    }
}
