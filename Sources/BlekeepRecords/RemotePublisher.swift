import Logging
import RunLoop

/// Publishes readings to a remote sink: new readings at once, and the backlog at the sink's own rate.
///
/// The history stores which readings the sink confirmed. After a crash, only unconfirmed readings are sent again.
final class RemotePublisher: @unchecked Sendable {
    let sink: any RemoteSink
    private let history: (any ReadingLog)?
    private let loop: RunLoop
    private let log: Logger
    private let hold: ClockHold
    private var outbox: Outbox?
    private var trouble = SinkTrouble()
    /// The number of readings that the sink refused for good.
    private var refused = 0
    private var budget = CommandBudget()
    /// The number of ignored commands.
    private var ignored = 0
    private var isConnected = false
    private var isEnded = false
    /// When the next page of the backlog may be sent.
    private var nextPage = Uptime.start
    /// How often in a row the sink failed with a page of the backlog. The backlog then waits, so that new readings arrive.
    private var backlogFailures = 0
    private lazy var pace = ClosureTimer { [weak self] in self?.sendBacklog() }
    private lazy var retry = ClosureTimer { [weak self] in self?.sink.connect() }
    private lazy var proof = ClosureTimer { [weak self] in self?.succeeded() }

    /// Called when the sink fails for the first time, connects again, or confirms a part of the backlog.
    var onChange: (() -> Void)?

    /// Called with each command that somebody at the sink gave.
    var onCommand: ((KeeperCommand, _ answer: @escaping (Result<[UInt8], ReadingFailure>) -> Void) -> Void)?

    /// Called after each event of the sink.
    var onEvent: (() -> Void)?

    /// The pause between two pages of the backlog.
    static let pagePause: Duration = .seconds(1)

    init(
        _ sink: any RemoteSink, history: (any ReadingLog)?, loop: RunLoop, log: Logger, sinceBoot: (() -> Duration)?
    ) {
        self.sink = sink
        self.history = history
        self.loop = loop
        self.log = log
        hold = ClockHold(sinceBoot: sinceBoot)
        sink.onEvent = { [unowned self] in self.take($0) }
    }

    var name: String { sink.name }

    /// Connects for the first time.
    func start() { sink.connect() }

    /// Finds the sink's position in the history.
    func begin(_ kept: SinkStatus?) throws {
        // A new sink begins with new readings, unless its position may still come from a damaged history.
        guard let history, outbox == nil, !history.isCopying || kept?.position != nil else { return }
        outbox = Outbox(kept, newest: try history.bounds().newest)
        sendBacklog()
    }

    var isLocated: Bool { history == nil || outbox != nil }

    // MARK: In

    /// Offers readings that the history holds.
    ///
    /// - Parameter shown: how many readings, counted from the first, were sent without a confirmation. They are sent again
    ///   as a part of the backlog.
    func offer(_ stored: [StoredReading], shown: Int) {
        guard let last = stored.last?.sequence, outbox != nil else { return }
        outbox?.stored(upTo: last)
        let new = stored.dropFirst(shown)
        if isConnected, outbox?.hasLiveRoom == true, !new.contains(where: hold.holds), let first = new.first?.sequence,
            let key = outbox?.sent(first..<last + 1, isLive: true)
        {
            sink.send(new.map(LiveReading.init), isLive: true, key: key)
        }
        sendBacklog()
    }

    /// Offers readings that the history can't store now.
    func offer(unkept readings: [LiveReading]) {
        if isConnected, !readings.isEmpty { sink.send(readings, isLive: true, key: nil) }
    }

    /// Takes the condition of a device. A device in `trying` stays as available as before.
    func note(_ device: DeviceID, _ condition: DeviceCondition) {
        switch condition {
        case .new, .trying: break
        case .good: sink.note(device, isAvailable: true)
        case .lost, .needsUser: sink.note(device, isAvailable: false)
        }
    }

    /// Takes what the history holds now of the ledger and the heartbeat.
    func note(_ changes: LedgerChanges, _ heartbeat: Heartbeat?) { sink.note(changes, heartbeat) }

