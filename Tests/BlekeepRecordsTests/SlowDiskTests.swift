import Logging
import RunLoop
import Testing

@testable import BlekeepRecords

/// A disk that takes long for a commit, in virtual time: a commit has its content when it begins.
@Suite struct SlowDiskTests {
    private final class Disk: Ledger, Sink, @unchecked Sendable {
        struct Full: Error {}

        let delivery = SinkDelivery.liveOnly
        let loop: RunLoop
        /// How long the next commits take.
        var length: Duration = .zero
        var isFull = false
        /// Whether it takes no reading as a sink.
        var isAway = false
        var commits: [(moment: Duration, ticks: [Int], changes: LedgerChanges, heartbeat: Heartbeat?, durable: Bool)] =
            []
        var published: [(moment: Duration, sequence: Int64?, tick: Int)] = []

        init(_ loop: RunLoop) { self.loop = loop }

        func append(
            _ readings: [Reading], _ heartbeat: Heartbeat?, _ changes: LedgerChanges, durable: Bool
        ) throws -> [StoredReading] {
            if isFull { throw Full() }
            let before = Int64(stored.count)
            commits.append((loop.now.sinceStart, readings.map(\.tick), changes, heartbeat, durable))
            return readings.enumerated().map {
                StoredReading(sequence: before + Int64($0.offset) + 1, reading: $0.element)
            }
        }

        func lastKnown() throws -> (statuses: [DeviceStatus], entries: [LedgerEntry]) { ([], []) }

        func send(_ readings: [LiveReading], isLive: Bool, key: Int?) throws {
            if isAway { throw Full() }
            published += readings.map { (loop.now.sinceStart, $0.sequence, $0.reading.tick) }
        }

        var stored: [Int] { commits.flatMap(\.ticks) }
    }

    private struct Story {
        let loop: RunLoop
        let disk: Disk
        let recorder: Recorder
        let heartbeats: HeartbeatScheduler
        let log: Log

        /// Records a reading each second, from this second to that, with its number as the tick.
        func read(_ seconds: ClosedRange<Int>) async throws {
            for second in seconds {
                try await loop.sleep(until: .start + .seconds(second))
                recorder.record([reading(second)])
                recorder.settle()
            }
        }

        func reading(_ tick: Int) -> Reading {
            Reading(
                time: 0, tick: tick, device: "a", address: SlowDiskTests.address, service: nil, characteristic: nil,
                name: "",
                outcome: .failure(ReadingFailure(code: .other("x"), message: "x"), raw: nil))
        }
    }

    private final class Log: @unchecked Sendable { var lines: [String] = [] }

    fileprivate static let address = BluetoothAddress(bits: 1)

    private func tell(_ story: @escaping @Sendable (Story) async throws -> Void) throws -> Story {
        let loop = try RunLoop(.virtual)
        let disk = Disk(loop)
        let log = Log()
        @Sendable func clocks() -> ClockReading {
            ClockReading(
                boot: "this", sinceBoot: loop.now.sinceStart, awake: loop.now.sinceStart,
                time: loop.now.sinceStart.wholeMilliseconds, isSynchronized: true)
        }
        let configuration = PollConfiguration(devices: [DeviceConfiguration(alias: "a", address: Self.address)])
        let heartbeats = HeartbeatScheduler(asleep: { .zero }, clocks: clocks)
        let recorder = Recorder(
            store: disk, sinks: [disk], loop: loop,
            log: Logger(label: "test") { _ in LogLines { log.lines.append($0) } },
            heartbeats: heartbeats, book: LedgerBook(configuration, hasLedger: true, pid: 1, at: 0), clocks: clocks,
            wallTime: { clocks().time })
        recorder.writer.virtualLength = { disk.length }
        let told = Story(loop: loop, disk: disk, recorder: recorder, heartbeats: heartbeats, log: log)
        try loop.run { try await story(told) }
        return told
    }

    @Test func aHeartbeatHasTheNumberOfReadingsThatWaitForASink() throws {
        let story = try tell { story in
            try await story.read(1...100)
            story.disk.isAway = true
            try await story.read(101...300)
        }
        let waiting = story.disk.commits.compactMap { $0.heartbeat?.backlogs }
        #expect(waiting.first?.values.first == 0 && waiting.allSatisfy { $0.count == 1 })
        #expect(waiting.contains { ($0.values.first ?? 0) > 30 })
    }

