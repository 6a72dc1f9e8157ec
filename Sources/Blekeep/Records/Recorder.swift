import Logging
import RunLoop

/// Puts readings into the store, and from there to the sinks: what they show with a sequence number is kept. While the
/// store takes nothing, sinks show what comes without a number, once.
///
/// A commit comes at most a second after the first new reading; when the tick has ended, a durable one, as often as
/// the disk's budget allows: a power cut takes the last half minute at most. Heartbeats and snapshots go with commits.
final class Recorder: @unchecked Sendable {
    private let store: any Store
    private let publishers: [Publisher]
    private let loop: RunLoop
    private let log: Logger
    private let pulse: Pulse?
    private let wallTime: () -> Int64
    private let clocks: (() -> ClockReading)?
    // Touched with every value, on the loop's thread only.
    private var waiting = WaitingReadings()
    private var book: LedgerBook?
    /// Whether there is something for the ledger.
    private var hasNews = false
    /// Since when something is kept that a power cut would take.
    private var dirtySince: Uptime?
    /// Whether a tick has ended that could not be made safe yet.
    private var isOwed = false
    private var isFailing = false
    private var isEnding = false
    /// Readings that were dropped since the store failed, as too many waited.
    private var lost = 0
    /// How often in a row it has failed.
    private var failures = 0
    /// Whether the store has told what was before this start.
    private var isBegun = true
    /// Reads what an earlier run has left; `nil` when that is done.
    private var inherit: (() throws -> Inheritance)?
    private var syncs = SyncBudget()
    private lazy var timer = ClosureTimer { [unowned self] in self.wake() }
    private lazy var display = ClosureTimer { [unowned self] in self.show() }
    private lazy var upkeep = ClosureTimer { [unowned self] in self.keepUp() }

    /// The most readings that wait for a store that does not take them; the oldest go first.
    static let mostWaiting = 10_000
    static let longestWait: Duration = .seconds(1)
    /// Between two pieces of the store's own work.
    static let upkeepPause: Duration = .milliseconds(100)
    /// From one attempt to write to the next, at most.
    static let retryAfter: Duration = .seconds(60)

    /// Whether a user is watching: then each commit takes all changes.
    var isWatched = false

    /// Called when what an earlier run has left could be read only after the start.
    var onInheritance: ((Inheritance) -> Void)?

    /// Called when nobody will ever read again what a sink publishes, such as a pipe whose reader has left.
    var onSinkClosed: (() -> Void)?

    /// Whether that is so.
    var isSinkClosed: Bool { publishers.contains(where: \.sink.isClosed) }

