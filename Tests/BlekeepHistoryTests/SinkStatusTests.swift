import BlekeepRecords
import Foundation
import GRDB
import SampleReadings
import Testing

@testable import BlekeepHistory

/// Sinks in the ledger, and the history as their log.
@Suite struct SinkStatusTests {
    let folder: TemporaryFolder
    let path: String

    init() throws {
        folder = try TemporaryFolder()
        path = folder.file("history.sqlite")
    }

    private func status(_ name: String, _ position: Int64?) -> SinkStatus {
        var status = SinkStatus(name: name)
        status.position = position
        (status.backlog, status.dropped) = (3, 4)
        status.failure = "the disk is full"
        status.nextTry = 5
        return status
    }

    @Test func aServerKeepsWhatItHasConfirmed() throws {
        let history = try History(path: path)
        var remote = status("mqtt", 17)
        remote.confirmed = [20...29, 31...31]
        var other = status("other", 17)
        other.confirmed = []
        _ = try history.append([], nil, LedgerChanges(sinks: [remote, other]), durable: false)
        #expect(try history.lastSinks() == [remote, other])
    }

    @Test func comeBackAfterACrash() throws {
        let history = try History(path: path)
        let sinks = [status("file", 17), status("output", nil)]
        let poller = GatewayStatus(pid: 1, started: 1000, seen: 1000)
        _ = try history.append([], nil, LedgerChanges(poller: poller, sinks: sinks), durable: false)
        #expect(try history.lastSinks() == sinks)
        #expect(try HistoryReader(path: path).sinks() == sinks)
        // The next run has another one: status shows that, and the position of the other stays known.
        let next = GatewayStatus(pid: 2, started: 2000, seen: 2000)
        _ = try history.append([], nil, LedgerChanges(poller: next, sinks: [status("output", nil)]), durable: false)
        #expect(try HistoryReader(path: path).sinks().map(\.name) == ["output"])
        #expect(try history.lastSinks().map(\.position) == [17, nil])
    }

    @Test func surviveTheSalvageOfADamagedHistory() throws {
        do {
            let history = try History(path: path)
            _ = try history.append(
                try (1...2000).map { try makeReading(tick: $0) }, nil,
                LedgerChanges(
                    poller: GatewayStatus(pid: 1, started: 1000, seen: 1000),
                    sinks: [status("file", 1234)]), durable: true)
        }
        // The pages of readings in the midst of the file.
        let file = try FileHandle(forUpdating: URL(fileURLWithPath: path))
        let size = try file.seekToEnd()
        try file.seek(toOffset: size - 3 * 4096)
        try file.write(contentsOf: Data(repeating: 0xA5, count: 2 * 4096))
        try file.close()
        nonisolated(unsafe) var notices: [String] = []
        let history = try History(path: path) { notices.append($0) }
        while history.isCopying { try history.upkeep() }
        #expect(notices.contains { $0.contains("was damaged") }, "\(notices)")
        #expect(try history.lastSinks() == [status("file", 1234)])
    }

    @Test func theHistoryIsTheirLog() throws {
        let history = try History(path: path)
        #expect(try history.bounds() == (1, 0))
        _ = try history.append(try (1...10).map { try makeReading(tick: $0) }, durable: false)
        #expect(try history.bounds() == (1, 10))
        #expect(try history.readings(after: 4, limit: 3).map(\.sequence) == [5, 6, 7])
        #expect(try history.readings(after: 10, limit: 3).isEmpty)
        _ = try history.remove(through: 7)
        #expect(try history.bounds() == (8, 10))
        _ = try history.remove(through: 10)
        #expect(try history.bounds() == (11, 10))
    }
}
