/// What is explored, by name.
///
/// The machines are internal, and seen where modules are built for tests.
#if DEBUG
package let explorations: [(name: String, explore: @Sendable (_ limit: Int) -> Exploration)] = [
    ("link", { Exploration(of: LinkExploration.self, limit: $0) }),
    ("poll", { Exploration(of: PollExploration.self, limit: $0) }),
    ("commits", { Exploration(of: CommitExploration.self, limit: $0) }),
    ("outbox", { Exploration(of: OutboxExploration.self, limit: $0) }),
]
#else
package let explorations: [(name: String, explore: @Sendable (_ limit: Int) -> Exploration)] = []
#endif
