import Blekeep
import BlekeepSimulation
import RunLoop

/// What the sinks outside of a run have: a file, and a server. Pure.
struct SinkAccounts: Sendable {
    /// The last reading in the file.
    var file: Int64 = 0
    /// The readings that the server has, or refused.
    private(set) var taken = RangeSet<Int64>()
    /// The readings that the server's status in the ledger says it has, or that are lost.
    private var claimed = RangeSet<Int64>()

    /// S6 no-loss: the file gets each reading once, in order, and hears of each gap.
    ///
    /// - Parameter oldest: the oldest reading in the store.
    mutating func write(_ batch: ClosedRange<Int64>) -> String? {
        defer { file = batch.upperBound }
        return batch.lowerBound == file + 1 ? nil : "reading \(batch.lowerBound) is written after \(file)"
    }

    mutating func skip(_ gap: ClosedRange<Int64>, oldest: Int64) -> String? {
        defer { file = gap.upperBound }
        return gap.lowerBound == file + 1 && gap.upperBound < oldest
            ? nil : "the file misses \(gap) after \(file), and the store has them from \(oldest) on"
    }

    /// The server takes readings.
    mutating func take(_ batch: some Sequence<Int64>) {
        for number in batch { taken.insert(contentsOf: number..<number + 1) }
    }

    /// S6 no-loss: the ledger says that a server has only what the server has, or what the store no longer holds.
    ///
    /// - Parameter oldest: the oldest reading in the store.
    mutating func flaws(of status: SinkStatus, oldest: Int64) -> [String] {
        guard let confirmed = status.confirmed, let position = status.position else { return [] }
        var said = position > 0 ? RangeSet(1..<position + 1) : RangeSet()
        for numbers in confirmed { said.insert(contentsOf: numbers.lowerBound..<numbers.upperBound + 1) }
        let wrong = said.subtracting(claimed).subtracting(taken)
        claimed.formUnion(said)
        return wrong.ranges.filter { $0.upperBound > oldest }.map {
            "\(status.name) is said to have \($0), and does not; the store has them from \(oldest) on"
        }
    }
}

/// What one run of the poller sees of the outside: the store, and three sinks. The screen gets new readings, the file
/// gets all, and the server confirms them. The file and the server fail now and then.
final class WitnessRun: Ledger, ReadingLog, @unchecked Sendable {
    private let store: WitnessStore
    let screen: Screen
    let file: File
    let server: Server

    init(_ store: WitnessStore, _ witness: Witness, mood: Mood) {
        self.store = store
        screen = Screen(store, witness)
        file = File(store, witness, mood)
        server = Server(store, witness, mood)
    }

    /// The poller was killed: what it still does has no effect.
    private(set) var isKilled = false

    func kill() {
        isKilled = true
        screen.isKilled = true
        file.isKilled = true
        server.isKilled = true
    }

    func append(
        _ readings: [Reading], _ heartbeat: Heartbeat?, _ changes: LedgerChanges, durable: Bool
    ) throws -> [StoredReading] {
        if isKilled { throw Failure() }
        let stored = try store.append(readings, heartbeat, changes, durable: durable)
        screen.keeps(stored)
        return stored
    }

    func lastHeartbeat() throws -> Heartbeat? { store.ledger.heartbeat }

    func lastKnown() throws -> (statuses: [DeviceStatus], entries: [LedgerEntry]) { store.ledger.lastKnown }

    func lastAdapters() throws -> [GatewayStatus.Adapter] { store.ledger.poller?.adapters ?? [] }

    func lastSinks() throws -> [SinkStatus] { store.ledger.sinks.values.sorted { $0.name < $1.name } }

    func readings(after sequence: Int64, limit: Int) throws -> [StoredReading] {
        store.readings(after: sequence, limit: limit)
    }

    func bounds() throws -> (oldest: Int64, newest: Int64) { store.bounds }

    /// How the file and the server misbehave, of all runs of a seed.
    final class Mood {
        private var random: SplitMix64
        var isWell = false
        /// Until when writing to the file fails.
        fileprivate var fileFailsUntil = Uptime.start
        /// Until when the server can't be reached.
        fileprivate var serverFailsUntil = Uptime.start

        init(seed: UInt64) { random = SplitMix64(seed: seed ^ 0x3333_3333_3333) }

        /// Whether something with this chance happens now.
        fileprivate func happens(oneIn count: Int) -> Bool {
            !isWell && Int.random(in: 0..<count, using: &random) == 0
        }

        /// How long a write takes on a worn disk: now and then, up to 20 s.
        func writeLength() -> Duration { happens(oneIn: 50) ? length(.milliseconds(1) ... .seconds(20)) : .zero }

        fileprivate func length(_ range: ClosedRange<Duration>) -> Duration { random.duration(in: range) }

