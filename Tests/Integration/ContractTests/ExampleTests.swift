import Foundation
import Testing

/// The Swift examples of pages and doc comments, which `Tests/Tools/Sample/Examples.swift` has as functions. So each of them
/// compiles, and without what is only visible inside this package. After a change, record them:
/// `RECORD_SNAPSHOTS=1 swift test --filter ExampleTests`.
@Suite struct ExampleTests {
    private static let file = "Tests/Tools/Sample/Examples.swift"
    /// What stands before this line is written by hand.
    private static let mark = "// MARK: Examples\n"

    private struct Example {
        let page: String
        let number: Int
        var lines: [Substring] = []

        /// A manifest can't be part of another package. `.ci/run` reads it.
        var isManifest: Bool { lines.contains("import PackageDescription") }

        /// The example as a method of `Given`.
        var function: String {
            let name = page.split(separator: "/").last?.split(separator: ".").first ?? ""
            let body = lines.filter { !$0.hasPrefix("import ") && $0 != "@main" }.drop(while: \.isEmpty)
            let names = body.compactMap { $0.firstMatch(of: /^(?:let|var) \(?([\w, ]+?)\)? ?[=:]/)?.output.1 }
            let uses = names.isEmpty ? [] : ["_ = (\(names.joined(separator: ", ")))"]
            let indented = (body + uses.map { $0[...] }).map { $0.isEmpty ? "" : "        \($0)" }
            return """

                extension Given {
                    /// \(page)
                    func \(name.filter(\.isLetter))\(number)() async throws {
                \(indented.joined(separator: "\n"))
                    }
                }

                """
        }
    }

    private static func examples() throws -> [Example] {
        let pages = try ["Sources", "Tests", "dbus", ".github"].map { try Repository.texts(in: $0, ending: ["md"]) }
        let comments = try Repository.texts(in: "Sources")
        var texts = ["README.md": try Repository.text(of: "README.md")]
        for each in pages + [comments] { texts.merge(each) { first, _ in first } }
        return texts.sorted { $0.key < $1.key }.flatMap { page, text in examples(of: page, text) }
    }

    private static func examples(of page: String, _ text: String) -> [Example] {
        var found: [Example] = []
        var isInside = false
        for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
            var line = line
            if page.hasSuffix(".swift") {
                guard let start = line.range(of: "///"), line[..<start.lowerBound].allSatisfy(\.isWhitespace) else {
                    isInside = false
                    continue
                }
                line = line[start.upperBound...]
                if line.first == " " { line = line.dropFirst() }
            }
            if line == "```swift" {
                isInside = true
                found.append(Example(page: page, number: found.count + 1))
            } else if line == "```" {
                isInside = false
            } else if isInside {
                found[found.count - 1].lines.append(line)
            }
        }
        return found
    }

    @Test func eachExampleIsCompiled() throws {
        // What `BlekeepOutputs` declares isn't public.
        let examples = try Self.examples().filter { !$0.page.hasPrefix("Sources/BlekeepOutputs/") }
        let manifests = examples.filter(\.isManifest)
        #expect(manifests.map(\.page) == ["Sources/Blekeep/Blekeep.docc/UsingTheLibrary.md"])
        #expect(examples.count >= 40)
        let text = try Repository.text(of: Self.file)
        let head = try #require(text.range(of: Self.mark)).upperBound
        let expected = text[..<head] + examples.filter { !$0.isManifest }.map(\.function).joined()
        if ProcessInfo.processInfo.environment["RECORD_SNAPSHOTS"] != nil {
            try expected.write(
                to: Repository.root.appendingPathComponent(Self.file), atomically: true, encoding: .utf8)
        }
        #expect(text == expected || ProcessInfo.processInfo.environment["RECORD_SNAPSHOTS"] != nil)
    }
}
