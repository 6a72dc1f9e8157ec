import RunLoop

/// Lets the store do its own work, a few milliseconds at a time. After a failure, it goes on after the next commit.
final class StoreUpkeep {
    private let store: any Store
    private let writes: WriteTimer
    private let loop: RunLoop
    /// Returns whether the work may go on now.
    var mayWork: () -> Bool = { true }
    private lazy var timer = ClosureTimer { [weak self] in self?.work() }

    /// The pause between two pieces of work.
    static let pause: Duration = .milliseconds(100)

    init(of store: any Store, _ writes: WriteTimer, on loop: RunLoop) {
        self.store = store
        self.writes = writes
        self.loop = loop
    }

    /// Schedules work, if the store has any.
    func resume() {
        if store.needsUpkeep, !timer.isArmed { loop.arm(timer, at: loop.now + Self.pause) }
    }

    func end() { loop.disarm(timer) }

    private func work() {
        guard mayWork(), (try? writes.time { try store.upkeep() }) != nil else { return }
        resume()
    }
}
