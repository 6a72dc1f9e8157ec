import Foundation
import Testing

/// What targets import and declare, and the folders of tests, one for each target of `Sources`.
@Suite struct TestTargetTests {
    private static func folders(in path: String) throws -> Set<String> {
        let folder = Repository.root.appendingPathComponent(path)
        let items = try FileManager.default.contentsOfDirectory(
            at: folder, includingPropertiesForKeys: [.isDirectoryKey])
        return Set(
            try items.filter { try $0.resourceValues(forKeys: [.isDirectoryKey]).isDirectory == true }
                .map(\.lastPathComponent))
    }

    /// The modules that a folder's files import.
    private static func imports(in path: String) throws -> Set<String> {
        let pattern = /^(?:@?\w+ )*import (\w+)$/.anchorsMatchLineEndings()
        return try Repository.texts(in: path).values.reduce(into: []) { modules, text in
            modules.formUnion(text.matches(of: pattern).map { String($0.output.1) })
        }
    }

    /// All targets of the package.
    private static func targets() throws -> Set<String> {
        let text = try Repository.text(of: "Package.swift")
        return Set(text.matches(of: /[tT]arget\(\s*name: "([\w-]+)"/).map { String($0.output.1) })
    }

    /// Each target of `Sources`, and all targets below it with itself.
    private static func reaches() throws -> [String: Set<String>] {
        let sources = try folders(in: "Sources")
        let imported = try Dictionary(
            uniqueKeysWithValues: sources.map { ($0, try imports(in: "Sources/\($0)").intersection(sources)) })
        return Dictionary(
            uniqueKeysWithValues: sources.map { target in
                var (reached, new) = (Set<String>(), [target])
                while let next = new.popLast() {
                    if reached.insert(next).inserted { new += imported[next] ?? [] }
                }
                return (target, reached)
            })
    }

    /// Otherwise a reader, or a search, finds the other one.
    @Test func noTwoTypesHaveOneName() throws {
        let pattern = /^(?:package |public |final |indirect )*(?:struct|class|enum|protocol|actor) (\w+)/
            .anchorsMatchLineEndings()
        let names = try Repository.texts(in: "Sources").values.flatMap { text in
            text.matches(of: pattern).map { String($0.output.1) }
        }
        #expect(names.count > 900)
        #expect(Dictionary(grouping: names) { $0 }.filter { $1.count > 1 }.keys.sorted() == [])
    }

    /// swift-format's rule wants a sentence for each parameter that any comment leaves out.
    @Test func eachParameterInACommentIsThere() throws {
        let comment = /(?<comment>(?:^ *\/\/\/.*\n)+)(?<declaration>(?:.*\n){1,12})/.anchorsMatchLineEndings()
        let parameter = /\/\/\/ - Parameter (\w+):|\/\/\/   - (\w+):/
        var known = 0
        for (file, text) in try Repository.texts(in: "Sources") {
            for match in text.matches(of: comment) {
                let words = Set(match.declaration.split { !$0.isLetter && !$0.isNumber && $0 != "_" })
                for name in match.comment.matches(of: parameter).compactMap({ $0.output.1 ?? $0.output.2 }) {
                    known += 1
                    #expect(words.contains(name), "\(file) has no parameter \(name)")
                }
            }
        }
        #expect(known > 300)
    }

    @Test func eachTargetOfSourcesHasItsTests() throws {
        // A folder without imports is a header of C, behind the target that imports it. Blekeep only imports others.
        let sources = try Self.folders(in: "Sources").filter { try !Self.imports(in: "Sources/\($0)").isEmpty }
            .filter { $0 != "Blekeep" }
        let tests = try Self.folders(in: "Tests").subtracting(["Integration", "Tools"])
        #expect(tests == Set(sources.map { $0 + "Tests" }))
    }

    @Test func testsImportNothingAboveTheirTarget() throws {
        let reaches = try Self.reaches()
        let tools = try Self.targets().subtracting(reaches.keys)
        #expect(tools.count > 10)
        for folder in try Self.folders(in: "Tests").subtracting(["Integration", "Tools"]) {
            let target = String(folder.dropLast("Tests".count))
            var above = tools.union(reaches.filter { $0.key != target && $0.value.contains(target) }.keys)
            // Tests of buses need buses. Sample readings and houses, and what is done to a history, are fixtures.
            if target == "DBus" { above.remove("BusBench") }
            above.subtract(["HistoryTrials", "SampleHouse", "SampleReadings"])
            let imported = try Self.imports(in: "Tests/\(folder)").intersection(above)
            #expect(imported.isEmpty, "\(folder) imports \(imported.sorted())")
        }
    }

    /// The targets of the manifest: the folder of each, and the modules that it declares. A program that a test runs isn't
    /// imported.
    private static func declarations() throws -> [(name: String, folder: String, modules: Set<String>)] {
        let manifest = try Repository.text(of: "Package.swift")
        func quoted(_ text: Substring) -> [String] { text.matches(of: /"(\w+)"/).map { String($0.output.1) } }
        let constant = /^let (\w+) = (.*?)(?:, in:|, package:|\]\.)/.anchorsMatchLineEndings()
        let products = Dictionary(
            uniqueKeysWithValues: manifest.matches(of: constant).map { ($0.output.1, quoted($0.output.2)) })
        let target = /\.(\w*[tT]arget)\(\s*name: "([\w-]+)"(.*?)(?=\.\w*[tT]arget\(|\z)/.dotMatchesNewlines()
        return manifest.matches(of: target).compactMap { match -> (String, String, Set<String>)? in
            let (_, kind, name, rest) = match.output
            guard let list = rest.firstMatch(of: /dependencies: \[([^\]]*)\]([ +\w]*)/)?.output else { return nil }
            let path = rest.firstMatch(of: /path: "([^"]*)"/).map { String($0.output.1) }
            let constants = (list.1 + list.2).matches(of: /"[^"]*"|(\w+)/).compactMap(\.output.1)
            let folder = path ?? "\(kind == "testTarget" ? "Tests" : "Sources")/\(name)"
            return (String(name), folder, Set(quoted(list.1) + constants.flatMap { products[$0] ?? [] }))
        }
    }

