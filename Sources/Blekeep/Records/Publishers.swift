import Logging
import RunLoop

/// The publishers of all sinks.
final class Publishers {
    private let all: [Publisher]
    private let remote: [RemotePublisher]

    /// Called when a sink fails for the first time or takes readings again.
    var onChange: (() -> Void)?

    /// Called when nobody will ever read again what a sink publishes, such as a pipe whose reader has left.
    var onClosed: (() -> Void)?

    /// - Parameters:
    ///   - store: where the sinks get what they lack, if it is a history.
    ///   - sinceBoot: the time since the machine's start; `nil` where nobody knows.
    init(
        _ sinks: [any Sink], remote: [any RemoteSink] = [], of store: any Store, on loop: RunLoop, log: Logger,
        sinceBoot: (() -> Duration)?
    ) {
        let history = store as? any ReadingLog
        all = sinks.map { Publisher($0, history: history, loop: loop, log: log, sinceBoot: sinceBoot) }
        self.remote = remote.map {
            RemotePublisher($0, history: history, loop: loop, log: log, sinceBoot: sinceBoot)
        }
        for publisher in self.remote { publisher.onChange = { [unowned self] in self.onChange?() } }
        for publisher in all {
            publisher.onChange = { [unowned self, unowned publisher] in
                self.onChange?()
                if publisher.sink.isClosed { self.onClosed?() }
            }
        }
    }

    /// Whether nobody will ever read again what a sink publishes, such as a pipe whose reader has left.
    var isClosed: Bool { all.contains(where: \.sink.isClosed) }

    /// Why a sink that gets what comes now didn't take the last of it.
    var error: (any Error)? { all.first { !$0.sink.wantsEverything && $0.error != nil }?.error }

    /// What the readers of the sinks have missed.
    var missed: MissedLines? {
        let missed = all.compactMap(\.sink.missed)
        return missed.isEmpty
            ? nil
            : MissedLines(count: missed.map(\.count).reduce(0, +), isStalled: missed.contains(where: \.isStalled))
    }

    /// - Parameter time: milliseconds since 1970.
    func standings(time: Int64) -> [SinkStanding] {
        all.compactMap { $0.standing(time: time) } + remote.compactMap { $0.standing(time: time) }
    }

    /// Finds each publisher's place in the history, before anything is stored that it is to publish.
    func begin(in store: any Store) throws {
        guard all.contains(where: { !$0.isPlaced }) || remote.contains(where: { !$0.isPlaced }) else { return }
        let kept = try (store as? any Ledger)?.lastSinks() ?? []
        let isCopying = store.isCopying
        for publisher in all {
            try publisher.begin(kept.first { $0.name == publisher.sink.name }, isCopying: isCopying)
        }
        for publisher in remote {
            try publisher.begin(kept.first { $0.name == publisher.name }, isCopying: isCopying)
        }
    }

    func copying(_ isCopying: Bool) {
        for publisher in all { publisher.isCopying = isCopying }
        for publisher in remote { publisher.isCopying = isCopying }
    }

    func offer(_ stored: [StoredReading], shown: Int) {
        for publisher in all { publisher.offer(stored, shown: shown) }
        for publisher in remote { publisher.offer(stored, shown: shown) }
    }

    func offer(unkept readings: [LiveReading]) {
        for publisher in all { publisher.offer(unkept: readings) }
        for publisher in remote { publisher.offer(unkept: readings) }
    }

    /// The keeper runs: remote sinks connect.
    func start() { for publisher in remote { publisher.start() } }

    /// A device is judged to be this.
    func note(_ device: DeviceID, _ verdict: Verdict) {
        for publisher in remote { publisher.note(device, verdict) }
    }

    func end() {
        for publisher in all { publisher.end() }
        for publisher in remote { publisher.end() }
    }
}
