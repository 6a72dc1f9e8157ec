import Logging
import RunLoop

/// Writes pending records to the store, and then offers the readings to the sinks. While the store fails, the sinks show
/// new readings once, without sequence numbers.
final class RecordWriter {
    private let store: any Store
    private let publishers: Publishers
    private let pending: PendingRecords
    private let schedule: CommitSchedule
    private let loop: RunLoop
    private let log: Logger
    private let upkeep: StoreUpkeep
    private let timer: WriteTimer
    /// Whether a slow write must be in the store soon.
    private var isSlownessNew = false
    private var earlier = EarlierRun()
    private lazy var display = ClosureTimer { [weak self] in self?.show() }

    /// Called when the ledger of an earlier run could be read only after the start.
    var onInheritance: ((Inheritance) -> Void)?

    init(
        _ pending: PendingRecords, to store: any Store, _ publishers: Publishers, _ schedule: CommitSchedule,
        on loop: RunLoop, log: Logger
    ) {
        self.store = store
        self.publishers = publishers
        self.pending = pending
        self.schedule = schedule
        self.loop = loop
        self.log = log
        let timer = WriteTimer(clocks: pending.readClocks)
        self.timer = timer
        upkeep = StoreUpkeep(of: store, timer, on: loop) { !schedule.isFailing && !pending.isResting }
        timer.onSlow = { [unowned self] in self.wasSlow($0, isNew: $1) }
    }

    var hasLedger: Bool { store is any Ledger }

    // MARK: Earlier runs

    /// Reads the ledger of an earlier run. If that fails now, `onInheritance` follows later.
    func inherit(for configuration: PollConfiguration) -> Inheritance {
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
    func readEarlier(of joining: [DeviceIndex], among devices: [DeviceConfiguration]) throws -> EarlierRun.Legacy {
        guard let ledger = store as? any Ledger, !joining.isEmpty else { return EarlierRun.Legacy() }
        if !schedule.isFailing { commit(durable: false) }
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

    /// Records the start of `poll` in the store, and the gap before it.
    func begin() {
        guard pending.start() else { return }
        earlier.expectGap()
        commit(durable: false)
    }

    /// Reads what an earlier run left. Until that succeeds, nothing is written that would hide it.
    private func recall() throws {
        if let inheritance = try readLegacy() { onInheritance?(inheritance) }
        if let gap = try earlier.readGap(in: store, gapAfter: pending.begin) { log.notice("\(gap)") }
    }

    // MARK: Commits

    func commit(durable: Bool) {
        schedule.begin()
        defer { noteSlowness() }
        do {
            try recall()
            try publishers.begin(in: store)
            let heartbeat = pending.beat(at: loop.now)
            guard !pending.isEmpty || heartbeat != nil || durable || loop.now >= pending.ledgerDue else {
                return comeBack()
            }
            while let commit = pending.earlierCommit {
                let stored = try timer.time { try commit.write(to: store) }
                publishers.offer(stored, shown: pending.tookReadings())
            }
            let ledger = hasLedger ? publishers : nil
            let commit = pending.lastCommit(heartbeat, ledger: ledger, durable: durable, at: loop.now)
            committed(commit, try timer.time { try commit.write(to: store) })
        } catch {
            if !schedule.isFailing {
                log.error(
                    "can't write readings to the history: \(error); keeping the newest in memory",
                    metadata: .event(.historyFails))
            }
            schedule.failed()
            show()
        }
    }

    /// The store holds all pending records.
    private func committed(_ commit: RecordCommit, _ stored: [StoredReading]) {
        let message = schedule.succeeded(durable: commit.isDurable, isEmpty: pending.isEmpty)
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
        pending.take(timer.slow)
        guard isNew else { return }
        log.warning(
            "the disk took \(DurationText.text(.milliseconds(length.wholeMilliseconds))) to write to the history, and nothing else was done meanwhile; 'blekeep status' counts further times"
        )
        isSlownessNew = true
        // An upkeep has no commit that comes after it.
        schedule.comeSoon()
        pending.note()
    }

    private func noteSlowness() {
        guard isSlownessNew else { return }
        isSlownessNew = false
        pending.note()
        schedule.comeSoon()
    }

    /// Schedules the next commit for records that aren't on the disk yet, or for the next heartbeat.
    func comeBack() { schedule.comeBack(at: pending.due) }

    // MARK: While the store fails

    /// Lets the sinks show new readings after a second.
    func showSoon() {
        if !display.isArmed { loop.arm(display, at: loop.now + CommitSchedule.longestWait) }
    }

    /// Lets the sinks show the readings that wait for the store.
    func show() {
        loop.disarm(display)
        publishers.offer(unkept: pending.show())
    }

    /// Stops writing.
    func end() {
        show()
        upkeep.end()
        publishers.end()
    }
}
