import BlekeepRecords
import Foundation
import GRDB
import SampleReadings
import Testing

@testable import BlekeepHistory

/// Adapters in the ledger.
@Suite struct AdapterRowsTests {
    let folder: TemporaryFolder
    let path: String

    private static let adapters: [GatewayStatus.Adapter] = [
        .init(name: "hci0", isOn: true), .init(name: "hci1", isOn: false),
        .init(name: "hci2", isOn: false, trouble: .cycling), .init(name: "hci3", isOn: true, trouble: .stuck),
        .init(name: "hci10", isOn: true, trouble: .noNewLinks(since: 1_795_231_080_123, attempts: 6, devices: 2)),
    ]

    init() throws {
        folder = try TemporaryFolder()
        path = folder.file("history.sqlite")
    }

    private static let crowded = GatewayStatus.Adapter(
        name: "hci11", isOn: true,
        trouble: .tooManyDevices(.init(devices: 20, need: .seconds(24), interval: .seconds(20))))

    private func poller(_ adapters: [GatewayStatus.Adapter], started: Int64 = 1000) -> GatewayStatus {
        var poller = GatewayStatus(pid: 1, started: started, seen: started, power: .init(mode: .normal, reason: ""))
        poller.adapters = adapters
        return poller
    }

    @Test func areThoseOfTheLastRun() throws {
        let history = try History(path: path)
        let all = Self.adapters + [Self.crowded]
        for (run, adapters) in [(Int64(1000), all), (1000, Array(all[1...])), (2000, [])] {
            let changes = LedgerChanges(poller: poller(adapters, started: run))
            _ = try history.append([], nil, changes, durable: false)
            #expect(try history.lastAdapters() == adapters)
            #expect(try HistoryReader(path: path).lastRun()?.poller.adapters == adapters)
        }
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

    @Test func surviveTheSalvageOfADamagedHistory() throws {
        do {
            let history = try History(path: path)
            let changes = LedgerChanges(poller: poller(Self.adapters + [Self.crowded]))
            _ = try history.append(try (1...2000).map { try makeReading(tick: $0) }, nil, changes, durable: true)
        }
        // The header.
        let file = try FileHandle(forUpdating: URL(fileURLWithPath: path))
        try file.write(contentsOf: Data(repeating: 0xA5, count: 4096))
        try file.close()
        let history = try History(path: path) { _ in }
        while history.isCopying { try history.upkeep() }
        #expect(try history.lastAdapters() == Self.adapters + [Self.crowded])
    }
}
