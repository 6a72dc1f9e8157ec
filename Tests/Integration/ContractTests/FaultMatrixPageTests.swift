import Foundation
import Testing

/// The page of faults names tests: each of them is there.
@Suite struct FaultMatrixPageTests {
    /// The rows of the page's table below its head.
    private func rows() throws -> [[String]] {
        try Repository.text(of: "Sources/Blekeep/Blekeep.docc/FaultMatrix.md").split(separator: "\n").drop {
            !$0.hasPrefix("| Fault")
        }
        .prefix { $0.hasPrefix("|") }.dropFirst(2).map { row in
            row.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
        }
    }

    /// The names of all test functions.
    private func tests() throws -> Set<String> {
        var names: Set<String> = []
        for text in try Repository.texts(in: "Tests").values {
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
