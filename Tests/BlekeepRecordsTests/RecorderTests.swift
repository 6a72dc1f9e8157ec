import Logging
import RunLoop
import Testing

@testable import BlekeepRecords

@Suite struct RecorderTests {
    private final class Shelf: Store, Sink, @unchecked Sendable {
        let delivery = SinkDelivery.liveOnly
        struct Full: Error {}

        let loop: RunLoop
        var isFull = false
        var appends: [(moment: Duration, count: Int, durable: Bool)] = []
        var published: [Int64?] = []
        var ticks: [Int] = []
        var isClosed = false

        init(_ loop: RunLoop) {
            self.loop = loop
        }

        func append(_ readings: [Reading], durable: Bool) throws -> [StoredReading] {
            if isFull { throw Full() }
            let before = Int64(appends.map(\.count).reduce(0, +))
            appends.append((loop.now.sinceStart, readings.count, durable))
            return readings.enumerated().map {
                StoredReading(sequence: before + Int64($0.offset) + 1, reading: $0.element)
            }
        }

        func send(_ readings: [LiveReading], isLive: Bool, key: Int?) throws {
            if isClosed { throw Full() }
            published += readings.map(\.sequence)
            ticks += readings.map(\.reading.tick)
        }
    }

    private func reading(_ tick: Int = 1) -> Reading {
        Reading(
            time: 0, tick: tick, device: "a", address: BluetoothAddress(bits: 1), service: nil, characteristic: nil,
            name: "", outcome: .failure(ReadingFailure(code: .other("x"), message: "x"), raw: nil))
    }

