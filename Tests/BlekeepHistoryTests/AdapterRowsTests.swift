import Blekeep
import Foundation
import GRDB
import OldHistory
import SampleReadings
import Testing

@testable import BlekeepHistory

/// Adapters in the ledger: a table, and before that a column.
@Suite struct AdapterRowsTests {
    let folder: TemporaryFolder
    let path: String

    private static let adapters: [StoredKeeperStatus.Adapter] = [
        .init(name: "hci0", isOn: true), .init(name: "hci1", isOn: false),
        .init(name: "hci2", isOn: false, trouble: .cycling), .init(name: "hci3", isOn: true, trouble: .stuck),
        .init(name: "hci10", isOn: true, trouble: .noNewLinks(since: 1_795_231_080_123, attempts: 6, devices: 2)),
    ]

    init() throws {
        folder = try TemporaryFolder()
        path = folder.file("history.sqlite")
    }

    private static let crowded = StoredKeeperStatus.Adapter(
        name: "hci11", isOn: true,
        trouble: .tooManyDevices(.init(devices: 20, need: .seconds(24), interval: .seconds(20))))

    private func keeper(_ adapters: [StoredKeeperStatus.Adapter], started: Int64 = 1000) -> StoredKeeperStatus {
        var keeper = StoredKeeperStatus(pid: 1, started: started, seen: started, power: "normal")
        keeper.adapters = adapters
        return keeper
    }

    private func write(_ sql: String) throws {
        let queue = try DatabaseQueue(path: path)
        try queue.write { try $0.execute(sql: sql) }
        try queue.close()
    }

    private static let earlierKeeper = """
        INSERT OR REPLACE INTO keeper (id, pid, started_ms, seen_ms, adapters, power)
        VALUES (1, 1, 1000, 1000, '\(OldHistory.adapters)', 'normal');
        """

    @Test func areThoseOfTheLastRun() throws {
        let history = try History(path: path)
        for (run, adapters) in [(Int64(1000), Self.adapters), (1000, Array(Self.adapters[1...])), (2000, [])] {
            let changes = LedgerChanges(keeper: keeper(adapters, started: run))
            _ = try history.append([], nil, changes, durable: false)
            #expect(try history.lastAdapters() == adapters)
            #expect(try HistoryReader(path: path).lastRun()?.keeper.adapters == adapters)
        }
    }

    /// The first version of the table had no columns for what too many devices need.
    @Test func `needed time is kept, also in a table that had no columns for it`() throws {
        let all = Self.adapters + [Self.crowded]
        do {
            let history = try History(path: path)
            _ = try history.append([], nil, LedgerChanges(keeper: keeper(Self.adapters)), durable: false)
        }
        try write(
            """
            ALTER TABLE adapters DROP COLUMN need_ms; ALTER TABLE adapters DROP COLUMN interval_ms;
            DELETE FROM grdb_migrations WHERE identifier = 'air time';
            """)
        #expect(try HistoryReader(path: path).lastRun()?.keeper.adapters == Self.adapters)
        let history = try History(path: path)
        #expect(try history.lastAdapters() == Self.adapters)
        _ = try history.append([], nil, LedgerChanges(keeper: keeper(all)), durable: false)
        #expect(try HistoryReader(path: path).lastRun()?.keeper.adapters == all)
    }

    @Test func costNoPageUnlessTheyChange() throws {
        _ = try History(path: path)
        try DatabaseQueue(path: path).write { database in
            try LedgerRows.write(Self.adapters, run: 1, in: database)
            let before = database.totalChangesCount
            try LedgerRows.write(Self.adapters, run: 1, in: database)
            #expect(database.totalChangesCount == before)
            try LedgerRows.write(Array(Self.adapters[1...]), run: 1, in: database)
            #expect(database.totalChangesCount == before + 1)
        }
    }

    @Test func areReadFromAnEarlierHistoryAndMovedToTheTable() throws {
        try OldHistory.make(at: path, readings: 10)
        #expect(try HistoryReader(path: path).lastRun()?.keeper.adapters == Self.adapters)
        let history = try History(path: path)
        #expect(try history.lastAdapters() == Self.adapters)
        #expect(try HistoryReader(path: path).lastRun()?.keeper.adapters == Self.adapters)
        let text = try DatabaseQueue(path: path).read { try String.fetchOne($0, sql: "SELECT adapters FROM keeper") }
        #expect(text == "")
        let rows = try DatabaseQueue(path: path).read { try Int.fetchOne($0, sql: "SELECT count(*) FROM adapters") }
        #expect(rows == 5)
    }

    /// Both of this version and of the one before, which had no such table.
    @Test(arguments: [true, false]) func surviveTheSalvageOfADamagedHistory(isEarlier: Bool) throws {
        do {
            let history = try History(path: path)
            let changes = LedgerChanges(keeper: keeper(isEarlier ? Self.adapters : Self.adapters + [Self.crowded]))
            _ = try history.append(try (1...2000).map { try makeReading(tick: $0) }, nil, changes, durable: true)
        }
        if isEarlier {
            try write(
                "DROP TABLE adapters; DELETE FROM grdb_migrations WHERE identifier = 'adapters';" + Self.earlierKeeper)
        }
        // The header.
        let file = try FileHandle(forUpdating: URL(fileURLWithPath: path))
        try file.write(contentsOf: Data(repeating: 0xA5, count: 4096))
        try file.close()
        let history = try History(path: path) { _ in }
        while history.isCopying { try history.upkeep() }
        #expect(try history.lastAdapters() == (isEarlier ? Self.adapters : Self.adapters + [Self.crowded]))
    }
}
