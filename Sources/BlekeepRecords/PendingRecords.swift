import RunLoop

/// The content of the next commits: readings, a heartbeat, and changes of the ledger. Its owner decides when to commit.
final class PendingRecords {
    private(set) var waiting = WaitingReadings()
    private var book: LedgerBook?
    /// Whether the ledger changed.
    private(set) var hasNews = false
    /// Whether a user is watching. Each commit then takes all changes.
    var isWatched = false
    private let heartbeats: HeartbeatScheduler?
    private let clocks: (() -> ClockReading)?
    private let wallTime: () -> Int64

    /// - Parameters:
    ///   - clocks: reads the machine's clocks; `nil` when the time of day is right.
    ///   - wallTime: returns milliseconds since 1970.
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

    func readClocks() -> ClockReading? { clocks?() }

    /// Counts readings for heartbeats.
    func count(_ readings: [Reading]) { heartbeats?.take(readings) }

    func take(_ readings: [Reading], at clocks: ClockReading?) {
        let isClockUnset = clocks?.isSynchronized == false
        waiting.add(isClockUnset ? readings.map(\.withoutClock) : readings, at: clocks)
    }

    /// Drops the oldest readings.
    func drop(_ excess: Int) { waiting.drop(excess) }

    /// Returns the readings that the sinks haven't shown yet, and marks them as shown.
    func show() -> [LiveReading] { waiting.show() }

    func take(_ status: PowerStatus) { heartbeats?.take(status) }

    /// - Returns: lines for the log.
    func take(_ attempt: Attempt, _ condition: DeviceCondition, of id: DeviceIndex) -> [AttemptTracker.Line] {
        hasNews = true
        return book?.take(id, attempt, condition, at: wallTime()) ?? []
    }

    func take(_ attempt: Attempt) {
        hasNews = true
        book?.take(attempt, at: wallTime())
    }

    func take(_ snapshot: DeviceSnapshot, of id: DeviceIndex, rssi: Int?, at now: Uptime) {
        heartbeats?.take(id, snapshot, at: now)
        book?.take(id, snapshot, rssi: rssi, at: now)
    }

    func take(_ dropped: DroppedValues, of id: DeviceIndex) { book?.take(id, dropped) }

    func take(_ identity: BroadcastIdentity, of id: DeviceIndex) {
        hasNews = true
        book?.take(id, identity)
    }

    func take(_ snapshot: MachineSnapshot) {
        hasNews = true
        book?.take(snapshot)
    }

    func take(_ slow: SlowWrites?) { book?.take(slow) }

    /// Marks the ledger as changed.
    func note() { hasNews = true }

    /// Claims a connection that blekeep is about to make.
    ///
    /// - Returns: whether a commit must come first.
    func claim(_ id: DeviceIndex, at now: Uptime) -> Bool { book?.claim(id, at: now) ?? false }

    /// Continues the ledger of an earlier run.
    func resume(_ statuses: [DeviceStatus], _ entries: [LedgerEntry]) { book?.resume(statuses, entries) }

    /// Takes a new configuration.
    func take(_ new: Reconfiguration) {
        book?.take(new, at: wallTime())
        hasNews = true
    }

    /// Makes a heartbeat with this state due.
    func turn(to state: Heartbeat.State) { heartbeats?.turn(to: state) }

    /// Records the normal end of `poll`.
    func end() {
        book?.end(at: wallTime())
        hasNews = true
    }

    // MARK: Out

    /// Records the start of `poll`.
    ///
    /// - Returns: whether there are heartbeats.
    func start() -> Bool {
        heartbeats?.start()
        return heartbeats != nil
    }

    /// Takes the last heartbeat before this start.
    ///
    /// - Returns: the gap, if there is one.
    func begin(after last: Heartbeat?) -> Downtime? { heartbeats?.begin(after: last) }

    /// When the ledger must be written; `.never` while the machine is about to sleep.
    var ledgerDue: Uptime { isResting ? .never : book?.due ?? .never }

    /// When the ledger or a heartbeat needs a commit.
    var due: Uptime { min(heartbeats?.silentUntil ?? .never, ledgerDue) }

    func status(of id: DeviceIndex, at now: Uptime) -> DeviceStatus? { book?.status(of: id, time: wallTime(), at: now) }

    /// Returns a heartbeat if one is due.
    func beat(at now: Uptime) -> Heartbeat? { heartbeats?.beat(at: now) }

    /// The commit of the oldest readings, if later readings need another commit because the clock was set.
    var earlierCommit: RecordCommit? {
        guard waiting.groups.count > 1, let group = waiting.groups.first else { return nil }
        return RecordCommit(group: group)
    }

    /// Returns the commit of the remaining records.
    ///
    /// - Parameter publishers: the publishers, for their status in the ledger; `nil` without a ledger.
    func lastCommit(
        _ heartbeat: Heartbeat?, ledger publishers: Publishers?, durable: Bool, at now: Uptime
    ) -> RecordCommit {
        let clocks = clocks?()
        var commit = RecordCommit(group: waiting.groups.first ?? .init(clocks: clocks, readings: []))
        commit.heartbeat = heartbeat
        commit.isDurable = durable
        guard let clocks, let publishers else { return commit }
        let time = wallTime()
        book?.take(publishers.missed, publishers.statuses(time: time))
        let scope: LedgerBook.Scope = durable || isWatched ? .all : .news
        commit.changes = book?.changes(scope, clocks, time: time, at: now) ?? LedgerChanges()
        return commit
    }

    /// Call this when the store holds the oldest readings.
    ///
    /// - Returns: how many of its readings, counted from the first, the sinks have shown.
    func tookReadings() -> Int { waiting.removeFirst() }

    /// Call this when the store holds the last commit.
    ///
    /// - Returns: how many of its readings, counted from the first, the sinks have shown.
    func tookAll(_ heartbeat: Heartbeat?, at now: Uptime) -> Int {
        book?.taken(at: now)
        if let heartbeat { heartbeats?.kept(heartbeat, at: now) }
        hasNews = false
        return tookReadings()
    }
}

extension Reading {
    /// The reading, marked as taken by a clock that isn't set.
    fileprivate var withoutClock: Reading {
        var reading = self
        reading.isClockSet = false
        return reading
    }
}

/// The content of a commit.
struct RecordCommit {
    var group: WaitingReadings.Group
    var heartbeat: Heartbeat?
    var changes = LedgerChanges()
    /// Whether the commit must survive a power cut.
    var isDurable = false

    init(group: WaitingReadings.Group) { self.group = group }
}
