import RunLoop

/// Lets the store do its own work, a few milliseconds at a time. After a failure, it goes on after the next commit.
final class StoreUpkeep {
    private let store: any Store
    private let writes: WriteTimer
    private let loop: RunLoop
    private let mayWork: () -> Bool
    private lazy var timer = ClosureTimer { [weak self] in self?.work() }

    /// The pause between two pieces of work.
    static let pause: Duration = .milliseconds(100)

    /// - Parameter mayWork: returns whether the work may go on now.
    init(of store: any Store, _ writes: WriteTimer, on loop: RunLoop, mayWork: @escaping () -> Bool) {
        self.store = store
        self.writes = writes
        self.loop = loop
        self.mayWork = mayWork
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
