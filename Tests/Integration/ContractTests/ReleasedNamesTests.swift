import BlekeepRecords
import Foundation
import GRDB
import SampleReadings
import Testing

@testable import BlekeepCLI
@testable import BlekeepHistory
@testable import BlekeepOutputs
@testable import BlekeepPostgres
@testable import BlekeepServe

/// What the pages promise to programs is what the sources have: a name that goes, or comes without a line in its page, fails
/// here. `Contracts.md` says what is promised; the tests of the other contracts are named in CONTRIBUTING.md.
@Suite struct ReleasedNamesTests {
    /// The rows of the first table behind a text of a page: the code in each cell.
    private static func table(_ page: String, after text: String) throws -> [[[String]]] {
        let page = try Repository.text(of: "Sources/Blekeep/Blekeep.docc/\(page).md")
        let start = try #require(page.range(of: text), "the page has no '\(text)'")
        let rows = page[start.upperBound...].split(separator: "\n", omittingEmptySubsequences: false)
            .drop { !$0.hasPrefix("|") }.prefix { $0.hasPrefix("|") }
        return rows.dropFirst(2).map { row in
            row.split(separator: "|").map { cell in cell.matches(of: /`([^`]+)`/).map { String($0.output.1) } }
        }
    }

    private static func firstCells(_ page: String, after text: String) throws -> [String] {
        try table(page, after: text).flatMap { $0.first ?? [] }
    }

    @Test func theExitCodes() throws {
        let page = try Repository.text(of: "Sources/Blekeep/Blekeep.docc/Troubleshooting.md")
        let section = try #require(page.split(separator: "## Exit codes").last?.split(separator: "\n## ").first)
        let codes = section.matches(of: /\n\| (\d+) \|/).compactMap { Int32($0.output.1) }
        #expect(Set(codes) == Set(Failure.Code.allCases.map(\.rawValue) + [0]))
    }

    @Test func theFieldsOfAReading() throws {
        let fields = try Self.properties(of: JSONLineWriter.table.schema)
        #expect(try Set(Self.firstCells("OutputFormats", after: "## JSON")) == Set(fields))
    }

    private static func properties(of schema: JSON) throws -> [String] {
        let object = try JSONSerialization.jsonObject(with: Data(schema.text.utf8)) as? [String: Any]
        return try #require(object?["properties"] as? [String: Any]).keys.sorted()
    }

    @Test func theFieldsOfASummary() throws {
        let page = try Repository.text(of: "Sources/Blekeep/Blekeep.docc/OutputFormats.md")
        let words = try #require(page.firstMatch(of: /A summary has the fields ([^.]*)\./)).output.1
        let named = words.matches(of: /`(\w+)`/).map { String($0.output.1) }
        #expect(try Set(named) == Set(Self.properties(of: SummaryLines.table.schema)))
    }

    @Test func theColumnsOfCSV() throws {
        let page = try Repository.text(of: "Sources/Blekeep/Blekeep.docc/OutputFormats.md")
        #expect(page.contains("\n\(CSVLineWriter.header)\n"))
    }

    @Test func theViewsOfTheHistory() throws {
        let folder = try TemporaryFolder()
        let path = folder.file("history.sqlite")
        try History(path: path).close()
        let database = try DatabaseQueue(path: path)
        let views = try database.read {
            try String.fetchAll($0, sql: "SELECT name FROM sqlite_master WHERE type = 'view'")
        }
        let rows = try Self.table("OutputFormats", after: "Four views join them")
        #expect(Set(rows.flatMap { $0.first ?? [] }) == Set(views))
        for row in rows {
            let name = try #require(row.first?.first)
            let columns = try database.read { try $0.columns(in: name).map(\.name) }
            // `newest` has those of `readings`.
            let expected = try #require(row.last?.isEmpty == true ? rows.first?.last : row.last)
            #expect(expected == columns, "\(name)")
        }
    }

    @Test(.enabled(if: SampleReadings.Database.programs != nil, "needs Debian's package postgresql"))
    func theViewsOfAFleet() throws {
        let database = try SampleReadings.Database()
        try database.execute(PostgresSchema.statements())
        let columns = try database.execute(
            """
            SELECT table_name || ' ' || string_agg(column_name, ' ' ORDER BY ordinal_position)
            FROM information_schema.columns WHERE table_schema = 'blekeep'
                AND table_name IN (SELECT viewname FROM pg_views WHERE schemaname = 'blekeep')
            GROUP BY table_name ORDER BY table_name
            """)
        let rows = try Self.table("PostgreSQL", after: "## Tables for people")
        #expect(rows.count == columns.count)
        for row in rows {
            let cells = row.flatMap(\.self)
            let name = try #require(cells.first?.split(separator: ".").last)
            let has = try #require(columns.first { $0.hasPrefix("\(name) ") }).split(separator: " ").dropFirst()
            #expect(Set(cells.dropFirst()) == Set(has.map(String.init)), "\(name): \(has)")
        }
    }

    @Test func theTopicsOfMQTT() throws {
        let topics = MQTTTopics(
            MQTTConfiguration(host: "broker", port: 1883, isEncrypted: false, gateway: "GATEWAY"))
        let device = try #require(DeviceID("device"))
        let all = [
            topics.status, topics.installation, topics.gatewayState, topics.report, topics.availability(device),
            topics.state(device), topics.events(device), topics.history(device), topics.paused(device),
            topics.rule("RULE", of: device),
        ].map { $0.replacing("/device/", with: "/DEVICE/") }
        #expect(try Set(Self.firstCells("MQTT", after: "## The topics")) == Set(all))
    }

    @Test func thePathsOfHTTP() throws {
        let paths = try Self.firstCells("Serve", after: "## The paths").map { $0.replacing("DEVICE", with: "{device}") }
        #expect(Set(paths) == Set(Endpoint.allCases.map(\.rawValue)))
    }

    @Test func theMetrics() throws {
        let page = try Repository.text(of: "Sources/Blekeep/Blekeep.docc/Metrics.md")
        let named = Set(page.matches(of: /`(blekeep_[a-z0-9_]+)`/).map { String($0.output.1) })
        let sources = try Repository.texts(in: "Sources/BlekeepOutputs").values.joined()
        let made = Set(sources.matches(of: /"(blekeep_[a-z0-9_]+)"/).map { String($0.output.1) })
        #expect(made.subtracting(named) == [], "without a line in the page")
        #expect(named.subtracting(made) == [], "in the page alone")
    }
}
