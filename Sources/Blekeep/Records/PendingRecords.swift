import RunLoop

/// What the next commits write: readings that wait for the store, a heartbeat, and what the ledger is to hold.
///
/// It keeps no time: when a commit is made is its owner's.
final class PendingRecords {
    private(set) var waiting = WaitingReadings()
    private var book: LedgerBook?
    /// Whether there is something for the ledger.
    private(set) var hasNews = false
    /// Whether a user is watching: then each commit takes all changes.
    var isWatched = false
    private let heartbeats: HeartbeatScheduler?
    private let clocks: (() -> ClockReading)?
    private let wallTime: () -> Int64

    /// - Parameters:
    ///   - clocks: the machine's clocks; `nil`: the time of day is right.
    ///   - wallTime: milliseconds since 1970.
    init(
        book: LedgerBook?, heartbeats: HeartbeatScheduler?, clocks: (() -> ClockReading)?,
        wallTime: @escaping () -> Int64
    ) {
        self.book = book
        self.heartbeats = heartbeats
        self.clocks = clocks
        self.wallTime = wallTime
    }

    var isEmpty: Bool { waiting.isEmpty && !hasNews }

    /// Whether the machine is about to sleep, or to shut down.
    var isResting: Bool { heartbeats?.rest != nil }

    // MARK: In

    /// Returns the machine's clocks; `nil` where nobody tells.
    func readClocks() -> ClockReading? { clocks?() }

    /// Counts what was read, for heartbeats.
    func count(_ readings: [Reading]) { heartbeats?.take(readings) }

    func take(_ readings: [Reading], at clocks: ClockReading?) {
        let isClockUnset = clocks?.isSynchronized == false
        waiting.add(isClockUnset ? readings.map(\.withoutClock) : readings, at: clocks)
    }

    /// Drops the oldest readings.
    func drop(_ excess: Int) { waiting.drop(excess) }

    /// Returns the readings that the sinks haven't shown, which they do now.
    func show() -> [LiveReading] { waiting.show() }

    /// The machine's power is another.
    func take(_ status: PowerStatus) { heartbeats?.take(status) }

    /// - Returns: what the log is to report.
    func take(_ attempt: Attempt, _ verdict: Verdict, of id: DeviceID) -> [AttemptTracker.Line] {
        hasNews = true
        return book?.take(id, attempt, verdict, at: wallTime()) ?? []
    }

    func take(_ attempt: Attempt) {
        hasNews = true
        book?.take(attempt, at: wallTime())
    }

    func take(_ snapshot: DeviceSnapshot, of id: DeviceID, rssi: Int?, at now: Uptime) {
        heartbeats?.take(id, snapshot, at: now)
        book?.take(id, snapshot, rssi: rssi, at: now)
    }

    func take(_ thinned: ThinnedValues, of id: DeviceID) { book?.take(id, thinned) }

    func take(_ snapshot: MachineSnapshot) {
        hasNews = true
        book?.take(snapshot)
    }

    /// What the ledger is to hold is no longer what it was.
    func note() { hasNews = true }

    /// - Returns: whether the ledger must hold first that a connection is about to be made.
    func claim(_ id: DeviceID, at now: Uptime) -> Bool { book?.claim(id, at: now) ?? false }

    /// Continues what the ledger holds of an earlier run.
    func resume(_ standings: [StoredDeviceStatus], _ entries: [LedgerEntry]) { book?.resume(standings, entries) }

    /// The next heartbeat says what comes after it.
    func turn(to state: Heartbeat.State) { heartbeats?.turn(to: state) }

    /// The keeper ends in good order.
    func end() {
        book?.end(at: wallTime())
        hasNews = true
    }

    // MARK: Out

    /// The keeper starts now.
    ///
    /// - Returns: whether heartbeats say so.
    func start() -> Bool {
        heartbeats?.start()
        return heartbeats != nil
    }

    /// The store tells the last heartbeat before this start.
    ///
    /// - Returns: the gap, if there is one.
    func begin(after last: Heartbeat?) -> Downtime? { heartbeats?.begin(after: last) }

    /// When the ledger must be written; not while the machine is about to sleep.
    var ledgerDue: Uptime { isResting ? .never : book?.due ?? .never }

    /// When a commit must be made for the sake of the ledger or a heartbeat.
    var due: Uptime { min(heartbeats?.silentUntil ?? .never, ledgerDue) }

    /// The heartbeat that is due.
    func beat(at now: Uptime) -> Heartbeat? { heartbeats?.beat(at: now) }

    /// The commit of the oldest readings, where newer ones by another clock need one of their own.
    var earlierCommit: RecordCommit? {
        guard waiting.groups.count > 1, let group = waiting.groups.first else { return nil }
        return RecordCommit(group: group)
    }

    /// The commit of all that is left.
    ///
    /// - Parameter publishers: the publishers whose state goes into the ledger; `nil` where there is no ledger.
    func lastCommit(
        _ heartbeat: Heartbeat?, ledger publishers: Publishers?, durable: Bool, at now: Uptime
    ) -> RecordCommit {
        let clocks = clocks?()
        var commit = RecordCommit(group: waiting.groups.first ?? .init(clocks: clocks, readings: []))
        commit.heartbeat = heartbeat
        commit.isDurable = durable
        guard let clocks, let publishers else { return commit }
        let time = wallTime()
        book?.take(publishers.missed, publishers.standings(time: time))
        let scope: LedgerBook.Scope = durable || isWatched ? .all : .news
        commit.changes = book?.changes(scope, clocks, time: time, at: now) ?? LedgerChanges()
        return commit
    }

    /// The store has taken the oldest readings.
    ///
    /// - Returns: how many of them, from the first on, the sinks have shown.
    func tookReadings() -> Int { waiting.removeFirst() }

    /// The store has taken the last commit.
    ///
    /// - Returns: how many of its readings, from the first on, the sinks have shown.
    func tookAll(_ heartbeat: Heartbeat?, at now: Uptime) -> Int {
        book?.taken(at: now)
        if let heartbeat { heartbeats?.kept(heartbeat, at: now) }
        hasNews = false
        return tookReadings()
    }
}

extension Reading {
    /// The same by a clock that isn't set.
    fileprivate var withoutClock: Reading {
        var reading = self
        reading.isClockSet = false
        return reading
    }
}
