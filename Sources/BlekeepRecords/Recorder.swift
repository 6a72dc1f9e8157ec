import Logging
import RunLoop

/// Takes readings, attempts and snapshots from the poller, and writes them to the store in time.
///
/// A commit comes at most a second after the first new reading. At the end of a tick, a durable commit comes as often as
/// the disk's budget allows, so that a power cut loses at most 40 s. While the disk takes long for a commit, new records
/// wait in memory, and nothing else does.
package final class Recorder: @unchecked Sendable {
    private let store: any Store
    private let heartbeats: HeartbeatScheduler?
    private let clocks: (() -> ClockReading)?
    private let wallTime: () -> Int64
    private var waiting = WaitingReadings()
    private var book: LedgerBook?
    /// Whether the ledger changed.
    private var hasNews = false
    package let publishers: Publishers
    package let writer: StoreWriter
    private let loop: RunLoop
    private let log: Logger
    private let sinkEvent: Gate
    private let writerEvent: Gate
    private var waitsForSinks = true
    private var earlier = EarlierRun()
    private var policy = CommitPolicy() {
        didSet { if policy.due != oldValue.due { arm() } }
    }
    private lazy var timer = ClosureTimer { [weak self] in self?.cameDue() }
    private lazy var display = ClosureTimer { [weak self] in self?.show() }

    /// Called when the ledger of an earlier run could be read only after the start.
    package var onInheritance: ((Inheritance) -> Void)?

    /// The number of readings that may wait for a failing store. Then the oldest are dropped.
    static let maxWaiting = 10_000

    /// - Parameters:
    ///   - gateway: this gateway's name; `nil` where no sink needs it.
    ///   - clocks: reads the machine's clocks; `nil` when the time of day is right.
    ///   - wallTime: returns milliseconds since 1970.
    package init(
        store: any Store, sinks: [any Sink], gateway: String? = nil, loop: RunLoop, log: Logger,
        heartbeats: HeartbeatScheduler? = nil, book: LedgerBook? = nil, clocks: (() -> ClockReading)? = nil,
        wallTime: @escaping () -> Int64 = WallClock.milliseconds
    ) {
        self.store = store
        self.loop = loop
        self.log = log
        sinkEvent = Gate(loop)
        writerEvent = Gate(loop)
        self.heartbeats = heartbeats
        self.clocks = clocks
        self.wallTime = wallTime
        self.book = book
        writer = StoreWriter(store, on: loop, clocks: clocks)
        let sinceBoot = clocks.map { clocks in { clocks().sinceBoot } }
        publishers = Publishers(sinks, of: gateway, store: store, on: loop, log: log, sinceBoot: sinceBoot)
        // unowned, because weak would make each use of the recorder slower.
        publishers.onChange = { [unowned self] in self.note() }
        writer.mayDoUpkeep = { [unowned self] in !policy.isFailing && !isResting }
        writer.onSlow = { [unowned self] in self.isSlow(isNew: $0) }
        writer.onFree = { [unowned self] in self.writerIsFree() }
    }

    private var hasLedger: Bool { store is any Ledger }
    private var isEmpty: Bool { waiting.isEmpty && !hasNews }
    /// Whether the machine is about to sleep, or to shut down.
    private var isResting: Bool { heartbeats?.rest != nil }

    package func apply(_ new: Reconfiguration) {
        book?.apply(new, at: wallTime())
        note()
    }

    /// Replaces the sinks, except those that are in both lists. A new sink continues where the one of its name ended.
    /// Returns whether a sink is new.
    package func replace(_ sinks: [any Sink]) -> Bool {
        if publishers.have(sinks) { return false }
        // The new sinks read the positions of the old ones from the store.
        if !policy.isFailing { commit(durable: true) }
        defer { note() }
        return publishers.replace(sinks)
    }

    /// Records the start of `poll` in the store, and the gap before it, and lets servers connect.
    package func begin() {
        if let heartbeats {
            heartbeats.start()
            earlier.isGapUnread = true
            commit(durable: false)
        }
        publishers.open()
    }

    /// Whether a user is watching. Each commit then takes all changes.
    package var isWatched = false

    // MARK: Earlier runs

    /// Reads the ledger of an earlier run. If that fails now, `onInheritance` follows later.
    package func inherit(for configuration: PollConfiguration) -> Inheritance {
        guard hasLedger, let start = clocks?() else { return Inheritance() }
        hasNews = true
        earlier.expectLegacy(for: configuration, at: start, needsReadings: book?.needsReadings ?? false)
        do { return resume(try earlier.read(in: store)) ?? Inheritance() } catch {
            log.warning("can't read the last run's attempts; still retrying: \(error)")
            return Inheritance()
        }
    }

    /// Takes what an earlier run left.
    private func resume(_ found: EarlierRun.Found) -> Inheritance? {
        if earlier.isGapUnread, let gap = heartbeats?.begin(after: found.lastHeartbeat)?.notice { log.notice("\(gap)") }
        earlier = EarlierRun()
        guard var legacy = found.legacy else { return nil }
        // They are the service's.
        if book?.isOneOff == true { legacy.inheritance.strays = [] }
        book?.resume(legacy, at: moment, uptime: loop.now)
        return legacy.inheritance
    }

    /// Reads what the store holds of devices that join this run: their conditions and their pauses, but no connections.
    package func earlier(of changes: [DeviceChange]) throws -> EarlierRun.Legacy {
        var joining: [DeviceNumber: DeviceConfiguration] = [:]
        for change in changes { if case .joined(let setting) = change.kind { joining[change.number] = setting.device } }
        guard let ledger = store as? any Ledger, !joining.isEmpty else { return EarlierRun.Legacy() }
        if !policy.isFailing { commit(durable: false) }
        guard writer.isFree() else { throw UserError("the disk takes long for the last commit; try again") }
        let (statuses, entries) = try ledger.lastKnown()
        let inheritance = Inheritance(statuses, of: joining, from: clocks?().time ?? .min)
        return EarlierRun.Legacy(inheritance: inheritance, statuses: statuses, entries: entries)
    }

    // MARK: In

    package func record(_ readings: [Reading]) {
        book?.count(readings)
        let clocks = clocks?()
        // Readings from before and after the clock was set need different commits.
        if waiting.isOtherEpoch(clocks), !policy.isFailing { commit(durable: false) }
        waiting.add(readings, at: clocks)
        if book != nil { report(book?.observe(readings, at: moment(clocks), uptime: loop.now) ?? []) }
        let excess = waiting.count - Self.maxWaiting
        if excess > 0 {
            if excess > waiting.shown { show() }
            waiting.drop(excess)
            policy.dropped(excess)
        }
        if policy.isFailing { showSoon() }
        // Before a sleep or the end, new readings are written to disk at once.
        if policy.isUrgent(isResting: isResting) { return commit(durable: true) }
        policy.comeSoon(at: loop.now)
    }

    package func record(_ status: PowerStatus) {
        heartbeats?.apply(status)
        if !policy.isFailing { comeBack() }
    }

    /// Records the end of an attempt, and the device's condition after it.
    package func record(_ attempt: Attempt, _ condition: DeviceCondition, of number: DeviceNumber) {
        guard let device = book?[number] else { return note() }
        for publisher in publishers.all { publisher.note(device.id, condition) }
        for line in book?.record(attempt, condition, of: device, at: wallTime()) ?? [] {
            let status = device.attempts.status
            log.log(
                level: line.level, "\(line.text)",
                metadata: .device(status.name, address: status.address, event: line.event, code: line.code))
        }
        note()
    }

    /// Records the end of an attempt that concerns all devices.
    package func record(_ attempt: Attempt) {
        book?.record(attempt, at: wallTime())
        note()
    }

    /// - Parameter rssi: the last signal strength in dBm.
    package func record(_ snapshot: DeviceSnapshot, of number: DeviceNumber, rssi: Int?) {
        // Other gateways wait for it, and no tick may come.
        if book?.apply(snapshot, rssi: rssi, of: number, at: loop.now) == true { note() }
        report(book?.applyToRules(snapshot, of: number, at: moment) ?? [])
        if !policy.isFailing { comeBack() }
    }

    /// Records how many of a device's values its throttles dropped. That alone is no reason to commit.
    package func record(_ dropped: DroppedValues, of number: DeviceNumber) { book?[number]?.dropped = dropped }

    /// Records what blekeep recognized a device by, for later runs.
    package func record(_ identity: BroadcastIdentity, of number: DeviceNumber) {
        book?[number]?.attempts.status.identity = identity
        note()
    }

    package func record(_ snapshot: MachineSnapshot) {
        book?.apply(snapshot)
        note()
    }

    /// Schedules a commit, because the ledger changed.
    private func note() {
        hasNews = true
        policy.comeSoon(at: loop.now)
    }

    // MARK: Rules

    private var moment: RuleMoment { moment(clocks?()) }

    private func moment(_ clocks: ClockReading?) -> RuleMoment {
        clocks.map { RuleMoment($0) } ?? RuleMoment(time: wallTime())
    }

    /// Logs the rules that fire or are over. The next commit takes their statuses.
    private func report(_ changes: [RuleMachine.Change]) {
        guard !changes.isEmpty else { return }
        for change in changes {
            let status = change.status
            guard let device = book?.status(of: status.device) else { continue }
            log.notice(
                "\(device.name): the rule \(status.rule) \(change.isFiring ? "fires" : "is over"): \(status.message ?? "")",
                metadata: .device(
                    device.name, address: device.address, event: change.isFiring ? .ruleFires : .ruleEnds))
        }
        note()
    }

    // MARK: When

    /// Records a connection attempt before it starts, so that the next run recognizes the connection after a crash.
    package func writeAhead(_ number: DeviceNumber) {
        if book?.claim(number, at: loop.now) == true { writeAhead() }
    }

    /// Writes the newest snapshots now, unless the store fails.
    package func writeAhead() {
        guard hasLedger else { return }
        hasNews = true
        if !policy.isFailing { commit(durable: false) }
    }

    /// Writes everything to disk at the end of a tick, as soon as the disk's budget allows.
    package func settle() {
        if !isEmpty || policy.isDirty { commit(durable: policy.settle(at: loop.now)) }
    }

    /// Writes everything to disk, now and from now on, because the program must end.
    package func flush() {
        policy.hurry()
        if !policy.isFailing { commit(durable: true) }
    }

    /// Writes everything to disk, and waits until each server has the newest reading or fails, at most until
    /// `deadline`.
    package func settleSinks(until deadline: Uptime) async {
        guard waitsForSinks, publishers.hasServer else { return }
        flush()
        publishers.onEvent = { [unowned self] in sinkEvent.open() }
        publishers.forEachSink { $0.hurry() }
        while waitsForSinks, !publishers.areSettled, loop.now < deadline { await sinkEvent.wait(until: deadline) }
    }

    /// Ends `settleSinks`, or keeps it from waiting.
    package func leaveSinks() {
        waitsForSinks = false
        sinkEvent.open()
    }

    /// Writes everything to disk now, with a heartbeat of this state. Waits longer than usual, because the machine doesn't.
    package func rest(_ state: Heartbeat.State) {
        heartbeats?.turn(to: state)
        policy.overspend(at: loop.now)
        commit(durable: true, within: Self.lastPatience)
    }

    /// How long the loop waits for the disk before a sleep, and at the end.
    private static let lastPatience: Duration = .seconds(2)

    /// Writes everything to disk, and records the normal end of `poll`.
    package func close(_ state: Heartbeat.State) {
        book?.end(at: wallTime())
        hasNews = true
        rest(state)
    }

    /// Waits for a slow disk until everything is written, at most until `deadline`.
    package func settleStore(until deadline: Uptime) async {
        guard writer.isBusy else { return }
        log.notice("waiting for the disk before the end")
        while writer.isBusy, loop.now < deadline { await writerEvent.wait(until: deadline) }
    }

    /// Ends, and reports the readings that couldn't be stored.
    package func end() {
        show()
        writer.end()
        for publisher in publishers.all { publisher.end() }
        loop.disarm(timer)
        let lost = policy.lost + backlog
        if lost > 0 { log.error("\(lost) readings are lost: they couldn't be written to the history") }
    }

    // MARK: Commits

    private func arm() {
        if policy.due == .never { loop.disarm(timer) } else { loop.arm(timer, at: policy.due) }
    }

    private func cameDue() {
        // Its decision comes when the work in progress has ended.
        if writer.isBusy { policy.follow(durable: false) } else { commit(durable: policy.cameDue(at: loop.now)) }
    }

    /// Work ended that the loop didn't wait for.
    private func writerIsFree() {
        writerEvent.open()
        if policy.follows { cameDue() }
    }

    /// Writes what waits: at once, or after the work in progress when the disk takes long for it.
    private func commit(durable: Bool, within patience: Duration = StoreWriter.patience) {
        guard writer.isFree(within: patience) else { return policy.follow(durable: durable) }
        policy.begin()
        // Until that is read, nothing is written that would hide it.
        if earlier.isUnread {
            writer.run(within: patience) { [earlier, store] in
                try earlier.read(in: store)
            } then: { [self] result in
                do {
                    if let inheritance = resume(try result.get()) { onInheritance?(inheritance) }
                } catch { return failed(error) }
                commit(durable: durable, within: patience)
            }
            return
        }
        do { try publishers.begin(in: store) } catch { return failed(error) }
        let heartbeat = heartbeats?.beat(at: loop.now) { book?.offerWork(at: loop.now) ?? [] }
        guard !isEmpty || heartbeat != nil || durable || loop.now >= ledgerDue else { return comeBack() }
        // Readings from before the clock was set.
        while waiting.groups.count > 1 {
            let end = write(RecordBatch(readings: waiting.groups[0]), within: patience) { [self] stored in
                works(durable: false, isEmpty: false)
                offer(stored)
            }
            switch end {
            case .stored: continue
            case .failed: return
            case nil: return policy.follow(durable: durable)
            }
        }
        let batch = lastBatch(heartbeat, durable: durable)
        hasNews = false
        write(batch, within: patience) { [self] in committed(batch, $0) }
    }

    private func lastBatch(_ heartbeat: Heartbeat?, durable: Bool) -> RecordBatch {
        let clocks = clocks?()
        if let clocks { report(book?.advance(at: RuleMoment(clocks), uptime: loop.now) ?? []) }
        var batch = RecordBatch(
            readings: waiting.groups.first ?? .init(clocks: clocks, readings: []), heartbeat: heartbeat,
            hasNews: hasNews, isDurable: durable)
        guard let clocks, hasLedger else { return batch }
        let time = wallTime()
        let sinks = publishers.statuses(time: time)
        batch.heartbeat?.backlogs = Dictionary(sinks.map { ($0.name, $0.backlog) }, uniquingKeysWith: max)
        book?.apply(sinks, missed: publishers.missed)
        let scope: LedgerBook.Scope = durable || isWatched ? .all : .news
        batch.changes = book?.changes(scope, clocks, time: time, at: loop.now) ?? LedgerChanges()
        return batch
    }

    /// How the write of a batch ended.
    private enum WriteEnd { case stored, failed }

    /// Writes the first of the waiting groups of readings, and what else the batch has. Returns `nil` when it goes on.
    @discardableResult
    private func write(
        _ batch: RecordBatch, within patience: Duration, then stored: @escaping ([StoredReading]) -> Void
    ) -> WriteEnd? {
        waiting.beginWriting()
        var end: WriteEnd?
        writer.run(within: patience) { [store] in
            try batch.write(to: store)
        } then: { [self] result in
            do {
                stored(try result.get())
                end = .stored
            } catch {
                waiting.endWriting()
                if batch.hasNews { hasNews = true }
                failed(error)
                end = .failed
            }
        }
        return end
    }

    private func failed(_ error: any Error) {
        if !policy.isFailing {
            log.error(
                "can't write readings to the history: \(error); keeping the newest in memory",
                metadata: .event(.historyFails))
        }
        policy.failed(at: loop.now)
        show()
    }

    /// The store took a write.
    private func works(durable: Bool, isEmpty: Bool) {
        if let message = policy.succeeded(durable: durable, isEmpty: isEmpty, at: loop.now) {
            log.notice("\(message)", metadata: .event(.historyWorks))
        }
        loop.disarm(display)
    }

    /// The store holds the batch.
    private func committed(_ batch: RecordBatch, _ stored: [StoredReading]) {
        works(durable: batch.isDurable, isEmpty: batch.isEmpty)
        book?.committed(withHeartbeat: batch.heartbeat != nil, at: loop.now)
        if let heartbeat = batch.heartbeat { heartbeats?.committed(heartbeat, at: loop.now) }
        offer(stored)
        publishers.forEachSink { $0.note(batch.changes, batch.heartbeat) }
        comeBack()
        writer.resumeUpkeep()
    }

    /// Offers the sinks the readings that the store holds now.
    private func offer(_ stored: [StoredReading]) {
        let shown = waiting.removeFirst()
        for publisher in publishers.all { publisher.offer(stored, shown: shown) }
    }

    /// The disk takes long, so that the log and the status have it.
    private func isSlow(isNew: Bool) {
        book?.apply(writer.slow)
        guard isNew else { return }
        log.warning(
            "the disk takes longer than \(DurationText.text(SlowWrites.least)) to write to the history; what is read meanwhile waits in memory; the status counts how often"
        )
        note()
    }

    /// Schedules the next commit for records that aren't on the disk yet, or for the next heartbeat.
    private func comeBack() { policy.comeBack(at: min(heartbeats?.silentUntil ?? .never, ledgerDue), now: loop.now) }

    /// When the ledger must be written; `.never` while the machine is about to sleep.
    private var ledgerDue: Uptime { isResting ? .never : book?.due ?? .never }

    // MARK: While the store fails

    /// Lets the sinks show new readings after a second.
    private func showSoon() {
        if !display.isArmed { loop.arm(display, at: loop.now + CommitPolicy.maxWait) }
    }

    /// Lets the sinks show the readings that wait for the store.
    private func show() {
        loop.disarm(display)
        let readings = waiting.show()
        for publisher in publishers.all { publisher.offer(unkept: readings) }
    }

    // MARK: Out

    /// The number of readings that wait for the store.
    package var backlog: Int { waiting.count }

    package func status(of number: DeviceNumber) -> DeviceStatus? {
        book?.status(of: number, time: wallTime(), at: loop.now)
    }

    /// The time since a commit was due.
    package var commitLag: Duration { policy.lag(at: loop.now) }
}
