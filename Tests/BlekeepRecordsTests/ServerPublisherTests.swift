import Logging
import RunLoop
import Testing

@testable import BlekeepRecords

/// One publisher and its server, in virtual time.
@Suite struct ServerPublisherTests {
    private struct Down: DelayedRetry, CustomStringConvertible {
        let description = "the broker refused the connection"
        var pause: Duration?
    }

    /// A log and a server in one.
    private final class Server: ReadingLog, Sink {
        let name = "server"
        let delivery = SinkDelivery.newestFirst(rate: 50)
        var isProvenByConnection = true
        let loop: RunLoop
        var onEvent: ((SinkEvent) -> Void)?
        var rows: [StoredReading] = []
        var newest: Int64 = 0
        var isDown = false
        var confirms = true
        var failsWithBacklog = false
        var connects = 0
        var lacks: [Range<Int64>] = []
        var live: [Int64?] = []
        var backlog: [Int64] = []
        var memory: [StoredReading] = []
        /// The values of devices' memories that came, counted from 1.
        var logged: [Int64] = []
        var pages: [Duration] = []
        var available: [DeviceID: Bool] = [:]
        var hasEnded = false
        var isCopying = false

        init(_ loop: RunLoop) { self.loop = loop }

        func readings(after sequence: Int64, limit: Int) throws -> [StoredReading] {
            Array(rows.drop { $0.sequence <= sequence }.prefix(limit))
        }

        func bounds() throws -> (oldest: Int64, newest: Int64) { (rows.first?.sequence ?? newest + 1, newest) }

        func logged(after number: Int64, limit: Int) throws -> [StoredReading] {
            Array(memory.drop { $0.sequence <= number }.prefix(limit))
        }

        func lastLogged() throws -> Int64 { memory.last?.sequence ?? StoredReading.loggedBase }

        func connect() {
            connects += 1
            loop.soon { [self] in
                if !lacks.isEmpty { onEvent?(.lacks(lacks)) }
                onEvent?(isDown ? .lost(Down()) : .connected)
            }
        }

        func send(_ readings: [LiveReading], isLive: Bool, key: Int?) {
            if isLive { live += readings.map(\.sequence) } else { backlog += readings.compactMap(\.sequence) }
            if !isLive { pages.append(loop.now.sinceStart) }
            logged += readings.compactMap(\.arrival).map { $0 - StoredReading.loggedBase }
            if failsWithBacklog, !isLive { return loop.soon { [self] in fail() } }
            guard confirms, let key else { return }
            loop.soon { [self] in onEvent?(.confirmed(key)) }
        }

        func note(_ device: DeviceID, isAvailable: Bool) { available[device] = isAvailable }

        func end() { hasEnded = true }

        func fail(pause: Duration? = nil) { onEvent?(.lost(Down(pause: pause))) }

        func fill(_ numbers: ClosedRange<Int64>) {
            memory += numbers.map { makeStored($0 + StoredReading.loggedBase) }
        }

        @discardableResult func store(_ numbers: ClosedRange<Int64>) -> [StoredReading] {
            let new = numbers.map(makeStored)
            rows += new
            newest = numbers.upperBound
            return new
        }
    }

    private func tell(
        _ story: @escaping @Sendable (Publisher, Server, RunLoop) async throws -> Void
    ) throws -> (server: Server, log: [String]) {
        let loop = try RunLoop(.virtual)
        nonisolated(unsafe) let server = Server(loop)
        nonisolated(unsafe) var lines: [String] = []
        let log = Logger(label: "test") { _ in LogLines { lines.append($0) } }
        let publisher = Publisher(server, history: server, loop: loop, log: log, sinceBoot: { .seconds(3600) })
        try loop.run { try await story(publisher, server, loop) }
        return (server, lines)
    }

    private func kept(_ position: Int64) -> SinkStatus {
        var status = SinkStatus(name: "server")
        status.position = position
        status.confirmed = []
        return status
    }