    @Test func readingsGoOnAndAreStoredAndPublishedOnceAndInTheirOrder() throws {
        let story = try tell { story in
            try await story.read(0...9)
            story.disk.length = .seconds(17)
            try await story.read(10...20)
            story.disk.length = .zero
            try await story.read(21...60)
        }
        #expect(story.disk.stored == Array(0...60))
        #expect(story.disk.published.map(\.tick) == Array(0...60))
        #expect(story.disk.published.map(\.sequence) == (1...61).map { $0 })
        // Nothing is published before its commit has ended.
        #expect(story.disk.published.filter { (11...26).contains($0.moment / .seconds(1)) }.isEmpty)
        #expect(story.log.lines.count == 1, "\(story.log.lines)")
        let slow = story.disk.commits.compactMap(\.changes.poller?.slow).last
        #expect(slow?.count == 1 && slow?.longest == .seconds(17))
    }

    @Test func theLogHasACommitThatLastsWhileItLasts() throws {
        _ = try tell { story in
            story.disk.length = .seconds(600)
            story.recorder.record([story.reading(1)])
            story.recorder.settle()
            try await story.loop.sleep(until: .start + .milliseconds(900))
            #expect(story.log.lines.isEmpty)
            try await story.loop.sleep(until: .start + .seconds(2))
            #expect(story.log.lines.count == 1, "\(story.log.lines)")
            // A commit that lasts is no reason to restart the poller.
            try await story.read(3...300)
            #expect(story.recorder.commitLag == .zero)
        }
    }

    @Test func atMost10000ReadingsWaitAndThoseThatAreBeingWrittenArentDropped() throws {
        let story = try tell { story in
            story.disk.length = .seconds(60)
            story.recorder.record([story.reading(1), story.reading(2)])
            story.recorder.settle()
            story.disk.length = .zero
            for tick in 3...Recorder.maxWaiting + 7 { story.recorder.record([story.reading(tick)]) }
            #expect(story.recorder.backlog == Recorder.maxWaiting)
            try await story.loop.sleep(until: .start + .seconds(70))
        }
        #expect(story.disk.stored == [1, 2] + Array(10...Recorder.maxWaiting + 7))
        // Readings that the history will never have are shown at once, and so are those before them.
        #expect(story.disk.published.map(\.tick) == Array(1...Recorder.maxWaiting + 7))
    }

    @Test func whatChangesMeanwhileIsInTheNextCommit() throws {
        let story = try tell { story in
            story.disk.length = .seconds(17)
            story.recorder.record([story.reading(1)])
            story.recorder.settle()
            story.disk.length = .zero
            var snapshot = DeviceSnapshot()
            snapshot.link = .held
            story.recorder.record(snapshot, of: 0, rssi: -60)
            try await story.loop.sleep(until: .start + .seconds(19))
            #expect(story.disk.commits.last?.changes.statuses.first?.link == .held)
        }
        #expect(story.disk.commits.first?.changes.statuses.first?.link != .held)
    }

    @Test func attemptsThatEndMeanwhileAreInTheNextCommit() throws {
        let story = try tell { story in
            func fail(_ code: String) {
                let attempt = Attempt(phase: .search, failure: ReadingFailure(code: .other(code), message: code))
                story.recorder.record(attempt, DeviceCondition(.trying), of: 0)
            }
            fail("one")
            story.disk.length = .seconds(17)
            story.recorder.settle()
            story.disk.length = .zero
            // Another one, and one that continues the entry that is being written.
            fail("one")
            fail("two")
            try await story.loop.sleep(until: .start + .seconds(19))
        }
        let commits = story.disk.commits.map { $0.changes.entries }.filter { !$0.isEmpty }
        #expect(commits.map { $0.map(\.number) } == [[1], [1, 2]])
        #expect(commits.map { $0.map(\.count) } == [[1], [2, 1]])
    }