    private func take(_ event: RemoteSinkEvent) {
        guard !isEnded else { return }
        defer { onEvent?() }
        switch event {
        case .connected:
            isConnected = true
            if sink.isProvenByConnection { succeeded() }
            if backlogFailures > 0 { nextPage = loop.now + OutputRetryPause.length(after: backlogFailures - 1) }
            sendBacklog()
        case .lost(let error):
            isConnected = false
            if outbox?.isSendingBacklog == true { backlogFailures += 1 }
            outbox?.lostConnection()
            let isNew = trouble.take(error, at: loop.now)
            loop.disarm(pace)
            loop.disarm(proof)
            loop.arm(retry, at: trouble.nextTry)
            guard isNew else { return }
            log.warning("can't send readings to the sink \(sink.name): \(error); still retrying")
            onChange?()
        case .refused(let count, let reason):
            let refused = refused + count
            // The 1st, 2nd, 4th, 8th … time.
            if refused.leadingZeroBitCount < self.refused.leadingZeroBitCount {
                let readings = refused == 1 ? "a reading" : "\(refused) readings so far, the last"
                log.warning("the sink \(sink.name) refused \(readings): \(reason); skipped")
            }
            self.refused = refused
            outbox?.refused(count)
        case .command(let command, let words): obey(command, words)
        case .ignored(let reason): ignore(reason)
        case .confirmed(let key):
            let isBacklog = outbox?.confirm(key)
            if isBacklog == true { backlogFailures = 0 }
            // As long as the sink fails with the backlog, it works only in part.
            if backlogFailures == 0 { succeeded() }
            guard isBacklog == true else { return }
            onChange?()
            sendBacklog()
        }
    }

    private func obey(_ command: KeeperCommand, _ words: String) {
        guard budget.take(at: loop.now) else { return ignore("too many commands") }
        let name = sink.name
        log.notice("\(name): \(words)")
        onCommand?(command) { [log] result in
            if case .failure(let failure) = result { log.warning("\(name): \(words): \(failure.message)") }
        }
    }

    private func ignore(_ reason: String) {
        ignored += 1
        // The 1st, 2nd, 4th, 8th … time.
        guard ignored.nonzeroBitCount == 1 else { return }
        let commands = ignored == 1 ? "a command" : "\(ignored) commands so far, the last"
        log.warning("\(sink.name): ignored \(commands): \(reason)")
    }

    private func succeeded() {
        guard trouble.succeed(at: loop.now) else {
            if let end = trouble.end { loop.arm(proof, at: end) }
            return
        }
        loop.disarm(proof)
        log.notice("the sink \(sink.name) is connected again")
        onChange?()
    }

    // MARK: Backlog

    /// Sends the next page of the backlog when it is due.
    private func sendBacklog() {
        guard isConnected, let history, let numbers = outbox?.nextBacklog else { return }
        guard loop.now >= nextPage else { return loop.arm(pace, at: nextPage) }
        loop.disarm(pace)
        do {
            try sendPage(of: numbers, history)
        } catch {
            // The history reports its failure itself.
            nextPage = loop.now + OutputRetryPause.longest
            loop.arm(pace, at: nextPage)
        }
    }

    private func sendPage(of numbers: Range<Int64>, _ history: any ReadingLog) throws {
        let limit = min(numbers.count, max(1, sink.backlogRate))
        let page = try history.readings(after: numbers.lowerBound - 1, limit: limit)
        let first = min(page.first?.sequence ?? numbers.upperBound, numbers.upperBound)
        if first > numbers.lowerBound {
            guard !history.isCopying else {
                // Copied readings may still fill the gap.
                nextPage = loop.now + Self.pagePause
                return loop.arm(pace, at: nextPage)
            }
            outbox?.skip(numbers.lowerBound..<first)
            return sendBacklog()
        }
        var batch: [LiveReading] = []
        for reading in page {
            guard reading.sequence == first + Int64(batch.count), reading.sequence < numbers.upperBound else { break }
            guard !hold.holds(reading) else {
                loop.arm(pace, at: loop.now + hold.left)
                break
            }
            batch.append(LiveReading(reading))
        }
        guard let last = batch.last?.sequence, let key = outbox?.sent(first..<last + 1, isLive: false) else { return }
        nextPage = loop.now + Self.pagePause
        sink.send(batch, isLive: false, key: key)
    }

    // MARK: Out

    /// Returns the sink's status; `nil` until its position is known.
    ///
    /// - Parameter time: milliseconds since 1970.
    func status(time: Int64) -> SinkStatus? {
        guard isLocated else { return nil }
        var status = SinkStatus(name: sink.name)
        status.position = outbox?.position
        status.confirmed = outbox?.confirmed ?? []
        status.backlog = outbox?.backlog ?? 0
        status.dropped = outbox?.lost ?? 0
        status.failure = trouble.text
        if trouble.isFailing { status.nextTry = time + (max(trouble.nextTry, loop.now) - loop.now).wholeMilliseconds }
        return status
    }

    /// Whether there is nothing to wait for: the sink has the newest reading, or it fails.
    var isSettled: Bool { trouble.isFailing || outbox?.isNewestConfirmed != false }

    /// Makes the sink send at once what waits for more readings.
    func hurry() { sink.hurry() }

    /// Ends all attempts.
    func end() {
        stop()
        sink.end()
    }

    /// Ends all attempts, because a sink of the same name takes over.
    func handOver() {
        stop()
        sink.handOver()
    }

    private func stop() {
        isEnded = true
        loop.disarm(pace)
        loop.disarm(retry)
        loop.disarm(proof)
    }
}