    @Test func whatIsImportedIsDeclaredAndWhatIsDeclaredIsUsed() throws {
        let declarations = try Self.declarations()
        #expect(declarations.count > 45)
        let system: Set = [
            "Foundation", "FoundationEssentials", "FoundationXML", "Glibc", "Synchronization", "Testing",
        ]
        // A program may be run by a test, or imported.
        let programs = declarations.map(\.name).filter { $0.contains("-") }.map { $0.replacing("-", with: "_") }
        for (name, folder, declared) in declarations {
            let imported = try Self.imports(in: folder).subtracting(system).subtracting(programs)
            let (missing, unused) = (imported.subtracting(declared), declared.subtracting(imported))
            #expect(missing.isEmpty, "\(name) imports \(missing.sorted()) and doesn't declare it")
            #expect(unused.isEmpty, "\(name) declares \(unused.sorted()) and doesn't import it")
        }
    }

    /// The documentation is of the libraries: `Blekeep`, which is several targets, and `BlekeepSimulation`. A target without
    /// public declarations has nothing to document.
    @Test(arguments: [".ci/night", ".github/CONTRIBUTING.md", ".spi.yml"])
    func theDocumentationIsOfAllTargetsWithPublicDeclarations(page: String) throws {
        let declaration = /^ *public (?!import)/.anchorsMatchLineEndings()
        let libraries = try Self.folders(in: "Sources").filter { $0.hasPrefix("Blekeep") && $0 != "BlekeepCLI" }
        let targets = try libraries.filter { target in
            try Repository.texts(in: "Sources/\(target)").values.contains { $0.contains(declaration) }
        }
        let name = /(?:--target |[\[,] ?)(Blekeep\w*)/
        let documented = try Repository.text(of: page).matches(of: name).map { String($0.output.1) }
        // This one has only imports, and the library's pages.
        #expect(Set(documented) == targets.union(["Blekeep"]))
    }
}
