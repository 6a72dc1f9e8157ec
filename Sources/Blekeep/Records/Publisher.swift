import Logging
import RunLoop

/// Publishes to one sink: what comes now and, where the sink wants everything, what it lacks of the history.
///
/// A sink's failure is its own: what it threw back is tried again, after a pause that grows to a minute.
final class Publisher: @unchecked Sendable {
    let sink: any Sink
    private let history: (any ReadingLog)?
    private let loop: RunLoop
    private let log: Logger
    private let hold: ClockHold
    /// What comes now and the sink hasn't taken.
    private var live = LiveQueue()
    private var cursor: BacklogCursor?
    private var trouble = SinkTrouble()
    private lazy var timer = ClosureTimer { [unowned self] in self.work() }

    /// Called when the sink fails for the first time or takes readings again.
    var onChange: (() -> Void)?

    /// Why the sink failed, if it did the last time.
    var error: (any Error)? { trouble.error }

    /// The most readings of the history that are published at a time.
    static let pageSize = 256
    /// Between two of these times.
    static let pagePause: Duration = .milliseconds(1)

    /// - Parameters:
    ///   - history: where the sink gets what it lacks; without one, it gets what comes now.
    ///   - sinceBoot: the time since the machine's start; `nil` where nobody knows: then nothing waits for the clock.
    init(
        _ sink: any Sink, history: (any ReadingLog)?, loop: RunLoop, log: Logger, sinceBoot: (() -> Duration)? = nil
    ) {
        self.sink = sink
        self.history = sink.wantsEverything ? history : nil
        self.loop = loop
        self.log = log
        hold = ClockHold(sinceBoot: sinceBoot)
    }

    /// Finds the sink's place in the history; to be called before the first reading is stored, and until it is found.
    ///
    /// - Parameters:
    ///   - kept: what the history holds of the sink.
    ///   - isCopying: whether the history may still come to hold more, as it is copied from a damaged one.
    func begin(_ kept: SinkStanding?, isCopying: Bool) throws {
        guard let history, cursor?.isPlaced != true else { return }
        let bounds = try history.bounds()
        var cursor = self.cursor ?? BacklogCursor(newest: bounds.newest)
        cursor.newest = bounds.newest
        // A new sink begins with what comes now.
        if let position = kept?.position ?? (isCopying ? nil : cursor.position) { cursor.place(position) }
        self.cursor = cursor
        work()
    }

    /// Readings were stored.
    ///
    /// - Parameter shown: so many of them, from the first on, were offered before.
    func offer(_ stored: [StoredReading], shown: Int) {
        guard history != nil else { return offer(stored.dropFirst(shown).map(LiveReading.init)) }
        guard let first = stored.first, let last = stored.last else { return }
        let isNext = cursor?.newest == first.sequence - 1 && cursor?.position == first.sequence - 1
        cursor?.newest = last.sequence
        guard isNext, isReady, !timer.isArmed, !stored.contains(where: hold.holds) else { return work() }
        attempt {
            try sink.publish(stored.map(LiveReading.init))
            cursor?.position = last.sequence
        }
    }

    /// Readings came that the history can't take at present.
    func offer(unkept readings: [LiveReading]) { if history == nil { offer(readings) } }

    private func offer(_ readings: [LiveReading]) {
        guard !readings.isEmpty else { return }
        live.add(readings)
        if !timer.isArmed { publishLive() }
        live.trim()
    }

    private func publishLive() {
        guard !live.isEmpty else { return }
        attempt {
            try sink.publish(live.readings)
            live.removeAll()
        }
    }

    /// How the sink is.
    ///
    /// - Parameter time: the time of day: milliseconds since 1970.
    func standing(time: Int64) -> SinkStanding? {
        if history != nil, cursor?.isPlaced != true { return nil }
        var standing = SinkStanding(name: sink.name)
        standing.position = cursor?.position
        standing.backlog = cursor.map { max(0, $0.newest - $0.position) } ?? Int64(live.readings.count)
        standing.dropped = live.dropped
        standing.failure = trouble.text
        if trouble.isThere {
            standing.nextTry = time + (max(trouble.nextTry, loop.now) - loop.now).wholeMilliseconds
        }
        return standing
    }

    /// Ends: nothing is tried again.
    func end() {
        loop.disarm(timer)
        sink.end()
    }

    /// Whether the sink's place in the history is known, if it needs one.
    var isPlaced: Bool { history == nil || cursor?.isPlaced == true }

    // MARK: What the sink lacks

    private var isReady: Bool { cursor?.isConfirmed == true && !trouble.isThere }

    /// Publishes a page of what the sink lacks, and comes back for the next.
    private func work() {
        guard loop.now >= trouble.nextTry else { return loop.arm(timer, at: trouble.nextTry) }
        loop.disarm(timer)
        guard let history else { return publishLive() }
        guard cursor?.isPlaced == true else { return }
        var isMore = false
        attempt {
            try confirm()
            isMore = try publishPage(history)
        }
        if isMore { loop.arm(timer, at: loop.now + Self.pagePause) }
    }

    /// Asks the sink itself what it has.
    private func confirm() throws {
        guard let cursor, !cursor.isConfirmed else { return }
        let position = try sink.position(kept: cursor.position)
        guard position > cursor.newest else {
            self.cursor?.confirm(position)
            return
        }
        try sink.publish(.restarted(after: cursor.newest))
        self.cursor?.confirm(cursor.newest)
        log.warning(
            "the sink \(sink.name) has readings up to \(position), the history up to \(cursor.newest): an older history was restored; continuing with what comes now"
        )
    }

    /// - Returns: whether there is more to publish at once.
    private func publishPage(_ history: any ReadingLog) throws -> Bool {
        guard let cursor, cursor.position < cursor.newest else { return false }
        let page = try history.readings(after: cursor.position, limit: Self.pageSize)
        switch BacklogPage(page, after: cursor, isHeld: hold.holds) {
        case .gap(let numbers):
            // What is copied from a damaged history may still fill the gap.
            if isCopying { return false }
            try sink.publish(.missing(numbers))
            self.cursor?.position = numbers.upperBound
            return !page.isEmpty
        case .readings(let batch, let last, let isFollowedByHeld):
            if isFollowedByHeld { loop.arm(timer, at: loop.now + hold.left) }
            guard let last else { return false }
            try sink.publish(batch)
            self.cursor?.position = last
            return !timer.isArmed && last < cursor.newest
        }
    }

    /// Whether the history is still copied from a damaged one.
    var isCopying = false {
        didSet { if oldValue, !isCopying { work() } }
    }

    // MARK: Failures

    private func attempt(_ body: () throws -> Void) {
        do {
            try body()
            guard trouble.isThere else { return }
            log.notice("writing to the sink \(sink.name) again")
            trouble = SinkTrouble()
            onChange?()
        } catch {
            let isNew = trouble.take(error, at: loop.now)
            // It may have taken a part.
            cursor?.doubt()
            // Nobody comes back to a sink whose reader has left.
            if !sink.isClosed {
                loop.arm(timer, at: trouble.nextTry)
                if isNew { log.warning("can't write readings to the sink \(sink.name): \(error); still retrying") }
            }
            if isNew { onChange?() }
        }
    }
}
