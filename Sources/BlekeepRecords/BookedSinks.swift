/// The newest status of the sinks, and what the store holds of it. Pure.
struct BookedSinks: Sendable {
    private var newest: [SinkStatus] = []
    private var kept: [SinkStatus] = []
    private var offered: [SinkStatus] = []

    /// The names of the sinks that are in the store, but no longer in the configuration.
    var left: Set<String> { Set(kept.map(\.name)).subtracting(newest.map(\.name)) }

    mutating func take(_ sinks: [SinkStatus]) { newest = sinks }

    /// - Returns: what a commit must take.
    mutating func offer(_ scope: LedgerBook.Scope) -> [SinkStatus] {
        offered = newest.filter { sink in
            guard let kept = kept.first(where: { $0.name == sink.name }) else { return true }
            return scope == .all ? sink != kept : !sink.isLike(kept)
        }
        return offered
    }

    /// Call this when the store holds the last offer.
    mutating func taken() {
        let left = left
        kept.removeAll { old in left.contains(old.name) || offered.contains { $0.name == old.name } }
        kept += offered
        offered = []
    }
}
