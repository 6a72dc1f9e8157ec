import Foundation
import Testing

/// The folders of tests, one for each target of `Sources`, and what these tests import.
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

    /// A target of `Sources` and all targets below it.
    private static func reach(_ target: String) throws -> Set<String> {
        let sources = try folders(in: "Sources")
        var (reached, new) = (Set<String>(), [target])
        while let next = new.popLast() {
            guard reached.insert(next).inserted else { continue }
            new += try imports(in: "Sources/\(next)").intersection(sources)
        }
        return reached
    }

    @Test func eachTargetOfSourcesHasItsTests() throws {
        // A folder without imports is a header of C, behind the target that imports it. Blekeep only imports others.
        let sources = try Self.folders(in: "Sources").filter { try !Self.imports(in: "Sources/\($0)").isEmpty }
            .filter { $0 != "Blekeep" }
        let tests = try Self.folders(in: "Tests").subtracting(["Integration", "Tools"])
        #expect(tests == Set(sources.map { $0 + "Tests" }))
    }

    @Test func testsImportNothingAboveTheirTarget() throws {
        let sources = try Self.folders(in: "Sources")
        let tools = try Self.targets().subtracting(sources)
        #expect(tools.count > 10)
        for folder in try Self.folders(in: "Tests").subtracting(["Integration", "Tools"]) {
            let target = String(folder.dropLast("Tests".count))
            var above = tools.union(try sources.filter { try $0 != target && Self.reach($0).contains(target) })
            // Tests of buses need buses. Sample readings are fixtures.
            if target == "DBus" { above.remove("BusBench") }
            above.remove("SampleReadings")
            let imported = try Self.imports(in: "Tests/\(folder)").intersection(above)
            #expect(imported.isEmpty, "\(folder) imports \(imported.sorted())")
        }
    }
}
