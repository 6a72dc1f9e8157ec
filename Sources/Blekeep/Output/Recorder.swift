import Logging
import RunLoop

/// Puts readings into the store, and from there to the sinks: what is shown is already kept.
///
/// A commit comes at most a second after the first new reading; when the tick has ended, a durable one.
final class Recorder: @unchecked Sendable {
    private let store: any Store
    private let sinks: [any Sink]
    private let loop: RunLoop
    private let log: Logger
    private var waiting: [Reading] = []
    private var isDirty = false
    private var isFailing = false
    private lazy var timer = ClosureTimer { [unowned self] in self.commit(durable: false) }

    /// The most readings that wait for a store that does not take them; the oldest go first.
    static let mostWaiting = 10_000
    static let longestWait: Duration = .seconds(1)
    static let retryAfter: Duration = .seconds(60)

    /// Asked at each commit for what the ledger is to hold, and told when it does.
    var ledger: (changes: (_ durable: Bool) -> LedgerChanges, taken: () -> Void)?

    /// Called when a sink cannot take any more, such as a pipe whose reader has left.
    var onSinkClosed: (() -> Void)?

    init(store: any Store, sinks: [any Sink], loop: RunLoop, log: Logger) {
        self.store = store
        self.sinks = sinks
        self.loop = loop
        self.log = log
    }

    func record(_ readings: [Reading]) {
        waiting += readings
        if waiting.count > Self.mostWaiting { waiting.removeFirst(waiting.count - Self.mostWaiting) }
        if !timer.isArmed { loop.arm(timer, at: loop.now + Self.longestWait) }
    }

    /// There is something for the ledger: it goes with the next commit.
    func note() {
        if !timer.isArmed { loop.arm(timer, at: loop.now + Self.longestWait) }
    }

    /// The tick has ended: makes everything safe against a power cut.
    func settle() {
        if !waiting.isEmpty || isDirty || timer.isArmed { commit(durable: true) }
    }

    private func commit(durable: Bool) {
        loop.disarm(timer)
        do {
            let stored = try append(durable: durable)
            waiting = []
            isDirty = !durable
            if isFailing { log.notice("the history takes readings again") }
            isFailing = false
            publish(stored)
        } catch {
            if !isFailing { log.error("the history takes no readings: \(error); the newest are kept in memory") }
            isFailing = true
            loop.arm(timer, at: loop.now + Self.retryAfter)
        }
    }

    private func append(durable: Bool) throws -> [StoredReading] {
        guard let ledger, let store = store as? any Ledger else {
            return try store.append(waiting, durable: durable)
        }
        let stored = try store.append(waiting, ledger.changes(durable), durable: durable)
        ledger.taken()
        return stored
    }

    private func publish(_ readings: [StoredReading]) {
        guard !readings.isEmpty else { return }
        for sink in sinks {
            do { try sink.publish(readings) } catch { onSinkClosed?() }
        }
    }
}
