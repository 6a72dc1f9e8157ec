import Logging
import RunLoop

package final class Publishers {
    private(set) var all: [Publisher] = []
    private let gateway: String?
    private let history: (any ReadingLog)?
    private let loop: RunLoop
    private let log: Logger
    private let sinceBoot: (() -> Duration)?
    private var isOpen = false

    /// Called when a sink fails for the first time or works again.
    var onChange: (() -> Void)?

    /// Called after each event of a sink.
    var onEvent: (() -> Void)?

    /// Called with each command that a user gave through a sink.
    package var onCommand: ((DeviceCommand, _ answer: @escaping (Result<[UInt8], ReadingFailure>) -> Void) -> Void)?

    /// Called when a sink is closed, such as a pipe without a reader.
    package var onClosed: (() -> Void)?

    /// - Parameters:
    ///   - gateway: this gateway's name; `nil` for one that shares no server with others.
    ///   - store: where the sinks get what they lack, if it is a history.
    ///   - sinceBoot: returns the time since the machine's start; `nil` to never wait for the clock.
    init(
        _ sinks: [any Sink], of gateway: String?, store: any Store, on loop: RunLoop, log: Logger,
        sinceBoot: (() -> Duration)?
    ) {
        history = store as? any ReadingLog
        self.gateway = gateway
        self.loop = loop
        self.log = log
        self.sinceBoot = sinceBoot
        all = sinks.map(publisher)
    }

    private func publisher(_ sink: any Sink) -> Publisher {
        let publisher = Publisher(sink, of: gateway, history: history, loop: loop, log: log, sinceBoot: sinceBoot)
        publisher.onChange = { [unowned self, unowned publisher] in
            self.onChange?()
            if publisher.sink.isClosed { self.onClosed?() }
        }
        publisher.onEvent = { [unowned self] in self.onEvent?() }
        publisher.onCommand = { [unowned self] in self.onCommand?($0, $1) }
        return publisher
    }

    /// Whether these are the sinks, in this order.
    func have(_ sinks: [any Sink]) -> Bool { all.elementsEqual(sinks) { $0.sink === $1 } }

    /// Replaces the sinks, except those that are in both lists. Returns whether one is new.
    func replace(_ sinks: [any Sink]) -> Bool {
        let before = all
        for old in all where !sinks.contains(where: { $0 === old.sink }) {
            old.end(isHandedOver: sinks.contains { $0.name == old.sink.name && $0.role == old.sink.role })
        }
        all = sinks.map { sink in
            if let known = all.first(where: { $0.sink === sink }) { return known }
            let publisher = publisher(sink)
            if isOpen { publisher.open() }
            return publisher
        }
        return all.contains { publisher in !before.contains { $0 === publisher } }
    }

    /// Whether a sink is closed, such as a pipe without a reader.
    package var isClosed: Bool { all.contains(where: \.sink.isClosed) }

    /// The last failure of a sink that gets only new readings.
    package var error: (any Error)? { all.first { $0.sink.delivery == .liveOnly && $0.error != nil }?.error }

    /// The lines that the readers of the sinks missed.
    package var missed: MissedLines? {
        let missed = all.compactMap(\.sink.missed)
        return missed.isEmpty
            ? nil
            : MissedLines(count: missed.map(\.count).reduce(0, +), isStalled: missed.contains(where: \.isStalled))
    }

    func statuses(time: Int64) -> [SinkStatus] {
        all.filter(\.sink.isReported).compactMap { $0.status(time: time) }
    }

    /// Finds each publisher's position in the history. Call it before the first reading is stored.
    func begin(in store: any Store) throws {
        guard all.contains(where: { !$0.isLocated }) else { return }
        let kept = try (store as? any Ledger)?.lastSinks() ?? []
        for publisher in all { try publisher.begin(kept.first { $0.name == publisher.sink.name }) }
    }

    /// The poller runs: servers connect.
    func open() {
        isOpen = true
        for publisher in all { publisher.open() }
    }

    /// Tells each sink what no history keeps, or what it holds already.
    package func forEachSink(_ news: (any Sink) -> Void) { for publisher in all { news(publisher.sink) } }

    /// Whether a sink confirms readings later.
    var hasServer: Bool { all.contains(where: \.sink.delivery.isServer) }

    /// Whether the end of `poll` need not wait for any sink.
    var areSettled: Bool { all.allSatisfy(\.isSettled) }
}
