import Logging
import RunLoop

/// Puts readings into the store, and from there to the sinks: what they show with a sequence number is kept. While the
/// store takes nothing, sinks show what comes without a number, once.
///
/// A commit comes at most a second after the first new reading; when the tick has ended, a durable one, as often as
/// the disk's budget allows: a power cut takes the last half minute at most. Heartbeats and snapshots go with commits.
final class Recorder: @unchecked Sendable {
    private let store: any Store
    private let publishers: Publishers
    private let loop: RunLoop
    private let log: Logger
    private let pulse: Pulse?
    private let wallTime: () -> Int64
    private let clocks: (() -> ClockReading)?
    private var waiting = WaitingReadings()
    private var book: LedgerBook?
    /// Whether there is something for the ledger.
    private var hasNews = false
    private var syncs = SyncSchedule()
    private var health = StoreHealth()
    private var isEnding = false
    /// Whether the store has told what was before this start.
    private var isBegun = true
    /// Reads what an earlier run has left; `nil` when that is done.
    private var inherit: (() throws -> Inheritance)?
    private lazy var timer = ClosureTimer { [unowned self] in self.wake() }
    private lazy var display = ClosureTimer { [unowned self] in self.show() }
    private lazy var upkeep = ClosureTimer { [unowned self] in self.keepUp() }

    /// The most readings that wait for a store that does not take them; the oldest go first.
    static let mostWaiting = 10_000
    static let longestWait: Duration = .seconds(1)
    /// Between two pieces of the store's own work.
    static let upkeepPause: Duration = .milliseconds(100)

    /// Whether a user is watching: then each commit takes all changes.
    var isWatched = false

    /// Called when what an earlier run has left could be read only after the start.
    var onInheritance: ((Inheritance) -> Void)?

    /// Called when nobody will ever read again what a sink publishes, such as a pipe whose reader has left.
    var onSinkClosed: (() -> Void)?

    /// Whether that is so.
    var isSinkClosed: Bool { publishers.isClosed }

    /// Why a sink that gets what comes now didn't take the last of it.
    var sinkError: (any Error)? { publishers.error }

    /// - Parameters:
    ///   - clocks: the machine's clocks; `nil`: the time of day is right.
    ///   - wallTime: milliseconds since 1970.
    init(
        store: any Store, sinks: [any Sink], loop: RunLoop, log: Logger, pulse: Pulse? = nil, book: LedgerBook? = nil,
        clocks: (() -> ClockReading)? = nil, wallTime: @escaping () -> Int64 = WallClock.milliseconds
    ) {
        self.store = store
        self.loop = loop
        self.log = log
        self.pulse = pulse
        self.book = book
        self.clocks = clocks
        self.wallTime = wallTime
        let sinceBoot = clocks.map { clocks in { clocks().sinceBoot } }
        publishers = Publishers(
            all: sinks.map {
                Publisher($0, history: store as? any ReadingLog, loop: loop, log: log, sinceBoot: sinceBoot)
            })
        for publisher in publishers.all {
            // Not weak: that would make each use of the recorder slower.
            publisher.onChange = { [unowned self, unowned publisher] in
                self.note()
                if publisher.sink.isClosed { self.onSinkClosed?() }
            }
        }
    }

    /// Reads what an earlier run has left, if there is a ledger; when it can't be read now, that comes later.
    func inherit(for configuration: Configuration) -> Inheritance {
        guard let ledger = store as? any Ledger, let start = clocks?() else { return Inheritance() }
        let read = { [unowned self] in
            let known = try ledger.lastKnown()
            let inheritance = try Inheritance(ledger, known, of: configuration, at: start)
            self.book?.resume(known.standings, known.entries)
            return inheritance
        }
        hasNews = true
        do { return try read() } catch {
            log.warning("can't read what became of earlier attempts, trying again: \(error)")
            inherit = read
            return Inheritance()
        }
    }

    /// Says in the store that the keeper runs, and how long it has not.
    func begin() {
        guard let pulse else { return }
        pulse.start()
        isBegun = false
        commit(durable: false)
    }

    /// What was before this start; as long as the store doesn't tell, nothing is kept that would hide it.
    private func recall() throws {
        if let inheritance = try inherit?() {
            inherit = nil
            onInheritance?(inheritance)
        }
        guard !isBegun else { return }
        if let downtime = pulse?.begin(after: try store.lastHeartbeat()), downtime.cause != .stopped {
            let length = downtime.length.map(DurationText.seconds) ?? "some time"
            log.notice("nothing was read for \(length): \(downtime.cause.rawValue)")
        }
        isBegun = true
    }

