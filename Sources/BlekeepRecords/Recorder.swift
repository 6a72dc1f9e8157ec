import Logging
import RunLoop

/// Takes readings, attempts and snapshots from the keeper, and writes them to the store in time.
///
/// A commit comes at most a second after the first new reading. At the end of a tick, a durable commit comes as often as
/// the disk's budget allows, so that a power cut loses at most 40 s.
package final class Recorder: @unchecked Sendable {
    private let store: any Store
    private let pending: PendingRecords
    private let publishers: Publishers
    private let upkeep: StoreUpkeep
    private let writes: WriteTimer
    private let loop: RunLoop
    private let log: Logger
    private let sinkEvent: Gate
    private var waitsForSinks = true
    private var earlier = EarlierRun()
    /// Whether a slow write must be in the store soon.
    private var isSlownessNew = false
    private var policy = CommitPolicy() {
        didSet { if policy.due != oldValue.due { arm() } }
    }
    private lazy var timer = ClosureTimer { [weak self] in self?.cameDue() }
    private lazy var display = ClosureTimer { [weak self] in self?.show() }

    /// Called when the ledger of an earlier run could be read only after the start.
    package var onInheritance: ((Inheritance) -> Void)?

    /// The number of readings that may wait for a failing store. Then the oldest are dropped.
    static let mostWaiting = 10_000

    /// - Parameters:
    ///   - clocks: reads the machine's clocks; `nil` when the time of day is right.
    ///   - wallTime: returns milliseconds since 1970.
    package init(
        store: any Store, sinks: [any Sink], loop: RunLoop, log: Logger,
        heartbeats: HeartbeatScheduler? = nil, book: LedgerBook? = nil, clocks: (() -> ClockReading)? = nil,
        wallTime: @escaping () -> Int64 = WallClock.milliseconds
    ) {
        self.store = store
        self.loop = loop
        self.log = log
        sinkEvent = Gate(loop)
        pending = PendingRecords(book: book, heartbeats: heartbeats, clocks: clocks, wallTime: wallTime)
        writes = WriteTimer(clocks: pending.readClocks)
        upkeep = StoreUpkeep(of: store, writes, on: loop)
        let sinceBoot = clocks.map { clocks in { clocks().sinceBoot } }
        publishers = Publishers(sinks, of: store, on: loop, log: log, sinceBoot: sinceBoot)
        // unowned, because weak would make each use of the recorder slower.
        publishers.onChange = { [unowned self] in self.note() }
        upkeep.mayWork = { [unowned self] in !policy.isFailing && !pending.isResting }
        writes.onSlow = { [unowned self] in self.wasSlow($0, isNew: $1) }
    }

    private var hasLedger: Bool { store is any Ledger }

    /// Takes a new configuration.
    package func take(_ new: Reconfiguration) {
        pending.take(new)
        policy.comeSoon(at: loop.now)
    }

    /// Replaces the sinks, except those that are in both lists. A new sink continues where the one of its name ended.
    package func replace(_ sinks: [any Sink]) {
        // The new sinks read the positions of the old ones from the store.
        if !policy.isFailing { commit(durable: true) }
        publishers.replace(sinks)
        note()
    }

    /// Records the start of `poll` in the store, and the gap before it, and lets servers connect.
    package func begin() {
        if pending.start() {
            earlier.expectGap()
            commit(durable: false)
        }
        publishers.open()
    }

    /// Whether a user is watching. Each commit then takes all changes.
    package var isWatched: Bool {
        get { pending.isWatched }
        set { pending.isWatched = newValue }
    }

    // MARK: Earlier runs

    /// Reads the ledger of an earlier run. If that fails now, `onInheritance` follows later.
    package func inherit(for configuration: PollConfiguration) -> Inheritance {
        guard hasLedger, let start = pending.readClocks() else { return Inheritance() }
        pending.note()
        earlier.expectLegacy(for: configuration, at: start)
        do { return try readLegacy() ?? Inheritance() } catch {
            log.warning("can't read the last run's attempts; still retrying: \(error)")
            return Inheritance()
        }
    }

    private func readLegacy() throws -> Inheritance? {
        guard let legacy = try earlier.readLegacy(in: store) else { return nil }
        pending.resume(legacy.statuses, legacy.entries)
        return legacy.inheritance
    }

    /// Reads what the store holds of devices that join this run: their conditions and their pauses, but no connections.
    ///
    /// - Parameter devices: all devices, in the order of their numbers.
    package func earlier(of joining: [DeviceIndex], among devices: [DeviceConfiguration]) throws -> EarlierRun.Legacy {
        guard let ledger = store as? any Ledger, !joining.isEmpty else { return EarlierRun.Legacy() }
        if !policy.isFailing { commit(durable: false) }
        let (statuses, entries) = try ledger.lastKnown()
        var earlier = EarlierRun.Legacy(statuses: statuses, entries: entries)
        let all = PollConfiguration(devices: devices)
        earlier.inheritance.conditions = Inheritance.conditions(statuses, of: all)
            .filter { joining.contains($0.key) }
        earlier.inheritance.pauses = Inheritance.pauses(statuses, of: all, from: pending.readClocks()?.time ?? .min)
            .filter { joining.contains($0.key) }
        earlier.inheritance.identities = Inheritance.identities(statuses, of: all)
            .filter { joining.contains($0.key) }
        return earlier
    }

    /// Reads what an earlier run left. Until that succeeds, nothing is written that would hide it.
    private func recall() throws {
        if let inheritance = try readLegacy() { onInheritance?(inheritance) }
        if let gap = try earlier.readGap(in: store, gapAfter: pending.begin) { log.notice("\(gap)") }
    }

    // MARK: In

    package func record(_ readings: [Reading]) {
        pending.count(readings)
        let clocks = pending.readClocks()
        // Readings from before and after the clock was set need different commits.
        if pending.waiting.isOtherEpoch(clocks), !policy.isFailing { commit(durable: false) }
        pending.take(readings, at: clocks)
        let excess = pending.waiting.count - Self.mostWaiting
        if excess > 0 {
            if excess > pending.waiting.shown { show() }
            pending.drop(excess)
            policy.dropped(excess)
        }
        if policy.isFailing { showSoon() }
        // Before a sleep or the end, new readings are written to disk at once.
        if policy.isUrgent(isResting: pending.isResting) { return commit(durable: true) }
        policy.comeSoon(at: loop.now)
    }

    package func record(_ status: PowerStatus) {
        pending.take(status)
        if !policy.isFailing { comeBack() }
    }

    /// Passes on how long a part of the work for a device took. No history keeps it.
    package func record(_ time: WorkTime, of device: DeviceID) { publishers.note(time, of: device) }

    /// Records the end of an attempt, and the device's condition after it.
    package func record(
        _ attempt: Attempt, _ condition: DeviceCondition, of id: DeviceIndex, _ device: DeviceID
    ) {
        publishers.note(device, condition)
        for line in pending.take(attempt, condition, of: id) {
            log.log(
                level: line.level.logged, "\(line.text)",
                metadata: .device(line.device, line.address, event: line.event))
        }
        policy.comeSoon(at: loop.now)
    }

    /// Records the end of an attempt that concerns all devices.
    package func record(_ attempt: Attempt) {
        pending.take(attempt)
        policy.comeSoon(at: loop.now)
    }

    /// - Parameter rssi: the last signal strength in dBm.
    package func record(_ snapshot: DeviceSnapshot, of id: DeviceIndex, rssi: Int?) {
        pending.take(snapshot, of: id, rssi: rssi, at: loop.now)
        if !policy.isFailing { comeBack() }
    }

    /// Records how many of a device's values its throttles dropped.
    package func record(_ dropped: DroppedValues, of id: DeviceIndex) { pending.take(dropped, of: id) }

    /// Records what blekeep recognized a device by, for later runs.
    package func record(_ identity: BroadcastIdentity, of id: DeviceIndex) {
        pending.take(identity, of: id)
        policy.comeSoon(at: loop.now)
    }

    package func record(_ snapshot: MachineSnapshot) {
        pending.take(snapshot)
        policy.comeSoon(at: loop.now)
    }

    /// Schedules a commit, because the ledger changed.
    private func note() {
        pending.note()
        policy.comeSoon(at: loop.now)
    }

    // MARK: When

    /// Records a connection attempt before it starts, so that the next run recognizes the connection after a crash.
    package func writeAhead(_ id: DeviceIndex) {
        if pending.claim(id, at: loop.now) { writeAhead() }
    }

    /// Writes the newest snapshots now, unless the store fails.
    package func writeAhead() {
        guard hasLedger else { return }
        pending.note()
        if !policy.isFailing { commit(durable: false) }
    }

    /// Writes everything to disk at the end of a tick, as soon as the disk's budget allows.
    package func settle() {
        if !pending.isEmpty || policy.isDirty { commit(durable: policy.settle(at: loop.now)) }
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
        publishers.hurry()
        while waitsForSinks, !publishers.areSettled, loop.now < deadline { await sinkEvent.wait(until: deadline) }
    }

    /// Ends `settleSinks`, or keeps it from waiting.
    package func leaveSinks() {
        waitsForSinks = false
        sinkEvent.open()
    }

    /// Writes everything to disk now, with a heartbeat of this state.
    package func rest(_ state: Heartbeat.State) {
        pending.turn(to: state)
        policy.overspend(at: loop.now)
        commit(durable: true)
    }

    /// Writes everything to disk, and records the normal end of `poll`.
    package func close(_ state: Heartbeat.State) {
        pending.end()
        rest(state)
    }

    /// Ends, and reports the readings that couldn't be stored.
    package func end() {
        show()
        upkeep.end()
        publishers.end()
        loop.disarm(timer)
        let lost = policy.lost + backlog
        if lost > 0 { log.error("\(lost) readings are lost: they couldn't be written to the history") }
    }

    // MARK: Commits

    private func arm() {
        if policy.due == .never { loop.disarm(timer) } else { loop.arm(timer, at: policy.due) }
    }

    private func cameDue() { commit(durable: policy.cameDue(at: loop.now)) }

    private func commit(durable: Bool) {
        policy.begin()
        defer { noteSlowness() }
        do {
            try recall()
            try publishers.begin(in: store)
            let heartbeat = pending.beat(at: loop.now)
            guard !pending.isEmpty || heartbeat != nil || durable || loop.now >= pending.ledgerDue else {
                return comeBack()
            }
            while let commit = pending.earlierCommit {
                let stored = try writes.time { try write(commit) }
                publishers.offer(stored, shown: pending.tookReadings())
            }
            let ledger = hasLedger ? publishers : nil
            let commit = pending.lastCommit(heartbeat, ledger: ledger, durable: durable, at: loop.now)
            committed(commit, try writes.time { try write(commit) })
        } catch {
            if !policy.isFailing {
                log.error(
                    "can't write readings to the history: \(error); keeping the newest in memory",
                    metadata: .event(.historyFails))
            }
            policy.failed(at: loop.now)
            show()
        }
    }

    /// Writes a commit; without the changes if the store has no ledger.
    private func write(_ commit: RecordCommit) throws -> [StoredReading] {
        let readings = commit.group.readings
        guard let ledger = store as? any Ledger else {
            return try commit.heartbeat.map { try store.append(readings, $0, durable: commit.isDurable) }
                ?? store.append(readings, durable: commit.isDurable)
        }
        var changes = commit.changes
        changes.clocks = commit.group.clocks
        return try ledger.append(readings, commit.heartbeat, changes, durable: commit.isDurable)
    }

    /// The store holds all pending records.
    private func committed(_ commit: RecordCommit, _ stored: [StoredReading]) {
        let message = policy.succeeded(
            durable: commit.isDurable, isEmpty: pending.isEmpty, at: loop.now)
        let shown = pending.tookAll(commit.heartbeat, at: loop.now)
        if let message { log.notice("\(message)", metadata: .event(.historyWorks)) }
        loop.disarm(display)
        publishers.offer(stored, shown: shown)
        publishers.note(commit.changes, commit.heartbeat)
        comeBack()
        upkeep.resume()
    }

    /// A slow disk delays everything else, so that the log and the status have it.
    private func wasSlow(_ length: Duration, isNew: Bool) {
        pending.take(writes.slow)
        guard isNew else { return }
        log.warning(
            "the disk took \(DurationText.text(.milliseconds(length.wholeMilliseconds))) to write to the history, and nothing else was done meanwhile; 'blekeep status' counts further times"
        )
        isSlownessNew = true
        // An upkeep has no commit that comes after it.
        policy.comeSoon(at: loop.now)
        pending.note()
    }

    private func noteSlowness() {
        guard isSlownessNew else { return }
        isSlownessNew = false
        pending.note()
        policy.comeSoon(at: loop.now)
    }

    /// Schedules the next commit for records that aren't on the disk yet, or for the next heartbeat.
    private func comeBack() { policy.comeBack(at: pending.due, now: loop.now) }

    // MARK: While the store fails

    /// Lets the sinks show new readings after a second.
    private func showSoon() {
        if !display.isArmed { loop.arm(display, at: loop.now + CommitPolicy.maxWait) }
    }

    /// Lets the sinks show the readings that wait for the store.
    private func show() {
        loop.disarm(display)
        publishers.offer(unkept: pending.show())
    }

    // MARK: Out

    /// The number of readings that wait for the store.
    package var backlog: Int { pending.waiting.count }

    /// Returns the present status of a device.
    package func status(of id: DeviceIndex) -> DeviceStatus? { pending.status(of: id, at: loop.now) }

    /// The time since a commit was due.
    package var commitLag: Duration { policy.lag(at: loop.now) }

    /// The lines that the readers of the sinks missed.
    package var missed: MissedLines? { publishers.missed }

    /// The last failure of a sink that gets only new readings.
    package var sinkError: (any Error)? { publishers.error }

    /// Whether a sink is closed, such as a pipe without a reader.
    package var isSinkClosed: Bool { publishers.isClosed }

    /// Called with each command that a user gave through a sink.
    package var onCommand: ((KeeperCommand, _ answer: @escaping (Result<[UInt8], ReadingFailure>) -> Void) -> Void)? {
        get { publishers.onCommand }
        set { publishers.onCommand = newValue }
    }

    /// Called when a sink is closed.
    package var onSinkClosed: (() -> Void)? {
        get { publishers.onClosed }
        set { publishers.onClosed = newValue }
    }
}

extension AttemptTracker.Line.Level {
    fileprivate var logged: Logger.Level {
        switch self {
        case .info: .info
        case .notice: .notice
        case .warning: .warning
        }
    }
}
