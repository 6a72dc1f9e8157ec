import Logging
import RunLoop

/// Publishes readings to a sink: new ones, and those of the history that the sink lacks, if it wants everything.
///
/// When the sink throws, the publisher tries the same readings again, with pauses that grow to a minute.
final class Publisher: @unchecked Sendable {
    let sink: any Sink
    private let history: (any ReadingLog)?
    private let loop: RunLoop
    private let log: Logger
    private let hold: ClockHold
    private var live = LiveQueue()
    private var cursor: BacklogCursor?
    private var trouble = SinkTrouble()
    private lazy var timer = ClosureTimer { [weak self] in self?.work() }

    /// Called when the sink fails for the first time or takes readings again.
    var onChange: (() -> Void)?

    /// The sink's last failure; `nil` after a success.
    var error: (any Error)? { trouble.error }

    /// The number of readings of the history to publish at a time.
    static let pageSize = 256
    /// The pause between two pages.
    static let pagePause: Duration = .milliseconds(1)
    /// The pause before the next look at a gap that copied readings may still fill.
    static let gapPause: Duration = .seconds(1)

    /// - Parameters:
    ///   - history: the stored readings; `nil` to publish only new readings.
    ///   - sinceBoot: returns the time since the machine's start; `nil` to never wait for the clock.
    init(
        _ sink: any Sink, history: (any ReadingLog)?, loop: RunLoop, log: Logger, sinceBoot: (() -> Duration)? = nil
    ) {
        self.sink = sink
        self.history = sink.wantsEverything ? history : nil
        self.loop = loop
        self.log = log
        hold = ClockHold(sinceBoot: sinceBoot)
    }

    /// Finds the sink's position in the history. Call it before the first reading is stored, and again if it throws.
    ///
    /// - Parameter kept: the sink's last status in the history.
    func begin(_ kept: SinkStatus?) throws {
        guard let history, cursor?.isLocated != true else { return }
        let bounds = try history.bounds()
        var cursor = self.cursor ?? BacklogCursor(newest: bounds.newest)
        cursor.newest = bounds.newest
        // A new sink begins with new readings, unless its position may still come from a damaged history.
        if let position = kept?.position ?? (history.isCopying ? nil : cursor.position) { cursor.locate(position) }
        self.cursor = cursor
        work()
    }

    /// Offers readings that the history holds.
    ///
    /// - Parameter shown: how many readings, counted from the first, were offered before.
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

    /// Offers readings that the history can't store now.
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

    /// Returns the sink's status; `nil` until its position is known.
    ///
    /// - Parameter time: milliseconds since 1970.
    func status(time: Int64) -> SinkStatus? {
        if history != nil, cursor?.isLocated != true { return nil }
        var status = SinkStatus(name: sink.name)
        status.position = cursor?.position
        status.backlog = cursor.map { max(0, $0.newest - $0.position) } ?? Int64(live.readings.count)
        status.dropped = live.dropped
        status.failure = trouble.text ?? sink.failure
        if trouble.isFailing {
            status.nextTry = time + (max(trouble.nextTry, loop.now) - loop.now).wholeMilliseconds
        }
        return status
    }

    /// Ends all attempts.
    func end() {
        loop.disarm(timer)
        sink.end()
    }

    /// Whether the sink's position in the history is known, or not needed.
    var isLocated: Bool { history == nil || cursor?.isLocated == true }

    // MARK: Backlog

    private var isReady: Bool { cursor?.isConfirmed == true && !trouble.isFailing }

    /// Publishes a page of the readings that the sink lacks, and schedules the next page.
    private func work() {
        guard loop.now >= trouble.nextTry else { return loop.arm(timer, at: trouble.nextTry) }
        loop.disarm(timer)
        guard let history else { return publishLive() }
        guard cursor?.isLocated == true else { return }
        var isMore = false
        attempt {
            try confirm()
            isMore = try publishPage(history)
        }
        if isMore { loop.arm(timer, at: loop.now + Self.pagePause) }
    }

    /// Asks the sink for the last reading that it has.
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

    /// - Returns: whether more readings can be published at once.
    private func publishPage(_ history: any ReadingLog) throws -> Bool {
        guard let cursor, cursor.position < cursor.newest else { return false }
        let page = try history.readings(after: cursor.position, limit: Self.pageSize)
        switch BacklogPage(page, after: cursor, isHeld: hold.holds) {
        case .gap(let numbers):
            guard !history.isCopying else {
                loop.arm(timer, at: loop.now + Self.gapPause)
                return false
            }
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

    // MARK: Failures

    private func attempt(_ body: () throws -> Void) {
        do {
            try body()
            guard trouble.succeed(at: loop.now) else { return }
            log.notice("writing to the sink \(sink.name) again")
            onChange?()
        } catch {
            let isNew = trouble.take(error, at: loop.now)
            // The sink may have taken a part of the readings.
            cursor?.doubt()
            // A closed sink never takes readings again.
            if !sink.isClosed {
                loop.arm(timer, at: trouble.nextTry)
                if isNew { log.warning("can't write readings to the sink \(sink.name): \(error); still retrying") }
            }
            if isNew { onChange?() }
        }
    }
}
