import Logging
import RunLoop
import Testing

@testable import BlekeepRecords

/// One publisher and its sink, in virtual time.
@Suite struct PublisherTests {
    private struct Full: Error, CustomStringConvertible { let description = "the disk is full" }

    /// A log and a sink in one.
    private final class Desk: ReadingLog, Sink {
        let loop: RunLoop
        let delivery: SinkDelivery
        var rows: [StoredReading] = []
        var newest: Int64 = 0
        var isFull = false
        var isClosed = false
        var isCopying = false
        /// The sink's own position.
        var own: Int64?
        var published: [Int64?] = []
        var breaks: [LogBreak] = []
        var tries: [Duration] = []
        var largest = 0
        let name = "desk"

        init(_ loop: RunLoop, _ delivery: SinkDelivery) {
            self.loop = loop
            self.delivery = delivery
        }

        func readings(after sequence: Int64, limit: Int) throws -> [StoredReading] {
            Array(rows.filter { $0.sequence > sequence }.prefix(limit))
        }

        func bounds() throws -> (oldest: Int64, newest: Int64) { (rows.first?.sequence ?? newest + 1, newest) }

        func position(kept: Int64) throws -> Int64 { own ?? kept }

        func send(_ readings: [LiveReading], isLive: Bool, key: Int?) throws {
            tries.append(loop.now.sinceStart)
            if isFull { throw Full() }
            largest = max(largest, readings.count)
            published += readings.map(\.sequence)
        }

        func send(_ break: LogBreak) throws {
            if isFull { throw Full() }
            breaks.append(`break`)
        }

        /// Keeps readings with these numbers.
        @discardableResult func store(_ numbers: ClosedRange<Int64>, isClockSet: Bool = true) -> [StoredReading] {
            let new = numbers.map { number in
                var reading = Reading(
                    time: 0, tick: 1, device: "a", address: BluetoothAddress(bits: 1), service: nil,
                    characteristic: nil, name: "",
                    outcome: .failure(ReadingFailure(code: .other("x"), message: "x"), raw: nil))
                reading.isClockSet = isClockSet
                return StoredReading(sequence: number, reading: reading)
            }
            rows += new
            newest = numbers.upperBound
            return new
        }
    }

    private func tell(
        _ delivery: SinkDelivery = .ordered, sinceBoot: Duration = .seconds(3600),
        _ story: @escaping @Sendable (Publisher, Desk, RunLoop) async throws -> Void
    ) throws -> (desk: Desk, log: [String]) {
        let loop = try RunLoop(.virtual)
        nonisolated(unsafe) let desk = Desk(loop, delivery)
        nonisolated(unsafe) var lines: [String] = []
        let log = Logger(label: "test") { _ in LogLines { lines.append($0) } }
        let publisher = Publisher(
            desk, history: desk, loop: loop, log: log, sinceBoot: { sinceBoot + loop.now.sinceStart })
        try loop.run { try await story(publisher, desk, loop) }
        return (desk, lines)
    }

    private func kept(_ position: Int64) -> SinkStatus {
        var status = SinkStatus(name: "desk")
        status.position = position
        return status
    }

    @Test func beginsWithWhatComesNowAndGetsItAtOnce() throws {
        let (desk, _) = try tell { publisher, desk, _ in
            desk.store(1...10)
            try publisher.begin(nil)
            publisher.offer(desk.store(11...12), shown: 0)
            #expect(desk.published == [11, 12])
            // It later gets, with their numbers, the readings that other sinks published without.
            publisher.offer(unkept: [LiveReading(sequence: nil, reading: desk.rows[0].reading)])
            publisher.offer(desk.store(13...13), shown: 1)
            #expect(publisher.status(time: 0)?.position == 13)
        }
        #expect(desk.published == [11, 12, 13])
    }

    @Test func publishesWhatTheSinkLacksInPages() throws {
        let (desk, _) = try tell { publisher, desk, loop in
            desk.store(1...1000)
            try publisher.begin(self.kept(100))
            #expect(desk.published.count == SinkDelivery.ordered.pageSize)
            publisher.offer(desk.store(1001...1002), shown: 0)
            try await loop.sleep(until: .start + .seconds(1))
            #expect(publisher.status(time: 0)?.backlog == 0)
        }
        #expect(desk.published == (101...1002).map { $0 })
        #expect(desk.largest == SinkDelivery.ordered.pageSize)
        #expect(desk.breaks.isEmpty)
    }

    /// Readings that retention removed are reported once.
    @Test func yieldsOneGapForWhatTheHistoryDoesNotHoldAnyMore() throws {
        let (desk, _) = try tell { publisher, desk, loop in
            desk.store(500...510)
            try publisher.begin(self.kept(17))
            try await loop.sleep(until: .start + .seconds(1))
        }
        #expect(desk.breaks == [.missing(18...499)])
        #expect(desk.published == (500...510).map { $0 })
    }

    @Test func yieldsAGapForAHistoryWithoutReadings() throws {
        let (desk, _) = try tell { publisher, desk, loop in
            desk.newest = 40
            try publisher.begin(self.kept(17))
            publisher.offer(desk.store(41...41), shown: 0)
            try await loop.sleep(until: .start + .seconds(1))
        }
        #expect(desk.breaks == [.missing(18...40)])
        #expect(desk.published == [41])
    }

