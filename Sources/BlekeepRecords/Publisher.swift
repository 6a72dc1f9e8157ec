import Logging
import RunLoop

/// Publishes readings to a sink: new ones, and those of the history that the sink lacks, as its `delivery` says.
///
/// When the sink fails, the publisher tries again with pauses that grow to a minute. A server gets again what it hasn't
/// confirmed, also after a crash, because the history stores what it confirmed. A sink with `ordered` knows itself what it
/// has.
final class Publisher: @unchecked Sendable {
    let sink: any Sink
    private let history: (any ReadingLog)?
    private let loop: RunLoop
    private let log: Logger
    private let hold: ClockHold
    /// What the sink lacks of the history; `nil` until its position is known, and without a history.
    private var outbox: Outbox?
    /// The same of what devices kept in their own memory; `nil` for a sink that isn't a server.
    private var logged: LoggedOutbox?
    /// What waits for a sink with `liveOnly`.
    private var live = LiveQueue()
    private var trouble: SinkTrouble
    private var isConnected: Bool
    private var isEnded = false
    /// Where a new sink begins: at the last number of the history when the publisher began.
    private var start: Int64?
    /// When the next page of the backlog may be sent.
    private var nextPage = Uptime.start
    /// How often in a row a server failed with a page of the backlog. The backlog then waits, so that new readings arrive.
    private var backlogFailures = 0
    /// The number of readings that the sink refused for good.
    private var refused = 0
    private var budget = CommandBudget()
    /// The number of ignored commands.
    private var ignored = 0
    private lazy var pace = ClosureTimer { [weak self] in self?.sendBacklog() }
    private lazy var retry = ClosureTimer { [weak self] in self?.connect() }
    private lazy var proof = ClosureTimer { [weak self] in self?.succeeded() }

    /// Called when the sink fails for the first time or works again, and when a server confirms a part of the backlog.
    var onChange: (() -> Void)?

    /// Called with each command that a user gave through the sink.
    var onCommand: ((DeviceCommand, _ answer: @escaping (Result<[UInt8], ReadingFailure>) -> Void) -> Void)?

    /// Called after each event of the sink.
    var onEvent: (() -> Void)?

    /// The sink's last failure; `nil` after a success.
    var error: (any Error)? { trouble.error }

    /// The pause before the next look at a gap that copied readings may still fill.
    static let gapPause: Duration = .seconds(1)

    /// - Parameters:
    ///   - history: the stored readings; `nil` to publish only new readings.
    ///   - sinceBoot: returns the time since the machine's start; `nil` to never wait for the clock.
    init(
        _ sink: any Sink, of gateway: String? = nil, history: (any ReadingLog)?, loop: RunLoop, log: Logger,
        sinceBoot: (() -> Duration)? = nil
    ) {
        self.sink = sink
        self.history = sink.delivery == .liveOnly ? nil : history
        self.loop = loop
        self.log = log
        trouble = SinkTrouble(of: sink.delivery == .liveOnly ? nil : gateway)
        hold = ClockHold(sinceBoot: sinceBoot)
        isConnected = sink.delivery == .liveOnly
        sink.onEvent = { [unowned self] in self.handle($0) }
    }

    /// Lets a server connect for the first time.
    func open() { if isServer { connect() } }

    /// Finds the sink's position in the history. Call it before the first reading is stored, and again if it throws.
    ///
    /// - Parameter kept: the sink's last status in the history.
    func begin(_ kept: SinkStatus?) throws {
        guard let history, outbox == nil else { return }
        let newest = try history.bounds().newest
        let start = start ?? newest
        self.start = start
        // A new sink begins with new readings, unless its position may still come from a damaged history.
        guard let position = kept?.position ?? (history.isCopying ? nil : start) else { return }
        if isServer {
            logged = LoggedOutbox(after: try kept?.logged ?? history.lastLogged())
            outbox = Outbox(after: min(position, newest), confirmed: kept?.confirmed ?? [], newest: newest)
            sendBacklog()
        } else {
            outbox = Outbox(after: position, newest: newest)
            connect()
        }
    }

    /// Whether the sink's position in the history is known, or not needed.
    var isLocated: Bool { history == nil || outbox != nil }

    // MARK: In

    /// Offers readings that the history holds.
    ///
    /// - Parameter shown: how many readings, counted from the first, were offered before. A server gets them again as a
    ///   part of the backlog.
    func offer(_ stored: [StoredReading], shown: Int) {
        guard sink.delivery != .liveOnly else { return queue(stored.dropFirst(shown).map(LiveReading.init(_:))) }
        guard let last = stored.last?.sequence, outbox != nil else { return sendLogged() }
        outbox?.stored(upTo: last)
        let new = isServer ? stored.dropFirst(shown) : stored[...]
        if let first = new.first?.sequence, maySendLive(from: first), !new.contains(where: hold.holds),
            let key = outbox?.sent(first..<last + 1, isLive: true)
        {
            send(new.map(LiveReading.init(_:)), isLive: true, key: key)
        }
        // They end the short pause between two pages for a file, not the second that keeps to a server's rate.
        if !isServer { nextPage = loop.now }
        sendBacklog()
    }