    @Test func sendsAgainWhatTheServerLost() throws {
        let (server, log) = try tell { publisher, server, loop in
            server.store(1...40)
            server.lacks = [3..<5, 38..<Int64.max]
            try publisher.begin(kept(40))
            publisher.open()
            try await loop.sleep(until: loop.now + .seconds(10))
            #expect(publisher.status(time: 0)?.backlog == 0)
        }
        #expect(server.backlog == [3, 4, 38, 39, 40])
        #expect(log.contains { $0.contains("the sink server no longer has 5 readings that it confirmed") }, "\(log)")
    }

    @Test func sendsWhatComesNowAtOnce() throws {
        let (server, log) = try tell { publisher, server, loop in
            server.store(1...10)
            publisher.open()
            try publisher.begin(nil)
            try await loop.sleep(until: .start + .seconds(1))
            publisher.offer(server.store(11...12), shown: 0)
            #expect(publisher.status(time: 0)?.position == 10)
            try await loop.sleep(until: .start + .seconds(2))
            #expect(publisher.status(time: 0)?.position == 12)
        }
        #expect(server.live == [11, 12])
        #expect(server.backlog.isEmpty)
        #expect(log.isEmpty)
    }

    @Test func sendsWhatCameMeanwhileAtItsPace() throws {
        let (server, _) = try tell { publisher, server, loop in
            server.store(1...120)
            try publisher.begin(self.kept(0))
            publisher.open()
            try await loop.sleep(until: .start + .milliseconds(500))
            publisher.offer(server.store(121...121), shown: 0)
            try await loop.sleep(until: .start + .seconds(10))
            #expect(publisher.status(time: 0)?.position == 121)
        }
        #expect(server.live == [121])
        #expect(server.backlog == (1...120).map { $0 })
        #expect(server.pages == [.zero, .seconds(1), .seconds(2)])
    }

    @Test func sendsAgainWhatWasNotConfirmed() throws {
        let (server, log) = try tell { publisher, server, loop in
            try publisher.begin(nil)
            publisher.open()
            try await loop.sleep(until: .start + .seconds(1))
            server.confirms = false
            publisher.offer(server.store(1...3), shown: 0)
            server.fail()
            #expect(publisher.status(time: 0)?.failure == "the broker refused the connection")
            server.confirms = true
            try await loop.sleep(until: .start + .seconds(5))
            #expect(publisher.status(time: 0)?.failure == nil)
            #expect(publisher.status(time: 0)?.backlog == 0)
        }
        #expect(server.live == [1, 2, 3])
        #expect(server.backlog == [1, 2, 3])
        #expect(log.count == 2)
    }

    /// What devices kept in their own memory follows when the server lacks nothing else.
    @Test func sendsWhatDevicesKeptAfterAllOthersAndOnce() throws {
        let (server, _) = try tell { publisher, server, loop in
            server.store(1...60)
            server.fill(1...3)
            // A new sink begins with what comes.
            try publisher.begin(self.kept(0))
            publisher.open()
            try await loop.sleep(until: .start + .milliseconds(500))
            server.fill(4...110)
            publisher.offer(server.store(61...61), shown: 0)
            #expect(server.logged.isEmpty && server.live == [61])
            try await loop.sleep(until: .start + .seconds(10))
            #expect(publisher.status(time: 0)?.position == 61)
            #expect(publisher.status(time: 0)?.logged == StoredReading.loggedBase + 110)
            // A page at most a second, after the two of the backlog.
            #expect(server.pages == (0..<5).map { .seconds($0) })
            // Looked for once a minute, when the history takes something.
            server.fill(111...112)
            publisher.offer([], shown: 0)
            #expect(server.logged.count == 107)
            try await loop.sleep(until: .start + .seconds(100))
            publisher.offer([], shown: 0)
        }
        #expect(server.logged == (4...112).map { $0 })
        #expect(server.backlog == (1...60).map { $0 })
    }

    @Test func aDamagedPositionEndsNothing() throws {
        let (server, _) = try tell { publisher, server, loop in
            server.fill(1...2)
            var known = self.kept(0)
            known.logged = -7
            server.lacks = [1..<Int64.max]
            try publisher.begin(known)
            publisher.open()
            try await loop.sleep(until: .start + .seconds(5))
        }
        #expect(server.logged == [1, 2])
    }

