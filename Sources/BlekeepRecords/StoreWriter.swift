import RunLoop

/// Does the store's work, one piece at a time, on a thread of its own: commits, and between them the store's upkeep.
///
/// The loop waits up to `patience` for a piece, which is enough for a disk that works well. A slow disk then stops nothing
/// else, and what comes next waits in memory until the piece ends.
package final class StoreWriter {
    private let store: any Store
    private let thread: BlockingThread
    private let loop: RunLoop
    private let clocks: (() -> ClockReading)?
    /// When the piece of work in progress began.
    private var begin = Uptime.start
    private(set) var slow: SlowWrites?
    /// Whether the log has the piece in progress.
    private var isReported = false
    private lazy var report = ClosureTimer { [weak self] in self?.lasts() }
    private lazy var pause = ClosureTimer { [weak self] in self?.doUpkeep() }

    /// Called when a piece took longer than a second, or does already: `isNew` when the log must have it, once in an hour.
    var onSlow: ((_ isNew: Bool) -> Void)?
    /// Called when a piece ended that the loop didn't wait for.
    var onFree: (() -> Void)?
    /// Returns whether upkeep may be done now.
    var mayDoUpkeep: () -> Bool = { true }

    /// How long the loop waits for a piece.
    static let patience: Duration = .milliseconds(250)
    /// The pause between two pieces of upkeep.
    static let upkeepPause: Duration = .milliseconds(100)

    /// - Parameter clocks: reads the machine's clocks; `nil` to measure nothing.
    init(_ store: any Store, on loop: RunLoop, clocks: (() -> ClockReading)?) {
        self.store = store
        self.loop = loop
        self.clocks = clocks
        thread = BlockingThread(on: loop)
    }

    /// For tests: how long a piece takes in virtual time.
    package var virtualLength: () -> Duration {
        get { thread.virtualLength }
        set { thread.virtualLength = newValue }
    }

    var isBusy: Bool { thread.isBusy }

    /// Whether no piece is in progress, after what is left of its `patience`.
    func isFree(within patience: Duration = patience) -> Bool {
        !isBusy || thread.wait(atMost: patience - (loop.now - begin))
    }

    /// Does a piece of work. Only when none is in progress.
    ///
    /// - Parameter done: called with its result on the loop, now or later.
    func run<Value: Sendable>(
        within patience: Duration = patience, _ work: @escaping @Sendable () throws -> Value,
        then done: @escaping (Result<Value, any Error>) -> Void
    ) {
        begin = loop.now
        isReported = false
        let start = clocks?()
        var isLate = false
        isLate = !thread.run(atMost: patience, { Result { try work() } }) { [self] result in
            loop.disarm(report)
            if let start, let end = clocks?() { took(end.awake - start.awake, until: end.time) }
            done(result)
            if isLate, !isBusy { onFree?() }
        }
        if isLate { loop.arm(report, at: begin + SlowWrites.least) }
    }

    // MARK: Slow pieces

    /// The piece in progress lasts a second already.
    private func lasts() {
        guard let now = clocks?(), isNew(at: now.time) else { return }
        isReported = true
        onSlow?(true)
    }

    private func took(_ length: Duration, until time: Int64) {
        guard length > SlowWrites.least else { return }
        let isNew = !isReported && isNew(at: time)
        slow = SlowWrites(count: (slow?.count ?? 0) + 1, longest: max(slow?.longest ?? .zero, length), last: time)
        onSlow?(isNew)
    }

    private func isNew(at time: Int64) -> Bool { slow.map { time - $0.last >= SlowWrites.pause } ?? true }

    // MARK: Upkeep

    /// Schedules upkeep, if the store has any to do. Only when no piece is in progress.
    func resumeUpkeep() {
        if store.needsUpkeep, !pause.isArmed { loop.arm(pause, at: loop.now + Self.upkeepPause) }
    }

    /// Does a piece of upkeep. After a failure, it goes on after the next commit.
    private func doUpkeep() {
        guard mayDoUpkeep() else { return }
        guard !isBusy else { return loop.arm(pause, at: loop.now + Self.upkeepPause) }
        run({ [store] in try store.upkeep() }) { [self] result in
            if case .success = result { resumeUpkeep() }
        }
    }

    func end() {
        loop.disarm(pause)
        loop.disarm(report)
    }
}

/// The writes to the store, since the start of `poll`, for which the disk took long.
package struct SlowWrites: Sendable, Hashable {
    package var count: Int
    package var longest: Duration
    /// The end of the last one, in milliseconds since 1970.
    package var last: Int64

    /// Shorter writes don't count.
    package static let least: Duration = .seconds(1)
    /// The log has at most one in this time, in milliseconds.
    fileprivate static let pause: Int64 = 3_600_000

    package init(count: Int, longest: Duration, last: Int64) {
        self.count = count
        self.longest = longest
        self.last = last
    }
}