    /// What the readers of the sinks have missed.
    var missed: MissedLines? { publishers.missed }

    /// How many readings the store has not taken yet.
    var backlog: Int { waiting.count }

    // MARK: In

    func record(_ readings: [Reading]) {
        pulse?.take(readings)
        let clocks = clocks?()
        // Readings by another clock go with another commit.
        if waiting.isOtherEpoch(clocks), !health.isFailing { commit(durable: false) }
        if clocks?.isSynchronized == false {
            waiting.add(readings.map(\.withoutClock), at: clocks)
        } else {
            waiting.add(readings, at: clocks)
        }
        let excess = waiting.count - Self.mostWaiting
        if excess > 0 {
            if excess > waiting.shown { show() }
            waiting.drop(excess)
            health.dropped(excess)
        }
        if health.isFailing, !display.isArmed { loop.arm(display, at: loop.now + Self.longestWait) }
        // What still comes while the machine is about to sleep is made safe at once: there may be no later.
        if isEnding || pulse?.rest != nil, !health.isFailing { return commit(durable: true) }
        if !health.isFailing || !timer.isArmed { sooner(loop.now + Self.longestWait) }
    }

    /// The machine's power is another.
    func record(_ status: PowerStatus) {
        pulse?.take(status)
        if !health.isFailing { rearm() }
    }

    /// An attempt ended, and the device is judged to be this now.
    func record(_ attempt: Attempt, _ verdict: Verdict, of id: DeviceID) {
        tell(book?.take(id, attempt, verdict, at: wallTime()))
    }

    /// An attempt that concerns every device ended.
    func record(_ attempt: Attempt) {
        book?.take(attempt, at: wallTime())
        note()
    }

    private func tell(_ lines: [Chronicle.Line]?) {
        for line in lines ?? [] {
            switch line.level {
            case .info: log.info("\(line.text)")
            case .notice: log.notice("\(line.text)")
            case .warning: log.warning("\(line.text)")
            }
        }
        note()
    }

    /// - Parameter rssi: in dBm, as BlueZ heard the device last.
    func record(_ snapshot: DeviceSnapshot, of id: DeviceID, rssi: Int?) {
        pulse?.take(id, snapshot, at: loop.now)
        book?.take(id, snapshot, rssi: rssi, at: loop.now)
        if !health.isFailing { rearm() }
    }

    /// What a device's throttles made of the values that it sent by itself, since the start.
    func record(_ thinned: ThinnedValues, of id: DeviceID) { book?.take(id, thinned) }

    func record(_ snapshot: MachineSnapshot) {
        book?.take(snapshot)
        note()
    }

    /// The ledger has news: it goes with the next commit.
    private func note() {
        if !health.isFailing || !timer.isArmed { sooner(loop.now + Self.longestWait) }
        hasNews = true
    }

    /// Writes down that a connection is about to be made: if blekeep is killed, the next run knows it for its own.
    func writeAhead(_ id: DeviceID) {
        if book?.claim(id, at: loop.now) == true { writeAhead() }
    }

    /// Writes down the newest snapshots before anything else is done. Only a store that takes nothing isn't waited for.
    func writeAhead() {
        guard store is any Ledger else { return }
        hasNews = true
        if !health.isFailing { commit(durable: false) }
    }

    /// The tick has ended: makes everything safe against a power cut, now or as soon as the disk's budget allows.
    func settle() {
        guard !waiting.isEmpty || hasNews || syncs.isDirty else { return }
        commit(durable: syncs.settle(at: loop.now))
    }

    /// The program is asked to end and may be ended at any moment: writes everything to disk, now and from now on.
    func flush() {
        isEnding = true
        if !health.isFailing { commit(durable: true) }
    }

    /// Makes everything safe at once, and says what comes now.
    func rest(_ state: Heartbeat.State) {
        pulse?.turn(to: state)
        syncs.overspend(at: loop.now)
        commit(durable: true)
    }

    /// The keeper ends in good order: makes everything safe, and says so.
    func close(_ state: Heartbeat.State) {
        book?.end(at: wallTime())
        hasNews = true
        rest(state)
    }

