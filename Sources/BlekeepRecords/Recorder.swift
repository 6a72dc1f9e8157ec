import Logging
import RunLoop

/// Takes readings, attempts and snapshots from the keeper, and writes them to the store in time.
///
/// A commit comes at most a second after the first new reading. At the end of a tick, a durable commit comes as often as
/// the disk's budget allows, so that a power cut loses at most 40 s.
package final class Recorder: @unchecked Sendable {
    private let pending: PendingRecords
    private let publishers: Publishers
    private let schedule: CommitSchedule
    private let writer: RecordWriter
    private let loop: RunLoop
    private let log: Logger
    private let sinkEvent: Gate
    private var waitsForSinks = true

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
        self.loop = loop
        self.log = log
        sinkEvent = Gate(loop)
        pending = PendingRecords(book: book, heartbeats: heartbeats, clocks: clocks, wallTime: wallTime)
        let sinceBoot = clocks.map { clocks in { clocks().sinceBoot } }
        publishers = Publishers(sinks, of: store, on: loop, log: log, sinceBoot: sinceBoot)
        schedule = CommitSchedule(on: loop)
        writer = RecordWriter(pending, to: store, publishers, schedule, on: loop, log: log)
        // unowned, because weak would make each use of the recorder slower.
        publishers.onChange = { [unowned self] in self.note() }
        schedule.onDue = { [unowned writer] in writer.commit(durable: $0) }
    }

    /// Reads the ledger of an earlier run. If that fails now, `onInheritance` follows later.
    package func inherit(for configuration: PollConfiguration) -> Inheritance { writer.inherit(for: configuration) }

    /// Called when the ledger of an earlier run could be read only after the start.
    package var onInheritance: ((Inheritance) -> Void)? {
        get { writer.onInheritance }
        set { writer.onInheritance = newValue }
    }

    /// Reads what the store holds of devices that join this run.
    ///
    /// - Parameter devices: all devices, in the order of their numbers.
    package func earlier(of joining: [DeviceIndex], among devices: [DeviceConfiguration]) throws -> EarlierRun.Legacy {
        try writer.readEarlier(of: joining, among: devices)
    }

    /// Takes a new configuration.
    package func take(_ new: Reconfiguration) {
        pending.take(new)
        schedule.comeSoon()
    }

    /// Replaces the sinks, except those that are in both lists. A new sink continues where the one of its name ended.
    package func replace(_ sinks: [any Sink]) {
        // The new sinks read the positions of the old ones from the store.
        if !schedule.isFailing { writer.commit(durable: true) }
        publishers.replace(sinks)
        note()
    }

    /// Records the start of `poll` in the store, and the gap before it, and lets servers connect.
    package func begin() {
        writer.begin()
        publishers.open()
    }

    /// Whether a user is watching. Each commit then takes all changes.
    package var isWatched: Bool {
        get { pending.isWatched }
        set { pending.isWatched = newValue }
    }

    // MARK: In

    package func record(_ readings: [Reading]) {
        pending.count(readings)
        let clocks = pending.readClocks()
        // Readings from before and after the clock was set need different commits.
        if pending.waiting.isOtherEpoch(clocks), !schedule.isFailing { writer.commit(durable: false) }
        pending.take(readings, at: clocks)
        let excess = pending.waiting.count - Self.mostWaiting
        if excess > 0 {
            if excess > pending.waiting.shown { writer.show() }
            pending.drop(excess)
            schedule.dropped(excess)
        }
        if schedule.isFailing { writer.showSoon() }
        // Before a sleep or the end, new readings are written to disk at once.
        if schedule.isUrgent(isResting: pending.isResting) { return writer.commit(durable: true) }
        schedule.comeSoon()
    }

    package func record(_ status: PowerStatus) {
        pending.take(status)
        if !schedule.isFailing { writer.comeBack() }
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
        schedule.comeSoon()
    }

    /// Records the end of an attempt that concerns all devices.
    package func record(_ attempt: Attempt) {
        pending.take(attempt)
        schedule.comeSoon()
    }

    /// - Parameter rssi: the last signal strength in dBm.
    package func record(_ snapshot: DeviceSnapshot, of id: DeviceIndex, rssi: Int?) {
        pending.take(snapshot, of: id, rssi: rssi, at: loop.now)
        if !schedule.isFailing { writer.comeBack() }
    }

    /// Records how many of a device's values its throttles dropped.
    package func record(_ thinned: ThinnedValues, of id: DeviceIndex) { pending.take(thinned, of: id) }

    /// Records what blekeep recognized a device by, for later runs.
    package func record(_ identity: BroadcastIdentity, of id: DeviceIndex) {
        pending.take(identity, of: id)
        schedule.comeSoon()
    }

    package func record(_ snapshot: MachineSnapshot) {
        pending.take(snapshot)
        schedule.comeSoon()
    }

    /// Schedules a commit, because the ledger changed.
    private func note() {
        pending.note()
        schedule.comeSoon()
    }

    // MARK: When

    /// Records a connection attempt before it starts, so that the next run recognizes the connection after a crash.
    package func writeAhead(_ id: DeviceIndex) {
        if pending.claim(id, at: loop.now) { writeAhead() }
    }

    /// Writes the newest snapshots now, unless the store fails.
    package func writeAhead() {
        guard writer.hasLedger else { return }
        pending.note()
        if !schedule.isFailing { writer.commit(durable: false) }
    }

    /// Writes everything to disk at the end of a tick, as soon as the disk's budget allows.
    package func settle() {
        if !pending.isEmpty || schedule.isDirty { writer.commit(durable: schedule.settle()) }
    }

    /// Writes everything to disk, now and from now on, because the program must end.
    package func flush() {
        schedule.hurry()
        if !schedule.isFailing { writer.commit(durable: true) }
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
        schedule.overspend()
        writer.commit(durable: true)
    }

    /// Writes everything to disk, and records the normal end of `poll`.
    package func close(_ state: Heartbeat.State) {
        pending.end()
        rest(state)
    }

    /// Ends, and reports the readings that couldn't be stored.
    package func end() {
        writer.end()
        schedule.end()
        let lost = schedule.lost + backlog
        if lost > 0 { log.error("\(lost) readings are lost: they couldn't be written to the history") }
    }

    // MARK: Out

    /// The number of readings that wait for the store.
    package var backlog: Int { pending.waiting.count }

    /// Returns the present status of a device.
    package func status(of id: DeviceIndex) -> DeviceStatus? { pending.status(of: id, at: loop.now) }

    /// The time since a commit was due.
    package var commitLag: Duration { schedule.lag }

    /// The lines that the readers of the sinks missed.
    package var missed: MissedLines? { publishers.missed }

    /// The last failure of a sink that gets only new readings.
    package var sinkError: (any Error)? { publishers.error }

    /// Whether a sink is closed, such as a pipe without a reader.
    package var isSinkClosed: Bool { publishers.isClosed }

    /// Called with each command that somebody at a sink gave.
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
