import Logging
import RunLoop

/// Puts readings into the store, and from there to the sinks: what they show with a sequence number is kept. While the
/// store takes nothing, sinks show what comes without a number, once.
///
/// A commit comes at most a second after the first new reading; when the tick has ended, a durable one, as often as
/// the disk's budget allows: a power cut takes the last half minute at most. Heartbeats go with commits.
final class Recorder: @unchecked Sendable {
    private let store: any Store
    private let sinks: [any Sink]
    private let loop: RunLoop
    private let log: Logger
    private let pulse: Pulse?
    // Touched with every value, on the loop's thread only.
    @exclusivity(unchecked) private var waiting: [Reading] = []
    /// How many of them, from the first on, the sinks have shown without a sequence number.
    private var shown = 0
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

    /// Reads what the ledger holds of an earlier run, before it is written; asked at each commit for what the ledger is to hold, and told when it does.
    /// And when it is to be written at the latest.
    var ledger:
        (
            recall: () throws -> Void, changes: (_ durable: Bool) -> LedgerChanges, taken: () -> Void,
            due: () -> Uptime
        )?

    /// Called when a sink cannot take any more, such as a pipe whose reader has left.
    var onSinkClosed: ((any Error) -> Void)?

    init(store: any Store, sinks: [any Sink], loop: RunLoop, log: Logger, pulse: Pulse? = nil) {
        self.store = store
        self.sinks = sinks
        self.loop = loop
        self.log = log
        self.pulse = pulse
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
        try ledger?.recall()
        guard !isBegun else { return }
        if let downtime = pulse?.begin(after: try store.lastHeartbeat()), downtime.cause != .stopped {
            log.notice("nothing was read for \(downtime.length?.inWords ?? "some time"): \(downtime.cause.rawValue)")
        }
        isBegun = true
    }

    /// What the readers of the sinks have missed.
    var missed: MissedLines? {
        let all = sinks.compactMap(\.missed)
        return all.isEmpty
            ? nil : MissedLines(count: all.map(\.count).reduce(0, +), isStalled: all.contains(where: \.isStalled))
    }

    /// How many readings the store has not taken yet.
    var backlog: Int { waiting.count }

    func record(_ readings: [Reading]) {
        pulse?.take(readings)
        if waiting.isEmpty { waiting = readings } else { waiting += readings }
        let excess = waiting.count - Self.mostWaiting
        if excess > 0 {
            if excess > shown { show() }
            waiting.removeFirst(excess)
            shown -= excess
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

    /// There is something for the ledger: it goes with the next commit.
    func note() {
        if !isFailing || !timer.isArmed { sooner(loop.now + Self.longestWait) }
        hasNews = true
    }

    /// The same, but it must be kept before anything else is done. Only a store that takes nothing is not waited for.
    func noteNow() {
        guard ledger != nil else { return }
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

    /// The keeper has ended: reports the readings that the store didn't take.
    func end() {
        show()
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

    /// When a sign of life is due; none is while the machine is about to sleep.
    private var lifeDue: Uptime { pulse?.rest == nil ? ledger?.due() ?? .never : .never }

    private func commit(durable: Bool) {
        loop.disarm(timer)
        do {
            try recall()
            let heartbeat = pulse?.beat(at: loop.now)
            guard !waiting.isEmpty || hasNews || heartbeat != nil || durable || loop.now >= lifeDue else {
                return rearm()
            }
            let stored = try append(heartbeat, durable: durable)
            if let heartbeat { pulse?.kept(heartbeat, at: loop.now) }
            dirtySince = durable ? nil : dirtySince ?? (waiting.isEmpty && !hasNews ? nil : loop.now)
            isOwed = isOwed && !durable
            hasNews = false
            waiting = []
            if isFailing {
                log.notice("the history takes readings again\(lost > 0 ? "; the oldest \(lost) were dropped" : "")")
            }
            lost = 0
            isFailing = false
            failures = 0
            publish(stored.dropFirst(shown).map(LiveReading.init))
            shown = 0
            loop.disarm(display)
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

    /// Lets the sinks show what the store doesn't take and they haven't shown.
    private func show() {
        loop.disarm(display)
        let new = waiting.dropFirst(shown)
        shown = waiting.count
        publish(new.map { LiveReading(sequence: nil, reading: $0) })
    }

    private func append(_ heartbeat: Heartbeat?, durable: Bool) throws -> [StoredReading] {
        guard let ledger, let store = store as? any Ledger else {
            return try heartbeat.map { try store.append(waiting, $0, durable: durable) }
                ?? store.append(waiting, durable: durable)
        }
        let stored = try store.append(waiting, heartbeat, ledger.changes(durable), durable: durable)
        ledger.taken()
        return stored
    }

    /// Comes back by itself for what is not safe yet, and for a heartbeat that has nothing to go with.
    private func rearm() {
        let next = min(syncDue, pulse?.silentUntil ?? .never, lifeDue)
        if next < .never { sooner(max(next, loop.now)) }
    }

    /// Lets the store do its own work, a little at a time; what fails is tried again after the next commit.
    private func keepUp() {
        guard !isFailing, pulse?.rest == nil, (try? store.upkeep()) != nil, store.needsUpkeep else { return }
        loop.arm(upkeep, at: loop.now + Self.upkeepPause)
    }

    private func publish(_ readings: [LiveReading]) {
        guard !readings.isEmpty else { return }
        for sink in sinks {
            do { try sink.publish(readings) } catch { onSinkClosed?(error) }
        }
    }
}