    @Test func sendsAgainWhatDevicesKeptAsFarAsTheServerLacksIt() throws {
        let (server, _) = try tell { publisher, server, loop in
            server.fill(1...30)
            var known = self.kept(0)
            known.logged = StoredReading.loggedBase + 20
            try publisher.begin(known)
            server.confirms = false
            publisher.open()
            try await loop.sleep(until: .start + .seconds(1))
            #expect(publisher.status(time: 0)?.logged == known.logged)
            server.confirms = true
            server.lacks = [1..<2, StoredReading.loggedBase + 11..<StoredReading.loggedBase + 13]
            server.fail()
            try await loop.sleep(until: .start + .seconds(100))
            #expect(publisher.status(time: 0)?.logged == StoredReading.loggedBase + 30)
        }
        #expect(server.logged == (21...30).map { $0 } + (11...30).map { $0 })
        #expect(server.live.isEmpty && server.backlog.isEmpty)
    }

    /// A week without the server costs an attempt a minute, and one line in the log.
    @Test func triesSeldomWhileTheServerIsAway() throws {
        let (server, log) = try tell { publisher, server, loop in
            server.isDown = true
            try publisher.begin(nil)
            publisher.open()
            for hour in 1...168 {
                publisher.offer(server.store(Int64(hour)...Int64(hour)), shown: 0)
                try await loop.sleep(until: .start + .seconds(3600 * hour))
            }
            #expect(publisher.status(time: 0)?.backlog == 168)
        }
        #expect((10_080...10_090).contains(server.connects))
        #expect(server.live.isEmpty)
        #expect(log.count == 1)
    }

    /// A server that takes connections and fails each request: an attempt a minute, and one line in the log.
    @Test func onlyAConfirmationEndsTheTroubleOfAServerWithoutConnection() throws {
        let (server, log) = try tell { publisher, server, loop in
            server.isProvenByConnection = false
            server.confirms = false
            server.store(1...10)
            try publisher.begin(self.kept(0))
            publisher.open()
            for _ in 0..<20 {
                try await loop.sleep(until: loop.now + .seconds(60))
                server.fail()
            }
            #expect(publisher.status(time: 0)?.failure == "the broker refused the connection")
            server.confirms = true
            try await loop.sleep(until: loop.now + .seconds(120))
            #expect(publisher.status(time: 0)?.failure == nil)
            #expect(publisher.status(time: 0)?.backlog == 0)
        }
        #expect(server.connects == 21)
        #expect(log.count == 2)
    }

    /// A server that fails with each page of the backlog, and takes what is new.
    @Test func aBacklogThatTheServerRefusesHoldsUpNoNewReading() throws {
        let (server, log) = try tell { publisher, server, loop in
            server.isProvenByConnection = false
            server.store(1...10)
            try publisher.begin(self.kept(0))
            server.failsWithBacklog = true
            publisher.open()
            for number in 11...310 {
                try await loop.sleep(until: loop.now + .seconds(2))
                publisher.offer(server.store(Int64(number)...Int64(number)), shown: 0)
            }
            #expect(publisher.status(time: 0)?.failure == "the broker refused the connection")
            server.failsWithBacklog = false
            try await loop.sleep(until: loop.now + .seconds(600))
            #expect(publisher.status(time: 0)?.failure == nil)
            #expect(publisher.status(time: 0)?.backlog == 0)
        }
        // Half of the time, the backlog waits.
        #expect(server.live.count > 120)
        #expect(server.connects < 20)
        #expect(log.count == 2)
    }

    /// `poll --once` waits for this.
    @Test func aSinkIsSettledWhenItHasTheNewestReadingOrFails() throws {
        _ = try tell { publisher, server, loop in
            server.confirms = false
            try publisher.begin(nil)
            publisher.open()
            try await loop.sleep(until: .start + .seconds(1))
            #expect(publisher.isSettled)
            publisher.offer(server.store(1...3), shown: 0)
            #expect(!publisher.isSettled)
            var events = 0
            publisher.onEvent = { events += 1 }
            server.onEvent?(.confirmed(1))
            #expect(publisher.isSettled)
            publisher.offer(server.store(4...6), shown: 0)
            #expect(!publisher.isSettled)
            server.fail()
            #expect(publisher.isSettled)
            #expect(events == 2)
        }
    }

