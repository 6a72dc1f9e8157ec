extension KeepAlive {
    /// Runs work that delays the machine's sleep and shutdown.
    ///
    /// ```swift
    /// await KeepAlive.shared.withBackgroundTask(named: "upload", onExpiration: { print("out of time") }) {
    ///     await upload()
    /// }
    /// ```
    ///
    /// While the keep-alive runs, it holds a `delay` lock of logind, and releases it before a sleep as soon as no work is
    /// open. Work that is open 2 s after logind announces the sleep expires: blekeep calls `onExpiration`, for the newest
    /// work first. At most 1.5 s later, the machine sleeps. Without logind, or before `start`, the work just runs.
    ///
    /// - Parameters:
    ///   - name: the name of the work in the log.
    ///   - budget: the time after which the work expires without a sleep. The log then names the work.
    ///   - onExpiration: called at most once, on the keep-alive's thread. Return quickly.
    ///   - isolation: the caller's actor.
    ///   - body: the work.
    /// - Returns: the result of `body`.
    /// - Throws: the error of `body`.
    public func withBackgroundTask<Result>(
        named name: String, budget: Duration = .seconds(30), onExpiration: @escaping @Sendable () -> Void = {},
        isolation: isolated (any Actor)? = #isolation, _ body: () async throws -> Result
    ) async rethrows -> Result {
        let section = machine.map(Machine.Section.init)
        section?.begin(name, budget: budget, onExpiration: onExpiration)
        defer { section?.end() }
        return try await body()
    }

    /// The time until the machine sleeps; `nil` when no sleep is announced. The source is logind's `PrepareForSleep`.
    public var backgroundTimeRemaining: Duration? { machine?.remaining }
}