    @Test func goesToTheEndOfAHistoryThatWasRestored() throws {
        let (desk, log) = try tell { publisher, desk, _ in
            desk.store(1...40)
            try publisher.begin(self.kept(99))
            publisher.offer(desk.store(41...42), shown: 0)
        }
        #expect(desk.breaks == [.restarted(after: 40)])
        #expect(desk.published == [41, 42])
        #expect(log.count == 1 && log.first?.contains("older history was restored") == true, "\(log)")
    }

    @Test func believesTheSinkMoreThanTheHistory() throws {
        let (desk, _) = try tell { publisher, desk, loop in
            desk.store(1...20)
            desk.own = 15
            try publisher.begin(self.kept(7))
            try await loop.sleep(until: .start + .seconds(1))
        }
        #expect(desk.published == (16...20).map { $0 })
    }

    @Test func retriesAFailingSinkWithGrowingPausesAndKeepsAllReadings() throws {
        let (desk, log) = try tell { publisher, desk, loop in
            try publisher.begin(nil)
            desk.isFull = true
            for number in 1...300 {
                publisher.offer(desk.store(Int64(number)...Int64(number)), shown: 0)
                try await loop.sleep(until: .start + .seconds(number))
            }
            let status = publisher.status(time: 5000)
            #expect(status?.failure == "the disk is full")
            #expect(status?.backlog == 300 && status?.position == 0 && status?.dropped == 0)
            #expect(status?.nextTry ?? 0 > 5000)
            desk.isFull = false
            try await loop.sleep(until: .start + .seconds(370))
            #expect(publisher.status(time: 0)?.failure == nil)
        }
        #expect(desk.published == (1...300).map { $0 })
        let pauses = zip(desk.tries.dropFirst(), desk.tries).map { $0 - $1 }
        #expect(Array(pauses.prefix(7)) == [1, 2, 4, 8, 16, 32, 60].map { .seconds($0) })
        #expect(log.count == 2, "\(log)")
    }

    @Test func dropsTheOldestOfASinkThatGetsWhatComesNowAndCountsThem() throws {
        let (desk, _) = try tell(.liveOnly) { publisher, desk, loop in
            try publisher.begin(nil)
            #expect(publisher.status(time: 0)?.position == nil)
            desk.isFull = true
            for number in 1...Int64(LiveQueue.max + 5) { publisher.offer(desk.store(number...number), shown: 0) }
            #expect(publisher.status(time: 0)?.dropped == 5)
            #expect(publisher.status(time: 0)?.backlog == Int64(LiveQueue.max))
            desk.isFull = false
            try await loop.sleep(until: .start + .seconds(70))
            // Of those, only readings that weren't published.
            publisher.offer(desk.store(20_001...20_003), shown: 2)
        }
        #expect(desk.published == (6...Int64(LiveQueue.max + 5)).map { $0 } + [20_003])
    }

    /// Delayed readings keep their order.
    @Test func holdsBackWhatWaitsForTheClock() throws {
        let (desk, _) = try tell(sinceBoot: .seconds(60)) { publisher, desk, loop in
            try publisher.begin(nil)
            publisher.offer(desk.store(1...3, isClockSet: false), shown: 0)
            publisher.offer(desk.store(4...4), shown: 0)
            try await loop.sleep(until: .start + .seconds(100))
            #expect(desk.published.isEmpty)
            // The clock was set: the history corrects them.
            for index in desk.rows.indices { desk.rows[index].reading.isClockSet = true }
            publisher.offer(desk.store(5...5), shown: 0)
            try await loop.sleep(until: .start + .seconds(101))
        }
        #expect(desk.published == [1, 2, 3, 4, 5])
    }

    @Test func doesNotWaitForeverForTheClock() throws {
        let (desk, _) = try tell(sinceBoot: .seconds(60)) { publisher, desk, loop in
            try publisher.begin(nil)
            publisher.offer(desk.store(1...3, isClockSet: false), shown: 0)
            try await loop.sleep(until: .start + .seconds(539))
            #expect(desk.published.isEmpty)
            try await loop.sleep(until: .start + .seconds(541))
        }
        #expect(desk.published == [1, 2, 3])
    }

    @Test func waitsForWhatIsCopiedFromADamagedHistory() throws {
        let (desk, _) = try tell { publisher, desk, loop in
            desk.isCopying = true
            // Its place isn't known before it is copied.
            try publisher.begin(nil)
            #expect(!publisher.isLocated && publisher.status(time: 0) == nil)
            publisher.offer(desk.store(101...102), shown: 0)
            try publisher.begin(self.kept(40))
            try await loop.sleep(until: .start + .seconds(100))
            #expect(desk.published.isEmpty && desk.breaks.isEmpty)
            let new = desk.rows
            desk.rows = []
            desk.store(60...100)
            desk.rows += new
            desk.newest = 102
            desk.isCopying = false
            try await loop.sleep(until: .start + .seconds(102))
        }
        #expect(desk.breaks == [.missing(41...59)])
        #expect(desk.published == (60...102).map { $0 })
    }
}