    private func maySendLive(from first: Int64) -> Bool {
        guard isConnected, let outbox else { return false }
        return isServer ? outbox.hasLiveRoom : outbox.position == first - 1
    }

    /// Offers readings that the history can't store now.
    func offer(unkept readings: [LiveReading]) {
        switch sink.delivery {
        case .ordered: break
        case .newestFirst: if isConnected, !readings.isEmpty { send(readings, isLive: true, key: nil) }
        case .liveOnly: queue(readings)
        }
    }

    private func queue(_ readings: [LiveReading]) {
        guard !readings.isEmpty else { return }
        live.add(readings)
        if isConnected { sendQueue() }
        live.trim()
    }

    /// Takes the condition of a device. A device in `trying` stays as available as before.
    func note(_ device: DeviceID, _ condition: DeviceCondition) {
        switch condition {
        case .new, .trying: break
        case .good: sink.note(device, isAvailable: true)
        case .lost, .needsUser: sink.note(device, isAvailable: false)
        }
    }

    // MARK: The sink

    private var isServer: Bool { sink.delivery.isServer }

    private func connect() {
        switch sink.delivery {
        case .newestFirst: sink.connect()
        case .ordered:
            do { try resume() } catch { return failed(error) }
            isConnected = true
            sendBacklog()
            if isConnected { succeeded() }
        case .liveOnly:
            isConnected = true
            sendQueue()
        }
    }

    /// Asks the sink for the last reading that it has.
    private func resume() throws {
        guard let outbox else { return }
        let position = try sink.position(kept: outbox.position)
        if position > outbox.newest {
            try sink.send(.restarted(after: outbox.newest))
            log.warning(
                "the sink \(sink.name) has readings up to \(position), the history up to \(outbox.newest): an older history was restored; continuing with what comes now"
            )
        }
        self.outbox?.resume(after: min(position, outbox.newest))
    }

    private func send(_ readings: [LiveReading], isLive: Bool, key: Int?) {
        do { try sink.send(readings, isLive: isLive, key: key) } catch { return failed(error) }
        if !isServer, let key { confirmed(key) }
    }

    private func sendQueue() {
        guard !live.isEmpty else { return }
        do { try sink.send(live.readings) } catch { return failed(error) }
        live.removeAll()
        succeeded()
    }

    private func handle(_ event: SinkEvent) {
        guard !isEnded else { return }
        defer { onEvent?() }
        switch event {
        case .connected:
            isConnected = true
            if sink.isProvenByConnection { succeeded() }
            if backlogFailures > 0 { nextPage = loop.now + OutputRetryPause.length(after: backlogFailures - 1) }
            sendBacklog()
        case .lost(let error): failed(error)
        case .lacks(let numbers): reopen(numbers)
        case .refused(let count, let reason): refused(count, reason: reason)
        case .command(let command, let words): obey(command, words: words)
        case .decided(let command): onCommand?(command) { _ in }
        case .ignored(let reason): ignore(reason)
        case .confirmed(let key): confirmed(key)
        }
    }

    private func reopen(_ numbers: [Range<Int64>]) {
        logged?.reopen(numbers)
        guard let oldest = try? history?.bounds().oldest,
            let count = outbox?.reopen(numbers, oldest: oldest), count > 0
        else { return }
        log.warning("the sink \(sink.name) no longer has \(count) readings that it confirmed; sending them again")
        onChange?()
    }

    private func confirmed(_ key: Int) {
        let isBacklog = logged?.confirm(key) == true ? true : outbox?.confirm(key)
        if isBacklog == true { backlogFailures = 0 }
        // As long as a server fails with the backlog, it works only in part.
        if backlogFailures == 0 { succeeded() }
        guard isBacklog == true else { return }
        // The history stores what a server has; a file knows that itself.
        if isServer { onChange?() }
        sendBacklog()
    }

    private func failed(_ error: any Error) {
        isConnected = false
        if isServer, outbox?.isSendingBacklog == true || logged?.isSending == true { backlogFailures += 1 }
        outbox?.lostConnection()
        logged?.lostConnection()
        let isNew = trouble.record(error, at: loop.now)
        loop.disarm(pace)
        loop.disarm(proof)
        // A closed sink never takes readings again.
        if !sink.isClosed {
            loop.arm(retry, at: trouble.nextTry)
            if isNew { log.warning("can't send readings to the sink \(sink.name): \(error); still retrying") }
        }
        if isNew { onChange?() }
    }

    private func succeeded() {
        guard trouble.succeed(at: loop.now) else {
            // A file proves itself with the next reading, and a server perhaps with a connection alone.
            if isServer, let end = trouble.end { loop.arm(proof, at: end) }
            return
        }
        loop.disarm(proof)
        log.notice("the sink \(sink.name) works again")
        onChange?()
    }