    /// Runs a story in virtual time.
    private func tell(_ story: @escaping @Sendable (Recorder, RunLoop) async throws -> Void) throws -> Shelf {
        let loop = try RunLoop(.virtual)
        let shelf = Shelf(loop)
        let recorder = Recorder(
            store: shelf, sinks: [shelf], loop: loop, log: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
        try loop.run { try await story(recorder, loop) }
        return shelf
    }

    /// - Returns: the store, and the log's lines of level notice or above.
    private func tellWithLog(
        _ story: @escaping @Sendable (Recorder, Shelf, RunLoop) async throws -> Void
    ) throws -> (shelf: Shelf, log: [String]) {
        let loop = try RunLoop(.virtual)
        let shelf = Shelf(loop)
        nonisolated(unsafe) var log: [String] = []
        let recorder = Recorder(
            store: shelf, sinks: [shelf], loop: loop,
            log: Logger(label: "test") { _ in LogLines { log.append($0) } })
        try loop.run { try await story(recorder, shelf, loop) }
        return (shelf, log)
    }

    /// Most new configurations change devices only.
    @Test func replacingSinksByThemselvesWritesNothing() throws {
        let (shelf, _) = try tellWithLog { recorder, shelf, _ in
            for _ in 1...10 { #expect(!recorder.replace([shelf])) }
            #expect(shelf.appends.isEmpty)
            #expect(recorder.replace([Shelf(shelf.loop)]))
        }
        #expect(shelf.appends.map(\.durable) == [true])
    }

    @Test(arguments: [(3, [3]), (Recorder.maxWaiting + 5, [Recorder.maxWaiting + 5]), (0, [])] as [(Int, [Int])])
    func reportsReadingsThatAreLostAtTheEnd(count: Int, lost: [Int]) throws {
        let loop = try RunLoop(.virtual)
        let shelf = Shelf(loop)
        nonisolated(unsafe) var errors: [String] = []
        let log = Logger(label: "test") { _ in LogLines(.error) { errors.append($0) } }
        let recorder = Recorder(store: shelf, sinks: [shelf], loop: loop, log: log)
        try loop.run {
            shelf.isFull = true
            for _ in 0..<count { recorder.record([self.reading()]) }
            try await loop.sleep(until: .start + .seconds(5))
            recorder.flush()
            recorder.end()
        }
        let reported = errors.filter { $0.contains("lost") }
        #expect(reported == lost.map { "\($0) readings are lost: they couldn't be written to the history" })
    }

    @Test func writesEverythingToDiskAtOnceWhenTheProgramIsToEnd() throws {
        let shelf = try tell { recorder, loop in
            recorder.record([self.reading()])
            recorder.flush()
            recorder.record([self.reading()])
            try await loop.sleep(until: .start + .milliseconds(1))
        }
        #expect(shelf.appends.map(\.moment) == [.zero, .zero])
        #expect(shelf.appends.map(\.count) == [1, 1])
        #expect(shelf.appends.map(\.durable) == [true, true])
    }

    @Test func commitsWithinASecondAndDurablyWhenTheTickEnds() throws {
        let shelf = try tell { recorder, loop in
            recorder.record([self.reading()])
            try await loop.sleep(until: .start + .milliseconds(900))
            recorder.record([self.reading(), self.reading()])
            try await loop.sleep(until: .start + .milliseconds(1500))
            recorder.record([self.reading()])
            recorder.settle()
            try await loop.sleep(until: .start + .seconds(10))
        }
        #expect(shelf.appends.map(\.moment) == [.seconds(1), .milliseconds(1500)])
        #expect(shelf.appends.map(\.count) == [3, 1])
        #expect(shelf.appends.map(\.durable) == [false, true])
        #expect(shelf.published == [1, 2, 3, 4])
    }

    @Test func makesDurableWhatAnEarlierCommitLeft() throws {
        let shelf = try tell { recorder, loop in
            recorder.record([self.reading()])
            try await loop.sleep(until: .start + .seconds(5))
            recorder.settle()
            recorder.settle()
        }
        #expect(shelf.appends.map(\.durable) == [false, true])
        #expect(shelf.appends.map(\.count) == [1, 0])
    }

    /// Of a disk that is full for half a minute.
    @Test func showsReadingsOnceThatTheStoreTakesLater() throws {
        let (shelf, log) = try tellWithLog { recorder, shelf, loop in
            recorder.record([self.reading(1)])
            try await loop.sleep(until: .start + .seconds(2))
            shelf.isFull = true
            for tick in 2...5 {
                recorder.record([self.reading(tick)])
                recorder.settle()
            }
            recorder.record([self.reading(6)])
            // Within a second, as if the store took them.
            try await loop.sleep(until: .start + .milliseconds(3001))
            #expect(shelf.published == [1, nil, nil, nil, nil, nil])
            #expect(shelf.ticks == Array(1...6))
            shelf.isFull = false
            recorder.record([self.reading(7)])
            recorder.settle()
            try await loop.sleep(until: .start + .seconds(62))
        }
        #expect(shelf.appends.map(\.count).reduce(0, +) == 7)
        #expect(shelf.published == [1, nil, nil, nil, nil, nil, 7])
        #expect(shelf.ticks == Array(1...7))
        #expect(log.count == 2, "\(log)")
    }

    @Test func dropsTheOldestOfTooManyThatWaitAndReportsHowMany() throws {
        let (shelf, log) = try tellWithLog { recorder, shelf, loop in
            shelf.isFull = true
            for tick in 1...Recorder.maxWaiting + 2 { recorder.record([self.reading(tick)]) }
            try await loop.sleep(until: .start + .seconds(30))
            // Dropped or not, each was shown.
            #expect(shelf.ticks == Array(1...Recorder.maxWaiting + 2))
            #expect(shelf.published.allSatisfy { $0 == nil })
            shelf.isFull = false
            try await loop.sleep(until: .start + .seconds(62))
        }
        #expect(shelf.appends.map(\.count).reduce(0, +) == Recorder.maxWaiting)
        #expect(shelf.ticks.count == Recorder.maxWaiting + 2)
        #expect(log.last == "writing to the history again; the oldest 2 were dropped")
    }

    @Test func reportsAReaderThatIsGone() throws {
        let loop = try RunLoop(.virtual)
        let shelf = Shelf(loop)
        shelf.isClosed = true
        let recorder = Recorder(
            store: shelf, sinks: [shelf], loop: loop, log: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
        nonisolated(unsafe) var closings = 0
        recorder.publishers.onClosed = { closings += 1 }
        try loop.run {
            recorder.record([self.reading()])
            recorder.settle()
        }
        #expect(closings == 1)
        #expect(shelf.appends.count == 1)
    }

    @Test(arguments: [1, 5, 30]) func syncsAtMostTwiceAMinuteAndLeavesNoReadingUnsynced(_ interval: Int) throws {
        let shelf = try tell { recorder, loop in
            for tick in 0..<(3600 / interval) {
                try await loop.sleep(until: .start + .milliseconds(tick * interval * 1000 + 37 * (tick % 5)))
                recorder.record([self.reading()])
                recorder.settle()
            }
            try await loop.sleep(until: .start + .seconds(3700))
        }
        let durable = shelf.appends.filter(\.durable).map(\.moment)
        #expect(durable.count <= 92)
        // A sync follows within 40 s, so a power cut loses at most that.
        for append in shelf.appends { #expect(durable.contains { 0...41 ~= ($0 - append.moment) / .seconds(1) }) }
    }

    @Test func syncsReadingsWithoutATick() throws {
        let shelf = try tell { recorder, loop in
            for second in 0..<100 {
                try await loop.sleep(until: .start + .seconds(second))
                recorder.record([self.reading()])
            }
            try await loop.sleep(until: .start + .seconds(200))
        }
        #expect((3...5).contains(shelf.appends.count { $0.durable }))
        #expect(shelf.appends.last?.durable == true)
    }

    @Test func beforeTheMachineSleepsEverythingIsSafeWhateverTheBudget() throws {
        let shelf = try tell { recorder, loop in
            for _ in 0..<5 {
                recorder.record([self.reading()])
                recorder.rest(.asleep)
            }
        }
        #expect(shelf.appends.map(\.durable) == [true, true, true, true, true])
    }
}