        fileprivate func count(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &random) }
    }

    struct Failure: Error {}

    final class Screen: Sink {
        private let store: WitnessStore
        private unowned let witness: Witness
        private var publications: Publications
        fileprivate var isKilled = false
        let name = "screen"
        let delivery = SinkDelivery.liveOnly

        init(_ store: WitnessStore, _ witness: Witness) {
            self.store = store
            self.witness = witness
            publications = Publications(after: store.readings)
        }

        func keeps(_ stored: [StoredReading]) { publications.keeps(stored) }

        func send(_ new: [LiveReading], isLive: Bool, key: Int?) {
            if isKilled { return }
            for reading in new {
                witness.note("screen \(reading.sequence ?? 0)", in: .sinks)
                let flaw = publications.publishes(reading, isRefusing: store.isRefusing, kept: store.readings)
                if let flaw { witness.violate(.noLoss, flaw) }
            }
        }
    }

    final class File: Sink {
        private let store: WitnessStore
        private unowned let witness: Witness
        private let mood: Mood
        fileprivate var isKilled = false
        let name = "file"
        let delivery = SinkDelivery.ordered

        init(_ store: WitnessStore, _ witness: Witness, _ mood: Mood) {
            self.store = store
            self.witness = witness
            self.mood = mood
        }

        func position(kept: Int64) throws -> Int64 {
            if isKilled { throw Failure() }
            return store.sinks.file
        }

        func send(_ readings: [LiveReading], isLive: Bool, key: Int?) throws {
            if isKilled { throw Failure() }
            var count = readings.count
            if mood.happens(oneIn: 500) {
                mood.fileFailsUntil = store.now + mood.length(.seconds(1) ... .seconds(900))
                // A part of the readings may be written all the same.
                count = mood.count(0...count)
            } else if !mood.isWell, store.now < mood.fileFailsUntil {
                throw Failure()
            }
            for reading in readings.prefix(count) {
                guard let sequence = reading.sequence else {
                    witness.violate(.noLoss, "the file gets a reading that isn't stored")
                    continue
                }
                witness.note("file \(sequence)", in: .sinks)
                let flaw = store.sinks.write(sequence...sequence)
                if let flaw { witness.violate(.noLoss, flaw) }
            }
            if count < readings.count { throw Failure() }
        }

        func send(_ break: LogBreak) throws {
            if isKilled { throw Failure() }
            guard case .missing(let gap) = `break` else {
                return witness.violate(.noLoss, "the file hears of an older history")
            }
            if !mood.isWell, store.now < mood.fileFailsUntil { throw Failure() }
            witness.note("file without \(gap)", in: .sinks)
            let flaw = store.sinks.skip(gap, oldest: store.bounds.oldest)
            if let flaw { witness.violate(.noLoss, flaw) }
        }
    }

    final class Server: Sink {
        private let store: WitnessStore
        private unowned let witness: Witness
        private let mood: Mood
        fileprivate var isKilled = false
        let name = "server"
        let delivery = SinkDelivery.newestFirst(rate: 50)
        var onEvent: ((SinkEvent) -> Void)?
        /// The number of the connection; `nil` without one.
        private var connection: Int?
        private var connections = 0

        init(_ store: WitnessStore, _ witness: Witness, _ mood: Mood) {
            self.store = store
            self.witness = witness
            self.mood = mood
        }

        private func later(_ pause: Duration, _ action: @escaping () -> Void) {
            witness.loop.schedule(at: store.now + pause) { [weak self] in
                guard let self, !self.isKilled else { return }
                action()
            }
        }

        func connect() {
            later(.milliseconds(20)) { [self] in
                guard mood.isWell || store.now >= mood.serverFailsUntil else { return onEvent?(.lost(Failure())) ?? () }
                connections += 1
                connection = connections
                onEvent?(.connected)
            }
        }

        private func lose() {
            guard connection != nil else { return }
            connection = nil
            mood.serverFailsUntil = store.now + mood.length(.zero ... .seconds(900))
            onEvent?(.lost(Failure()))
        }

        func send(_ readings: [LiveReading], isLive: Bool, key: Int?) {
            guard let connection, !isKilled else { return }
            let numbers = readings.compactMap(\.sequence)
            witness.note("server \(isLive) \(numbers)", in: .sinks)
            // The connection ends on the way there, or before the confirmation.
            if mood.happens(oneIn: 400) { return later(.zero) { self.lose() } }
            store.sinks.take(numbers)
            if mood.happens(oneIn: 400) { return later(.zero) { self.lose() } }
            guard let key else { return }
            let isRefused = mood.happens(oneIn: 200)
            let pause = mood.happens(oneIn: 20) ? mood.length(.seconds(1) ... .seconds(60)) : .milliseconds(30)
            for _ in 0..<(mood.happens(oneIn: 50) ? 2 : 1) {
                later(pause) { [self] in
                    // A confirmation of an earlier connection doesn't arrive.
                    guard self.connection == connection else { return }
                    if isRefused { onEvent?(.refused(1, reason: "a mood")) }
                    onEvent?(.confirmed(key))
                }
            }
        }

        func note(_ device: DeviceID, isAvailable: Bool) {
            if !isKilled { witness.note("server \(device.address) \(isAvailable)", in: .sinks) }
        }

        func end() { connection = nil }
    }
}