    private func refused(_ count: Int, reason: String) {
        let refused = refused + count
        // The 1st, 2nd, 4th, 8th … time.
        if refused.leadingZeroBitCount < self.refused.leadingZeroBitCount {
            let readings = refused == 1 ? "a reading" : "\(refused) readings so far, the last"
            log.warning("the sink \(sink.name) refused \(readings): \(reason); skipped")
        }
        self.refused = refused
        outbox?.refused(count)
    }

    private func obey(_ command: DeviceCommand, words: String) {
        guard budget.spend(at: loop.now) else { return ignore("too many commands") }
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

    // MARK: Backlog

    /// Sends the next page of the backlog when it is due.
    private func sendBacklog() {
        guard isConnected, let history else { return }
        guard let numbers = outbox?.nextBacklog else { return sendLogged() }
        guard loop.now >= nextPage else { return loop.arm(pace, at: nextPage) }
        loop.disarm(pace)
        let limit = min(numbers.count, sink.delivery.pageSize)
        do {
            let page = try history.readings(after: numbers.lowerBound - 1, limit: limit)
            send(Outbox.Page(page, of: numbers, isHeld: hold.holds), isCopying: history.isCopying)
        } catch {
            // The history reports its failure itself.
            wait(OutputRetryPause.max)
        }
    }

    /// Sends the next page of what devices kept in their own memory, when there is one.
    private func sendLogged() {
        guard isConnected, let history, let logged, logged.mayLook(at: loop.now), outbox?.nextBacklog == nil else {
            return
        }
        guard loop.now >= nextPage else { return loop.arm(pace, at: nextPage) }
        do {
            let page = try history.logged(after: logged.position, limit: sink.delivery.pageSize)
            guard let last = page.last?.sequence, let key = self.logged?.sent(upTo: last) else {
                self.logged?.foundNothing(at: loop.now)
                return
            }
            nextPage = loop.now + sink.delivery.pagePause
            send(page.map(LiveReading.init(logged:)), isLive: false, key: key)
        } catch {
            // The history reports its failure itself.
            wait(OutputRetryPause.max)
        }
    }

    private func send(_ page: Outbox.Page, isCopying: Bool) {
        switch page {
        // Copied readings may still fill the gap.
        case .gap where isCopying: wait(Self.gapPause)
        case .gap(let numbers) where isServer:
            outbox?.skip(numbers, isLost: true)
            sendBacklog()
        case .gap(let numbers):
            let gap = numbers.lowerBound...numbers.upperBound - 1
            do { try sink.send(.missing(gap)) } catch { return failed(error) }
            outbox?.skip(numbers, isLost: false)
            wait(sink.delivery.pagePause)
        case .readings(let batch, let isFollowedByHeld):
            if isFollowedByHeld { loop.arm(pace, at: loop.now + hold.left) }
            guard let first = batch.first?.sequence, let last = batch.last?.sequence,
                let key = outbox?.sent(first..<last + 1, isLive: false)
            else { return }
            nextPage = loop.now + sink.delivery.pagePause
            send(batch, isLive: false, key: key)
        }
    }

    private func wait(_ pause: Duration) {
        nextPage = loop.now + pause
        loop.arm(pace, at: nextPage)
    }

    // MARK: Out

    /// Returns the sink's status; `nil` until its position is known.
    func status(time: Int64) -> SinkStatus? {
        guard isLocated else { return nil }
        var status = SinkStatus(name: sink.name)
        status.position = outbox?.position
        status.logged = logged?.position
        status.confirmed = isServer ? outbox?.confirmed ?? [] : nil
        status.backlog = outbox?.backlog ?? Int64(live.readings.count)
        status.dropped = outbox?.lost ?? live.dropped
        status.failure = trouble.text ?? sink.failure
        if trouble.isFailing { status.nextTry = time + (max(trouble.nextTry, loop.now) - loop.now).wholeMilliseconds }
        return status
    }

    /// Whether the end of `poll` need not wait for the sink: it isn't a server, it has the newest reading, or it fails.
    var isSettled: Bool { !isServer || trouble.isFailing || outbox?.isNewestConfirmed != false }

    // MARK: The end

    /// Ends all attempts.
    ///
    /// - Parameter isHandedOver: whether a sink of the same name and role takes over.
    func end(isHandedOver: Bool = false) {
        isEnded = true
        for timer in [pace, retry, proof] { loop.disarm(timer) }
        if isHandedOver { sink.handOver() } else { sink.end() }
    }
}

extension SinkDelivery {
    /// Whether the sink confirms readings later.
    var isServer: Bool { if case .newestFirst = self { true } else { false } }

    /// The number of readings of the history to send at a time.
    var pageSize: Int { if case .newestFirst(let rate) = self { max(1, rate) } else { 256 } }

    /// The pause between two pages.
    var pagePause: Duration { if case .newestFirst = self { .seconds(1) } else { .milliseconds(1) } }
}
