import Foundation
import Testing

/// The page of faults names tests: each of them is there.
@Suite struct FaultMatrixPageTests {
    private static let root = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()

    /// The rows of the page's table below its head.
    private func rows() throws -> [[String]] {
        let page = Self.root.appendingPathComponent("Sources/Blekeep/Blekeep.docc/FaultMatrix.md")
        return try String(contentsOf: page, encoding: .utf8).split(separator: "\n").drop { !$0.hasPrefix("| Fault") }
            .prefix { $0.hasPrefix("|") }.dropFirst(2).map { row in
                row.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
            }
    }

    /// The names of all test functions.
    private func tests() throws -> Set<String> {
        let folder = Self.root.appendingPathComponent("Tests")
        let files = FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil)
        var names: Set<String> = []
        while let file = files?.nextObject() as? URL {
            guard file.pathExtension == "swift" else { continue }
            let text = try String(contentsOf: file, encoding: .utf8)
            var isTest = false
            for line in text.split(separator: "\n") {
                if line.contains("@Test") { isTest = true }
                guard isTest, let start = line.range(of: "func ") else { continue }
                isTest = false
                let rest = line[start.upperBound...]
                let name = rest.hasPrefix("`") ? rest.dropFirst().prefix { $0 != "`" } : rest.prefix { $0 != "(" }
                names.insert(String(name))
            }
        }
        return names
    }

    @Test func everyTestThatThePageNamesIsThere() throws {
        let (rows, tests) = (try rows(), try tests())
        #expect(rows.count >= 35)
        #expect(tests.count >= 300)
        for row in rows {
            #expect(row.count == 6, "\(row[0])")
            for cell in row.dropFirst() where cell != "–" && !cell.hasPrefix("does not apply: ") {
                let name = cell.split(separator: "`").first.map(String.init) ?? ""
                #expect(cell.hasPrefix("`") && tests.contains(name), "\(row[0]): \(cell)")
            }
        }
    }
}