    /// The keeper has ended: reports the readings that the store didn't take.
    func end() {
        show()
        for timer in [timer, display, upkeep] { loop.disarm(timer) }
        publishers.end()
        let lost = health.lost + waiting.count
        if lost > 0 { log.error("\(lost) readings are lost: the history took none until the end") }
    }

    // MARK: Commits

    private func sooner(_ moment: Uptime) {
        if !timer.isArmed || moment < timer.deadline { loop.arm(timer, at: moment) }
    }

    private func wake() { commit(durable: syncs.spendIfDue(at: loop.now)) }

    /// When the ledger must be written; not while the machine is about to sleep.
    private var ledgerDue: Uptime { pulse?.rest == nil ? book?.due ?? .never : .never }

    private func commit(durable: Bool) {
        loop.disarm(timer)
        do {
            try recall()
            try publishers.begin(in: store)
            let heartbeat = pulse?.beat(at: loop.now)
            guard !waiting.isEmpty || hasNews || heartbeat != nil || durable || loop.now >= ledgerDue else {
                return rearm()
            }
            // Each group but the last has a commit of its own.
            while waiting.groups.count > 1, let group = waiting.groups.first {
                let stored = try append(group, nil, LedgerChanges(), durable: false)
                publishers.offer(stored, shown: waiting.removeFirst())
            }
            let now = clocks?()
            let changes = now.map { ledgerChanges(at: $0, all: durable || isWatched) } ?? LedgerChanges()
            let group = waiting.groups.first ?? .init(clocks: now, readings: [])
            let stored = try append(group, heartbeat, changes, durable: durable)
            committed(stored, heartbeat, durable: durable)
        } catch {
            if !health.isFailing {
                log.error("the history takes no readings: \(error); the newest are kept in memory")
            }
            loop.arm(timer, at: loop.now + health.failed())
            show()
        }
    }

    /// What the next commit writes into the ledger.
    private func ledgerChanges(at clocks: ClockReading, all: Bool) -> LedgerChanges {
        guard store is any Ledger else { return LedgerChanges() }
        let time = wallTime()
        book?.take(missed, publishers.standings(time: time))
        return book?.changes(all ? .all : .news, clocks, time: time, at: loop.now) ?? LedgerChanges()
    }

    /// The store has taken all that waited.
    private func committed(_ stored: [StoredReading], _ heartbeat: Heartbeat?, durable: Bool) {
        book?.taken(at: loop.now)
        if let heartbeat { pulse?.kept(heartbeat, at: loop.now) }
        syncs.committed(durable: durable, isEmpty: waiting.isEmpty && !hasNews, at: loop.now)
        hasNews = false
        let shown = waiting.removeFirst()
        if let words = health.succeeded() { log.notice("\(words)") }
        loop.disarm(display)
        publishers.copying(store.isCopying)
        publishers.offer(stored, shown: shown)
        rearm()
        if store.needsUpkeep, !upkeep.isArmed { loop.arm(upkeep, at: loop.now + Self.upkeepPause) }
    }

    private func append(
        _ group: WaitingReadings.Group, _ heartbeat: Heartbeat?, _ changes: LedgerChanges, durable: Bool
    ) throws -> [StoredReading] {
        guard let ledger = store as? any Ledger else {
            return try heartbeat.map { try store.append(group.readings, $0, durable: durable) }
                ?? store.append(group.readings, durable: durable)
        }
        var changes = changes
        changes.clocks = group.clocks
        return try ledger.append(group.readings, heartbeat, changes, durable: durable)
    }

    /// Comes back by itself for what is not safe yet, and for a heartbeat that has nothing to go with.
    private func rearm() {
        let next = min(syncs.due, pulse?.silentUntil ?? .never, ledgerDue)
        if next < .never { sooner(max(next, loop.now)) }
    }

    /// Lets the store do its own work, a little at a time; what fails is tried again after the next commit.
    private func keepUp() {
        guard !health.isFailing, pulse?.rest == nil, (try? store.upkeep()) != nil else { return }
        publishers.copying(store.isCopying)
        if store.needsUpkeep { loop.arm(upkeep, at: loop.now + Self.upkeepPause) }
    }

    // MARK: Out

    /// Lets the sinks show what the store doesn't take and they haven't shown.
    private func show() {
        loop.disarm(display)
        let new = waiting.show()
        publishers.offer(unkept: new)
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
