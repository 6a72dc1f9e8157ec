import BlekeepRecords
import Foundation
import Testing

@testable import BlekeepConfiguration

/// The tables of `ConfigurationKeys.md` are those of the declarations. To write them again, run
/// `RECORD_SNAPSHOTS=1 swift test --filter ConfigurationPageTests`.
@Suite struct ConfigurationPageTests {
    private static let page = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .appending(path: "../../Sources/Blekeep/Blekeep.docc/ConfigurationKeys.md").standardizedFileURL

    /// The rows of each table by its first title, without the titles.
    private static var tables: [String: [String]] {
        var tables: [String: [String]] = [:]
        func add(_ keys: [KeyFacts], of what: String) {
            tables["key of \(what)"] = keys.map {
                "| `\($0.name)` | \($0.fallback) | \($0.bounds) | \($0.help) |"
            }
            for key in keys {
                if !key.words.isEmpty {
                    tables["value of `\(key.name)`"] = key.words.map { "| `\($0.word)` | \($0.meaning) |" }
                }
                switch key.shape {
                case .section(let section), .list(let section): add(section.keys, of: section.what)
                case .value, .foreign: break
                }
            }
        }
        add(Configuration.keys.map(\.facts), of: "the file")
        return tables
    }

    @Test func everyTableIsThatOfTheDeclarations() throws {
        let text = try String(contentsOf: Self.page, encoding: .utf8)
        let tables = Self.tables
        var lines: [Substring] = []
        var found: Set<String> = []
        var isTable = false
        for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
            let title = line.split(separator: "|").first.map { $0.trimmingCharacters(in: .whitespaces) } ?? ""
            if let rows = tables[title] {
                let titles = rows[0].count { $0 == "|" } == 3 ? ["meaning"] : ["default", "bounds", "meaning"]
                lines.append("| \(title) | \(titles.joined(separator: " | ")) |")
                lines.append("|\(String(repeating: "---|", count: titles.count + 1))")
                lines += rows.map { $0[...] }
                (isTable, found) = (true, found.union([title]))
            } else if !isTable || !line.hasPrefix("|") {
                lines.append(line)
                isTable = false
            }
        }
        let expected = lines.joined(separator: "\n")
        if ProcessInfo.processInfo.environment["RECORD_SNAPSHOTS"] != nil {
            try expected.write(to: Self.page, atomically: true, encoding: .utf8)
        }
        #expect(text == expected || ProcessInfo.processInfo.environment["RECORD_SNAPSHOTS"] != nil)
        #expect(found == Set(tables.keys))
    }
}
