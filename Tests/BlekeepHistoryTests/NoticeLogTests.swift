import BlekeepRecords
import Foundation
import GRDB
import SampleReadings
import Testing

@testable import BlekeepHistory

/// The notices in the history, which another process writes.
@Suite struct NoticeLogTests {
    let folder: TemporaryFolder
    let path: String
    private let attic = DeviceID(BluetoothAddress(bits: 0xF000_0000_0001))

    init() throws {
        folder = try TemporaryFolder()
        path = folder.file("history.sqlite")
    }

    private func notice(
        _ time: Int64, _ event: NoticeEvent = .deviceLost, of device: DeviceID? = nil, _ message: String = "not heard"
    ) -> GivenNotice {
        GivenNotice(time: time, event: .known(event), device: device ?? attic, message: message)
    }

    private func found(_ time: ClosedRange<Int64> = 0...1_000_000, limit: Int = 5000) throws -> [GivenNotice] {
        try HistoryReader(path: path).notices(in: time, limit: limit)
    }

    @Test func noticesAreInTheOrderOfTheirTimesAlsoAfterARestart() throws {
        try History(path: path).close()
        let rule = GivenNotice(
            time: 20, event: .known(.ruleFires), device: attic, rule: "warm", message: "4 \0 °C",
            failure: "it exited with 1")
        let sink = GivenNotice(time: 30, event: OpenEnum(rawValue: "later"), message: "mqtt: no route")
        try NoticeLog.append([notice(10), sink], path: path)
        try NoticeLog.append([rule], path: path)
        try NoticeLog.append([], path: path)
        let history = try History(path: path)
        #expect(try found() == [notice(10), rule, sink])
        let reader = try HistoryReader(path: path)
        #expect(try reader.notices(of: [attic], in: 0...100, limit: 10) == [notice(10), rule])
        #expect(try reader.notices(of: [], in: 0...100, limit: 10) == [])
        #expect(try found(15...20) == [rule] && found(31...40) == [] && found(limit: 1) == [sink])
        #expect(try found(limit: -1) == [])
        history.close()
    }

    /// While the poller writes, and while it keeps the file open.
    @Test func theyComeBesideThePoller() throws {
        let history = try History(path: path) { Issue.record("\($0)") }
        for number: Int64 in 1...20 {
            let stored = try history.append([try makeReading(tick: Int(number))], durable: number % 2 == 0)
            #expect(stored.map(\.sequence) == [number])
            try NoticeLog.append([notice(number)], path: path)
        }
        #expect(try found().map(\.time) == Array(1...20))
        while history.needsUpkeep { try history.upkeep() }
        #expect(try found().count == 20)
    }

    @Test func theLogIsBounded() throws {
        _ = try History(path: path)
        let long = String(repeating: "é", count: 1000)
        try NoticeLog.append((1...150).map { notice($0, of: attic, long) }, path: path)
        #expect(try found().map(\.time) == Array(51...150))
        #expect(try found().allSatisfy { $0.message == String(long.prefix(NoticeLog.maxText)) })
        for device: UInt64 in 2...15 {
            let other = DeviceID(BluetoothAddress(bits: device))
            try NoticeLog.append((1...100).map { notice(Int64(device) * 1000 + $0, of: other) }, path: path)
        }
        let all = try found()
        #expect(all.count == NoticeLog.maxNotices && all.last?.time == 15_100)
        // Those about the gateway count like those of a device.
        try NoticeLog.append(
            (1...150).map { GivenNotice(time: 20_000 + $0, event: .known(.sinkFails), message: "") }, path: path)
        #expect(try found(20_000...30_000).count == NoticeLog.maxNoticesOfOne)
        #expect(try found().count == NoticeLog.maxNotices)
    }

    @Test func aHistoryThatIsNotThereIsNotMade() throws {
        #expect(throws: HistoryError.missing(path: path)) { try NoticeLog.append([notice(1)], path: path) }
        #expect(access(path, F_OK) != 0)
        try folder.write("", to: "history.sqlite")
        #expect(throws: HistoryError.missing(path: path)) { try NoticeLog.append([notice(1)], path: path) }
        try folder.write(String(repeating: "no history ", count: 1000), to: "history.sqlite")
        #expect(throws: HistoryError.notAHistory(path: path)) { try NoticeLog.append([notice(1)], path: path) }
        let other = folder.file("other.sqlite")
        try DatabaseQueue(path: other).write { try $0.execute(sql: "CREATE TABLE notices (id)") }
        #expect(throws: HistoryError.notAHistory(path: other)) { try NoticeLog.append([notice(1)], path: other) }
    }

    /// A poller that hangs in a commit holds nobody up for long, and loses nothing.
    @Test func aBusyHistoryIsGivenUpSoon() throws {
        _ = try History(path: path)
        let other = try DatabaseQueue(path: path)
        try other.writeWithoutTransaction { database in
            try database.beginTransaction(.immediate)
            let start = ContinuousClock.now
            #expect(throws: HistoryError.busy(path: path)) { try NoticeLog.append([notice(1)], path: path) }
            #expect(ContinuousClock.now - start < .seconds(5))
            try database.commit()
        }
        try NoticeLog.append([notice(2)], path: path)
        #expect(try found() == [notice(2)])
    }

    /// Damaged rows are as if they weren't there.
    @Test func skipsDamagedRows() throws {
        _ = try History(path: path)
        try NoticeLog.append((1...4).map { notice($0) }, path: path)
        try DatabaseQueue(path: path).write {
            try $0.execute(
                sql: """
                    UPDATE notices SET device = 'no ID' WHERE id = 1; UPDATE notices SET time_ms = 'odd' WHERE id = 2;
                    """)
        }
        #expect(try found() == [notice(3), notice(4)])
    }
}
