import Logging
import RunLoop

/// Writes what is pending into the store, and hands it to the sinks: what they show with a sequence number is kept. While
/// the store takes nothing, they show what comes without a number, once.
final class RecordWriter {
    private let store: any Store
    private let publishers: Publishers
    private let pending: PendingRecords
    private let schedule: CommitSchedule
    private let loop: RunLoop
    private let log: Logger
    private let upkeep: StoreUpkeep
    private var earlier = EarlierRun()
    private lazy var display = ClosureTimer { [unowned self] in self.show() }

    /// Called when what an earlier run has left could be read only after the start.
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
        upkeep = StoreUpkeep(of: store, for: publishers, on: loop) { !schedule.isFailing && !pending.isResting }
    }

    var hasLedger: Bool { store is any Ledger }

    // MARK: What was before

    /// Reads what an earlier run has left, if there is a ledger; when it can't be read now, that comes later.
    func inherit(for configuration: Configuration) -> Inheritance {
        guard hasLedger, let start = pending.readClocks() else { return Inheritance() }
        pending.note()
        earlier.expectLegacy(for: configuration, at: start)
        do { return try readLegacy() ?? Inheritance() } catch {
            log.warning("can't read what became of earlier attempts, trying again: \(error)")
            return Inheritance()
        }
    }

    private func readLegacy() throws -> Inheritance? {
        guard let legacy = try earlier.readLegacy(in: store) else { return nil }
        pending.resume(legacy.standings, legacy.entries)
        return legacy.inheritance
    }

    /// Says in the store that the keeper runs, and how long it has not.
    func begin() {
        guard pending.start() else { return }
        earlier.expectGap()
        commit(durable: false)
    }

    /// What was before this start; as long as the store doesn't tell, nothing is kept that would hide it.
    private func recall() throws {
        if let inheritance = try readLegacy() { onInheritance?(inheritance) }
        if let gap = try earlier.readGap(in: store, tell: pending.begin) { log.notice("\(gap)") }
    }

    // MARK: Commits

    func commit(durable: Bool) {
        schedule.begin()
        do {
            try recall()
            try publishers.begin(in: store)
            let heartbeat = pending.beat(at: loop.now)
            guard !pending.isEmpty || heartbeat != nil || durable || loop.now >= pending.ledgerDue else {
                return comeBack()
            }
            while let commit = pending.earlierCommit {
                let stored = try commit.write(to: store)
                publishers.offer(stored, shown: pending.tookReadings())
            }
            let ledger = hasLedger ? publishers : nil
            let commit = pending.lastCommit(heartbeat, ledger: ledger, durable: durable, at: loop.now)
            committed(commit, try commit.write(to: store))
        } catch {
            if !schedule.isFailing {
                log.error("can't write readings to the history: \(error); keeping the newest in memory")
            }
            schedule.failed()
            show()
        }
    }

    /// The store has taken all that waited.
    private func committed(_ commit: RecordCommit, _ stored: [StoredReading]) {
        let words = schedule.succeeded(durable: commit.isDurable, isEmpty: pending.isEmpty)
        let shown = pending.tookAll(commit.heartbeat, at: loop.now)
        if let words { log.notice("\(words)") }
        loop.disarm(display)
        publishers.copying(store.isCopying)
        publishers.offer(stored, shown: shown)
        comeBack()
        upkeep.resume()
    }

    /// Comes back by itself for what is not safe yet, and for what has nothing to go with.
    func comeBack() { schedule.comeBack(at: pending.due) }

    // MARK: While the store takes nothing

    /// Lets the sinks show what comes, after a while.
    func showSoon() {
        if !display.isArmed { loop.arm(display, at: loop.now + CommitSchedule.longestWait) }
    }

    /// Lets the sinks show what the store doesn't take and they haven't shown.
    func show() {
        loop.disarm(display)
        publishers.offer(unkept: pending.show())
    }

    /// Nothing is written any more.
    func end() {
        show()
        upkeep.end()
        publishers.end()
    }
}