    @Test func waitsAsLongAsTheServerAsks() throws {
        let (server, _) = try tell { publisher, server, loop in
            try publisher.begin(nil)
            publisher.open()
            try await loop.sleep(until: .start + .seconds(1))
            server.fail(pause: .seconds(300))
            try await loop.sleep(until: .start + .seconds(300))
            #expect(server.connects == 1)
            try await loop.sleep(until: .start + .seconds(302))
        }
        #expect(server.connects == 2)
    }

    @Test func countsReadingsThatTheServerRefuses() throws {
        let (server, log) = try tell { publisher, server, loop in
            try publisher.begin(nil)
            publisher.open()
            try await loop.sleep(until: .start + .seconds(1))
            for _ in 0..<5 { server.onEvent?(.refused(1, reason: "bad value")) }
            publisher.offer(server.store(1...3), shown: 0)
            try await loop.sleep(until: .start + .seconds(2))
            #expect(publisher.status(time: 0)?.dropped == 5)
            #expect(publisher.status(time: 0)?.position == 3)
        }
        #expect(server.connects == 1)
        // The 1st, the 2nd and the 4th.
        #expect(log.count == 3)
    }

    @Test func saysWhatTheHistoryNoLongerHolds() throws {
        let (server, _) = try tell { publisher, server, loop in
            server.store(50...60)
            try publisher.begin(self.kept(10))
            publisher.open()
            try await loop.sleep(until: .start + .seconds(3))
            #expect(publisher.status(time: 0)?.dropped == 39)
            #expect(publisher.status(time: 0)?.position == 60)
        }
        #expect(server.backlog == (50...60).map { $0 })
    }

    @Test func waitsForWhatIsCopiedFromADamagedHistory() throws {
        let (server, _) = try tell { publisher, server, loop in
            server.isCopying = true
            server.store(50...52)
            // Its place isn't known before it is copied.
            try publisher.begin(nil)
            #expect(!publisher.isLocated)
            try publisher.begin(self.kept(10))
            publisher.open()
            try await loop.sleep(until: .start + .seconds(100))
            #expect(server.backlog.isEmpty && publisher.status(time: 0)?.dropped == 0)
            let new = server.rows
            server.rows = []
            server.store(40...49)
            server.rows += new
            server.newest = 52
            server.isCopying = false
            try await loop.sleep(until: .start + .seconds(103))
            #expect(publisher.status(time: 0)?.dropped == 29)
        }
        #expect(server.backlog == (40...52).map { $0 })
    }

    @Test func showsWhatTheHistoryCannotTake() throws {
        let (server, _) = try tell { publisher, server, loop in
            try publisher.begin(nil)
            publisher.open()
            try await loop.sleep(until: .start + .seconds(1))
            let late = server.store(1...1)
            publisher.offer(unkept: [LiveReading(sequence: nil, reading: late[0].reading)])
            // Its number comes later, and its arrival is unknown.
            publisher.offer(late, shown: 1)
            try await loop.sleep(until: .start + .seconds(2))
            #expect(publisher.status(time: 0)?.position == 1)
        }
        #expect(server.live == [nil])
        #expect(server.backlog == [1])
    }

    @Test func saysWhichDevicesCanBeRead() throws {
        let trouble = DeviceCondition.Trouble(
            attempts: 1, phase: .connect, failure: ReadingFailure(.timeout, "x"), remedy: nil)
        let (server, _) = try tell { publisher, _, _ in
            publisher.note(DeviceID(BluetoothAddress(bits: 0)), .good(.init(ticks: 1)))
            publisher.note(DeviceID(BluetoothAddress(bits: 0)), .trying(trouble))
            publisher.note(DeviceID(BluetoothAddress(bits: 1)), .lost(trouble))
            publisher.note(DeviceID(BluetoothAddress(bits: 2)), .new)
            publisher.end()
        }
        #expect(
            server.available == [DeviceID(BluetoothAddress(bits: 0)): true, DeviceID(BluetoothAddress(bits: 1)): false])
        #expect(server.hasEnded)
    }
}
