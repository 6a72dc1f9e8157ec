import Logging
import RunLoop

/// Takes what the keeper reads and tells, and has it written in time: into the store, and from there to the sinks.
///
/// A commit comes at most a second after the first new reading; when the tick has ended, a durable one, as often as
/// the disk's budget allows: a power cut takes the last half minute at most. Heartbeats and snapshots go with commits.
final class Recorder: @unchecked Sendable {
    private let pending: PendingRecords
    private let publishers: Publishers
    private let schedule: CommitSchedule
    private let writer: RecordWriter
    private let loop: RunLoop
    private let log: Logger

    /// The most readings that wait for a store that does not take them; the oldest go first.
    static let mostWaiting = 10_000

    /// - Parameters:
    ///   - clocks: the machine's clocks; `nil`: the time of day is right.
    ///   - wallTime: milliseconds since 1970.
    init(
        store: any Store, sinks: [any Sink], remoteSinks: [any RemoteSink] = [], loop: RunLoop, log: Logger,
        heartbeats: HeartbeatScheduler? = nil,
        book: LedgerBook? = nil,
        clocks: (() -> ClockReading)? = nil, wallTime: @escaping () -> Int64 = WallClock.milliseconds
    ) {
        self.loop = loop
        self.log = log
        pending = PendingRecords(book: book, heartbeats: heartbeats, clocks: clocks, wallTime: wallTime)
        let sinceBoot = clocks.map { clocks in { clocks().sinceBoot } }
        publishers = Publishers(sinks, remote: remoteSinks, of: store, on: loop, log: log, sinceBoot: sinceBoot)
        schedule = CommitSchedule(on: loop)
        writer = RecordWriter(pending, to: store, publishers, schedule, on: loop, log: log)
        // Not weak: that would make each use of the recorder slower.
        publishers.onChange = { [unowned self] in self.note() }
        schedule.onDue = { [unowned writer] in writer.commit(durable: $0) }
    }

    /// Reads what an earlier run has left, if there is a ledger; when it can't be read now, that comes later.
    func inherit(for configuration: Configuration) -> Inheritance { writer.inherit(for: configuration) }

    /// Called when that could be read only after the start.
    var onInheritance: ((Inheritance) -> Void)? {
        get { writer.onInheritance }
        set { writer.onInheritance = newValue }
    }

    /// Says in the store that the keeper runs, and how long it has not.
    func begin() {
        writer.begin()
        publishers.start()
    }

    /// Whether a user is watching: then each commit takes all changes.
    var isWatched: Bool {
        get { pending.isWatched }
        set { pending.isWatched = newValue }
    }

    // MARK: In

    func record(_ readings: [Reading]) {
        pending.count(readings)
        let clocks = pending.readClocks()
        // Readings by another clock go with another commit.
        if pending.waiting.isOtherEpoch(clocks), !schedule.isFailing { writer.commit(durable: false) }
        pending.take(readings, at: clocks)
        let excess = pending.waiting.count - Self.mostWaiting
        if excess > 0 {
            if excess > pending.waiting.shown { writer.show() }
            pending.drop(excess)
            schedule.dropped(excess)
        }
        if schedule.isFailing { writer.showSoon() }
        // What still comes while the machine is about to sleep is made safe at once: there may be no later.
        if schedule.isUrgent(isResting: pending.isResting) { return writer.commit(durable: true) }
        schedule.comeSoon()
    }

    /// The machine's power is another.
    func record(_ status: PowerStatus) {
        pending.take(status)
        if !schedule.isFailing { writer.comeBack() }
    }

    /// An attempt ended, and the device is judged to be this now.
    func record(_ attempt: Attempt, _ verdict: Verdict, of id: DeviceID) {
        publishers.note(id, verdict)
        for line in pending.take(attempt, verdict, of: id) { log.log(level: line.level.logged, "\(line.text)") }
        schedule.comeSoon()
    }

    /// An attempt that concerns every device ended.
    func record(_ attempt: Attempt) {
        pending.take(attempt)
        schedule.comeSoon()
    }

    /// - Parameter rssi: in dBm, as BlueZ heard the device last.
    func record(_ snapshot: DeviceSnapshot, of id: DeviceID, rssi: Int?) {
        pending.take(snapshot, of: id, rssi: rssi, at: loop.now)
        if !schedule.isFailing { writer.comeBack() }
    }

    /// What a device's throttles made of the values that it sent by itself, since the start.
    func record(_ thinned: ThinnedValues, of id: DeviceID) { pending.take(thinned, of: id) }

    func record(_ snapshot: MachineSnapshot) {
        pending.take(snapshot)
        schedule.comeSoon()
    }

    /// The ledger has news: it goes with the next commit.
    private func note() {
        pending.note()
        schedule.comeSoon()
    }

    // MARK: When

    /// Writes down that a connection is about to be made: if blekeep is killed, the next run knows it for its own.
    func writeAhead(_ id: DeviceID) {
        if pending.claim(id, at: loop.now) { writeAhead() }
    }

    /// Writes down the newest snapshots before anything else is done. Only a store that takes nothing isn't waited for.
    func writeAhead() {
        guard writer.hasLedger else { return }
        pending.note()
        if !schedule.isFailing { writer.commit(durable: false) }
    }

    /// The tick has ended: makes everything safe against a power cut, now or as soon as the disk's budget allows.
    func settle() {
        if !pending.isEmpty || schedule.isDirty { writer.commit(durable: schedule.settle()) }
    }

    /// The program is asked to end and may be ended at any moment: writes everything to disk, now and from now on.
    func flush() {
        schedule.hurry()
        if !schedule.isFailing { writer.commit(durable: true) }
    }

    /// Makes everything safe at once, and says what comes now.
    func rest(_ state: Heartbeat.State) {
        pending.turn(to: state)
        schedule.overspend()
        writer.commit(durable: true)
    }

    /// The keeper ends in good order: makes everything safe, and says so.
    func close(_ state: Heartbeat.State) {
        pending.end()
        rest(state)
    }

    /// The keeper has ended: reports the readings that the store didn't take.
    func end() {
        writer.end()
        schedule.end()
        let lost = schedule.lost + backlog
        if lost > 0 { log.error("\(lost) readings are lost: the history took none until the end") }
    }

    // MARK: Out

    /// How many readings the store has not taken yet.
    var backlog: Int { pending.waiting.count }

    /// What the readers of the sinks have missed.
    var missed: MissedLines? { publishers.missed }

    /// Why a sink that gets what comes now didn't take the last of it.
    var sinkError: (any Error)? { publishers.error }

    /// Whether nobody will ever read again what a sink publishes, such as a pipe whose reader has left.
    var isSinkClosed: Bool { publishers.isClosed }

    /// Called when that is so.
    var onSinkClosed: (() -> Void)? {
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
