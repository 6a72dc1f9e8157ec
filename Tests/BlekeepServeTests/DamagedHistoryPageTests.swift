import BlekeepConfiguration
import BlekeepHistory
import BusBench
import Foundation
import GRDB
import Logging
import RunLoop
import SampleHouse
import SampleReadings
import Testing

@testable import BlekeepServe

/// Every page and answer, from a history in which one number after another is damaged: none may end the server.
@Suite struct DamagedHistoryPageTests {
    private static let targets =
        ["/", "/report", "/health", "/metrics", "/device/f00000000001", "/readings?limit=20"]
        + TestLength.of(
            [],
            atNight: [
                "/?view=table", "/compare?device=f00000000001&device=f00000000002&range=1h", "/report?since=12h",
                "/devices", "/healthz", "/device/f00000000002?range=1h&view=table",
                "/device/f00000000003/readings.csv", "/fragment/overview",
            ])

    @Test(arguments: TestLength.of([Int64.min], atNight: [.min, -1, .max]))
    func aDamagedNumberEndsNoPage(_ number: Int64) throws {
        let folder = try TemporaryFolder()
        let (whole, damaged) = (folder.file("whole.sqlite"), folder.file("history.sqlite"))
        var house = SampleHouse(devices: 12, length: .seconds(7200))
        house.step = .seconds(900)
        do {
            let history = try History(path: whole)
            try house.write(to: history, now: WallClock.milliseconds())
            while history.needsUpkeep { try history.upkeep() }
        }
        let columns = try columns(of: whole)
        #expect(columns.count > 80)
        try folder.write("devices: []\n", to: "config.yaml")
        let loader = ConfigurationLoader(file: folder.file("config.yaml"), environment: [:], names: .assigned)
        for (table, column) in columns {
            for suffix in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: damaged + suffix) }
            try FileManager.default.copyItem(atPath: whole, toPath: damaged)
            let queue = try DatabaseQueue(path: damaged)
            // A key that must be another one in each row stays as it is.
            try? queue.write { try $0.execute(sql: "UPDATE \(table) SET \(column) = ?", arguments: [number]) }
            try queue.close()
            let served = ServedHistory(
                path: damaged, configuration: nil, loader: loader, on: try RunLoop(.virtual),
                log: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
            for target in Self.targets {
                let answer = served.answer(try Route(Request(method: "GET", target: target)))
                // Such a history may say that it is damaged.
                if case .pages(let source) = answer.body { while (try? source.next(served)) ?? nil != nil {} }
                #expect([200, 404, 503].contains(answer.status), "\(table).\(column): \(target): \(answer.status)")
            }
        }
    }

    private func columns(of path: String) throws -> [(table: String, column: String)] {
        let queue = try DatabaseQueue(path: path)
        defer { try? queue.close() }
        return try queue.read { database in
            try Row.fetchAll(
                database,
                sql: """
                    SELECT m.name AS place, c.name AS field FROM sqlite_schema m JOIN pragma_table_info(m.name) c
                    WHERE m.type = 'table' AND m.name NOT LIKE 'sqlite%' AND c.type IN ('INTEGER', 'REAL', '', 'ANY')
                    """
            ).map { ($0["place"], $0["field"]) }
        }
    }
}