    /// Why a sink that gets what comes now didn't take the last of it.
    var sinkError: (any Error)? { publishers.first { !$0.sink.wantsEverything && $0.error != nil }?.error }

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
        publishers = sinks.map {
            Publisher($0, history: store as? any ReadingLog, loop: loop, log: log, sinceBoot: sinceBoot)
        }
        for publisher in publishers {
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

    /// Finds each publisher's place in the history, before anything is stored that it is to publish.
    private func place() throws {
        guard publishers.contains(where: { !$0.isPlaced }) else { return }
        let kept = try (store as? any Ledger)?.lastSinks() ?? []
        let isCopying = store.isCopying
        for publisher in publishers {
            try publisher.begin(kept.first { $0.name == publisher.sink.name }, isCopying: isCopying)
        }
    }

    /// What the readers of the sinks have missed.
    var missed: MissedLines? {
        let all = publishers.compactMap(\.sink.missed)
        return all.isEmpty
            ? nil : MissedLines(count: all.map(\.count).reduce(0, +), isStalled: all.contains(where: \.isStalled))
    }

    /// How many readings the store has not taken yet.
    var backlog: Int { waiting.count }

    // MARK: In

    func record(_ readings: [Reading]) {
        pulse?.take(readings)
        let clocks = clocks?()
        // Readings by another clock go with another commit.
        if waiting.isOtherEpoch(clocks), !isFailing { commit(durable: false) }
        if clocks?.isSynchronized == false {
            waiting.add(readings.map(\.withoutClock), at: clocks)
        } else {
            waiting.add(readings, at: clocks)
        }
        let excess = waiting.count - Self.mostWaiting
        if excess > 0 {
            if excess > waiting.shown { show() }
            waiting.drop(excess)
            lost += excess
        }
        if isFailing, !display.isArmed { loop.arm(display, at: loop.now + Self.longestWait) }
        // What still comes while the machine is about to sleep is made safe at once: there may be no later.
        if isEnding || pulse?.rest != nil, !isFailing { return commit(durable: true) }
        if !isFailing || !timer.isArmed { sooner(loop.now + Self.longestWait) }
    }

    /// The machine's power is another.
    func record(_ status: PowerStatus) {
        pulse?.take(status)
        if !isFailing { rearm() }
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
        if !isFailing { rearm() }
    }

    /// What a device's throttles made of the values that it sent by itself, since the start.
    func record(_ thinned: ThinnedValues, of id: DeviceID) { book?.take(id, thinned) }

    func record(_ snapshot: MachineSnapshot) {
        book?.take(snapshot)
        note()
    }

    /// The ledger has news: it goes with the next commit.
    private func note() {
        if !isFailing || !timer.isArmed { sooner(loop.now + Self.longestWait) }
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
        if !isFailing { commit(durable: false) }
    }

    /// The tick has ended: makes everything safe against a power cut, now or as soon as the disk's budget allows.
    func settle() {
        guard !waiting.isEmpty || hasNews || dirtySince != nil else { return }
        let isSafe = syncs.spend(at: loop.now)
        isOwed = !isSafe
        commit(durable: isSafe)
    }

    /// The program is asked to end and may be ended at any moment: writes everything to disk, now and from now on.
    func flush() {
        isEnding = true
        if !isFailing { commit(durable: true) }
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
        for publisher in publishers { publisher.end() }
        let lost = lost + waiting.count
        if lost > 0 { log.error("\(lost) readings are lost: the history took none until the end") }
    }

    // MARK: Commits

    private func sooner(_ moment: Uptime) {
        if !timer.isArmed || moment < timer.deadline { loop.arm(timer, at: moment) }
    }

    private func wake() {
        commit(durable: loop.now >= syncDue && syncs.spend(at: loop.now))
    }

    /// When what is not safe yet is to be made so without the end of a tick.
    private var syncDue: Uptime {
        guard let dirtySince else { return .never }
        return isOwed ? syncs.next : max(syncs.next, dirtySince + SyncBudget.interval)
    }

    /// When the ledger must be written; not while the machine is about to sleep.
    private var ledgerDue: Uptime { pulse?.rest == nil ? book?.due ?? .never : .never }

    private func commit(durable: Bool) {
        loop.disarm(timer)
        do {
            try recall()
            try place()
            let heartbeat = pulse?.beat(at: loop.now)
            guard !waiting.isEmpty || hasNews || heartbeat != nil || durable || loop.now >= ledgerDue else {
                return rearm()
            }
            // Each group but the last has a commit of its own.
            while waiting.groups.count > 1, let group = waiting.groups.first {
                let stored = try append(group, nil, LedgerChanges(), durable: false)
                let shown = waiting.removeFirst()
                for publisher in publishers { publisher.offer(stored, shown: shown) }
            }
            var changes = LedgerChanges()
            let now = clocks?()
            if store is any Ledger, let now {
                let time = wallTime()
                book?.take(missed, publishers.compactMap { $0.standing(time: time) })
                changes =
                    book?.changes(durable || isWatched ? .all : .news, now, time: wallTime(), at: loop.now) ?? changes
            }
            let group = waiting.groups.first ?? .init(clocks: now, readings: [])
            let stored = try append(group, heartbeat, changes, durable: durable)
            book?.taken(at: loop.now)
            if let heartbeat { pulse?.kept(heartbeat, at: loop.now) }
            dirtySince = durable ? nil : dirtySince ?? (waiting.isEmpty && !hasNews ? nil : loop.now)
            isOwed = isOwed && !durable
            hasNews = false
            let shown = waiting.removeFirst()
            if isFailing {
                log.notice("the history takes readings again\(lost > 0 ? "; the oldest \(lost) were dropped" : "")")
            }
            lost = 0
            isFailing = false
            failures = 0
            loop.disarm(display)
            for publisher in publishers {
                publisher.isCopying = store.isCopying
                publisher.offer(stored, shown: shown)
            }
            rearm()
            if store.needsUpkeep, !upkeep.isArmed { loop.arm(upkeep, at: loop.now + Self.upkeepPause) }
        } catch {
            if !isFailing { log.error("the history takes no readings: \(error); the newest are kept in memory") }
            isFailing = true
            // What is only held for a moment is had soon; what lasts is asked for once a minute.
            loop.arm(timer, at: loop.now + min(Self.retryAfter, .seconds(1 << min(failures, 6))))
            failures += 1
            show()
        }
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
        let next = min(syncDue, pulse?.silentUntil ?? .never, ledgerDue)
        if next < .never { sooner(max(next, loop.now)) }
    }

    /// Lets the store do its own work, a little at a time; what fails is tried again after the next commit.
    private func keepUp() {
        guard !isFailing, pulse?.rest == nil, (try? store.upkeep()) != nil else { return }
        for publisher in publishers { publisher.isCopying = store.isCopying }
        if store.needsUpkeep { loop.arm(upkeep, at: loop.now + Self.upkeepPause) }
    }

    // MARK: Out

    /// Lets the sinks show what the store doesn't take and they haven't shown.
    private func show() {
        loop.disarm(display)
        let new = waiting.show()
        for publisher in publishers { publisher.offer(unkept: new) }
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
