import Foundation
import Testing

/// The instructions and descriptions for developers, which name files and the declarations in them.
@Suite struct InstructionsTests {
    /// The words of all files that a page may name, by their path. A page itself proves nothing.
    private static func words() throws -> [String: Set<Substring>] {
        let folders = try ["Sources", "Tests", "dbus"].map {
            try Repository.texts(in: $0, ending: ["swift", "toml", "py", "jsonl", "txt"])
        }
        let texts = folders.reduce(["Package.swift": try Repository.text(of: "Package.swift")]) {
            $0.merging($1) { first, _ in first }
        }
        return texts.mapValues { Set($0.split { !($0.isLetter || $0.isNumber || $0 == "_") }) }
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

    /// A declaration, perhaps after the type that it belongs to. `LAB` stands for what a reader writes.
    private static func isDeclaration(_ code: String) -> Bool {
        !isPath(code) && code.contains(where: \.isLowercase) && code.contains(/^[A-Za-z]\w*(?:\.[a-z]\w*)?$/)
    }

    @Test(arguments: [".github/CONTRIBUTING.md", "Sources/Blekeep/Blekeep.docc/Architecture.md"])
    func eachNameIsInItsFile(page: String) throws {
        let files = try Self.words()
        let all = files.values.reduce(into: Set<Substring>()) { $0.formUnion($1) }
        var checked = 0
        for sentence in Self.sentences(of: try Repository.text(of: page)) {
            // `YourSink.swift` is what a reader writes.
            let paths = sentence.filter { Self.isPath($0) && !$0.contains("Your") }
            let named = paths.map { path in files.filter { $0.key == path || $0.key.hasSuffix("/" + path) } }
            for (path, found) in zip(paths, named) { #expect(!found.isEmpty, "there is no file \(path)") }
            let words = named.isEmpty ? all : named.flatMap(\.values).reduce(into: []) { $0.formUnion($1) }
            for code in sentence where Self.isDeclaration(code) && !code.contains("Your") {
                let name = code.split(separator: ".").last ?? ""
                // Not in the expectation, which would print all words.
                let isThere = words.contains(name)
                #expect(isThere, "\(paths.isEmpty ? "no file" : paths.joined(separator: ", ")) has \(code)")
                checked += 1
            }
        }
        #expect(checked > 40)
    }
}
