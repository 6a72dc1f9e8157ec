extension KeepAlive {
    /// Does work that the machine's sleep and shutdown wait for, as far as logind lets them.
    ///
    /// While the keep-alive runs it holds one `delay` lock of logind. Before the machine sleeps, the lock is given back
    /// as soon as no such work is open. Work that is still open 2 s later expires: `onExpiration` is called, of
    /// several pieces of work the last one's first, and 1.5 s later at most the machine sleeps, whatever is open.
    /// Without logind the work just runs.
    ///
    /// - Parameters:
    ///   - name: how the log calls it.
    ///   - budget: work that takes longer expires, too, and is named in the log.
    ///   - onExpiration: called once at most, on the keep-alive's thread; to be quick.
    ///   - isolation: the caller's actor.
    ///   - body: the work.
    public func withBackgroundTask<Result>(
        named name: String, budget: Duration = .seconds(30), onExpiration: @escaping @Sendable () -> Void = {},
        isolation: isolated (any Actor)? = #isolation, _ body: () async throws -> Result
    ) async rethrows -> Result {
        let section = machine.map(Machine.Section.init)
        section?.begin(name, budget, onExpiration)
        defer { section?.end() }
        return try await body()
    }

    /// How long work has before the machine sleeps; `nil` for as long as it is not about to.
    public var backgroundTimeRemaining: Duration? { machine?.remaining }
}
