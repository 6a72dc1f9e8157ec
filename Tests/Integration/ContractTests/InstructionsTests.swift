import Foundation
import Testing

/// The instructions and descriptions for developers, which name files and the declarations in them.
@Suite struct InstructionsTests {
    private static let root = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()

    /// All files of the repository that a page may name, with their text, by their path.
    private static func files() throws -> [String: String] {
        var texts: [String: String] = [:]
        for top in ["Sources", "Tests", "dbus", ".github"] {
            let files = FileManager.default.enumerator(
                at: root.appendingPathComponent(top), includingPropertiesForKeys: nil)
            while let file = files?.nextObject() as? URL {
                guard ["swift", "toml", "py", "jsonl", "md", "txt"].contains(file.pathExtension) else { continue }
                let path = file.path.dropFirst(root.path.count + 1)
                texts[String(path)] = try String(contentsOf: file, encoding: .utf8)
            }
        }
        texts["Package.swift"] = try String(contentsOf: root.appendingPathComponent("Package.swift"), encoding: .utf8)
        return texts
    }

    /// What a page says in code, by its sentences: a sentence doesn't go on in the next item of a list.
    private static func sentences(of page: String) -> [[String]] {
        let outsideOfBlocks = page.split(separator: "```", omittingEmptySubsequences: false).enumerated()
            .filter { $0.offset.isMultiple(of: 2) }.map(\.element).joined(separator: "\n\n")
        let joined = outsideOfBlocks.replacing(/\n(?![\n|#]|- |\d+\. )/, with: " ")
        let sentences = joined.split(separator: "\n").flatMap { $0.split(separator: /[.;] (?=[A-Z`a-z])/) }
        return sentences.map { $0.matches(of: /`([^`]+)`/).map { String($0.output.1) } }.filter { !$0.isEmpty }
    }

    private static func isPath(_ code: String) -> Bool { code.contains(/^[\w+\/.-]+\.(?:swift|toml|py|jsonl)$/) }

    /// A declaration, perhaps after the type that it belongs to.
    private static func isDeclaration(_ code: String) -> Bool {
        !isPath(code) && code.contains(/^[A-Za-z]\w*(?:\.[a-z]\w*)?$/)
    }

    @Test(arguments: [".github/CONTRIBUTING.md", "Sources/Blekeep/Blekeep.docc/Architecture.md"])
    func eachNameIsInItsFile(page: String) throws {
        let files = try Self.files()
        let page = try #require(files[page])
        var checked = 0
        for sentence in Self.sentences(of: page) {
            // `YourSink.swift` is what a reader writes.
            let paths = sentence.filter { Self.isPath($0) && !$0.contains("Your") }
            let named = paths.map { path in files.filter { $0.key == path || $0.key.hasSuffix("/" + path) } }
            for (path, found) in zip(paths, named) { #expect(!found.isEmpty, "there is no file \(path)") }
            let texts = named.isEmpty ? Array(files.values) : named.flatMap(\.values)
            for code in sentence where Self.isDeclaration(code) && !code.contains("Your") {
                let name = code.split(separator: ".").last ?? ""
                let isThere = texts.contains { $0.firstRange(of: name) != nil }
                #expect(isThere, "\(paths.isEmpty ? "no file" : paths.joined(separator: ", ")) has \(code)")
                checked += 1
            }
        }
        #expect(checked > 40)
    }
}