    @Test func aSleepThatComesMeanwhileHasItsHeartbeat() throws {
        let story = try tell { story in
            story.disk.length = .seconds(5)
            story.recorder.record([story.reading(1)])
            story.recorder.settle()
            story.disk.length = .zero
            story.heartbeats.prepare(.sleep)
            story.recorder.rest(.asleep)
            try await story.loop.sleep(until: .start + .seconds(6))
        }
        #expect(story.disk.commits.compactMap(\.heartbeat?.state) == [.running, .asleep])
        #expect(story.disk.commits.last?.durable == true)
    }

    @Test func aSlowCommitThatFailsIsWrittenAgain() throws {
        let story = try tell { story in
            try await story.read(0...1)
            (story.disk.length, story.disk.isFull) = (.seconds(5), true)
            try await story.read(2...4)
            (story.disk.length, story.disk.isFull) = (.zero, false)
            try await story.read(5...20)
            try await story.loop.sleep(until: .start + .seconds(90))
        }
        #expect(story.disk.stored == Array(0...20))
        #expect(Set(story.disk.published.map(\.tick)) == Set(0...20) && story.disk.published.count == 21)
    }

    @Test func theEndWaitsForTheDiskButNotForever() throws {
        let story = try tell { story in
            story.disk.length = .seconds(17)
            story.recorder.record([story.reading(1)])
            story.recorder.settle()
            story.recorder.record([story.reading(2)])
            story.disk.length = .seconds(3)
            story.recorder.close(.stopped)
            await story.recorder.settleStore(until: story.loop.now + .seconds(75))
            #expect(story.loop.now == .start + .seconds(20))
            story.recorder.end()
        }
        #expect(story.disk.stored == [1, 2] && story.disk.commits.last?.heartbeat?.state == .stopped)

        let hopeless = try tell { story in
            story.disk.length = .seconds(600)
            story.recorder.record([story.reading(1)])
            story.recorder.settle()
            story.recorder.record([story.reading(2)])
            story.recorder.close(.stopped)
            await story.recorder.settleStore(until: story.loop.now + .seconds(75))
            #expect(story.loop.now == .start + .seconds(75))
            story.recorder.end()
        }
        #expect(hopeless.log.lines.last == "2 readings are lost: they couldn't be written to the history")
    }

    /// The end of the slow write begins the one that is owed, which takes long, too.
    @Test func aCommitAsASlowWriteEndsWritesNothingTwice() throws {
        let story = try tell { story in
            // Before the loop handles the end.
            story.loop.schedule(at: .start + .seconds(5)) {
                story.recorder.record([story.reading(3)])
                story.recorder.settle()
            }
            story.disk.length = .seconds(5)
            for tick in 1...2 {
                story.recorder.record([story.reading(tick)])
                story.recorder.settle()
            }
            try await story.loop.sleep(until: .start + .seconds(60))
        }
        #expect(story.disk.stored == [1, 2, 3])
        #expect(story.disk.published.map(\.tick) == [1, 2, 3])
    }

    /// What came during a slow write that failed isn't part of the next one, which succeeds and is slow, too.
    @Test func whatCameDuringAFailedWriteFollowsTheNextOneAtOnce() throws {
        let story = try tell { story in
            story.disk.isFull = true
            story.disk.length = .seconds(5)
            story.recorder.record([story.reading(1)])
            story.recorder.settle()
            try await story.loop.sleep(until: .start + .seconds(1))
            story.recorder.record([story.reading(2)])
            story.disk.isFull = false
            try await story.loop.sleep(until: .start + .seconds(20))
            #expect(story.disk.stored == [1, 2])
        }
        #expect(story.log.lines.count { $0.hasPrefix("writing to the history again") } == 1)
    }

    @Test func devicesJoinOnlyWhenTheirHistoryCanBeRead() throws {
        _ = try tell { story in
            story.disk.length = .seconds(5)
            story.recorder.record([story.reading(1)])
            story.recorder.settle()
            let device = DeviceConfiguration(alias: "a", address: Self.address)
            let setting = DeviceSetting(device, in: PollConfiguration(devices: [device]))
            let changes = [DeviceChange(0, .joined(setting))]
            #expect(throws: UserError.self) { try story.recorder.earlier(of: changes) }
            story.disk.length = .zero
            try await story.loop.sleep(until: .start + .seconds(6))
            _ = try story.recorder.earlier(of: changes)
        }
    }
}
