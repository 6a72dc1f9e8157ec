import Foundation
import Testing

/// The folders of a target that form layers: each uses only those below it.
@Suite struct FolderTests {
    private static let sources = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().appendingPathComponent("Sources")

    private func files(in folder: String) throws -> [(name: String, text: String)] {
        let folder = Self.sources.appendingPathComponent(folder)
        let files = FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil)
        var texts: [(String, String)] = []
        while let file = files?.nextObject() as? URL {
            guard file.pathExtension == "swift" else { continue }
            texts.append((file.lastPathComponent, try String(contentsOf: file, encoding: .utf8)))
        }
        return texts
    }

    /// The types that a folder declares.
    private func types(in folder: String, nested: Bool) throws -> Set<String> {
        let declaration = /^( *)(?:[a-z@]\S* )*?(?:struct|class|enum|protocol|actor|typealias) (\w+)/
            .anchorsMatchLineEndings()
        let found = try files(in: folder).flatMap { $0.text.matches(of: declaration) }
        return Set(found.filter { nested || $0.output.1.isEmpty }.map { String($0.output.2) })
    }

    /// The words of a file's code, also of code in a text: no comments, no members, nothing else of texts.
    private func words(_ text: String) -> Set<String> {
        let code = text.replacing(/\/\/.*/, with: "")
            .replacing(/\\\(((?:[^()]|\((?:[^()]|\([^()]*\))*\))*)\)/) { "\" \($0.output.1) \"" }
            .replacing(/"(?:\\.|[^"\\])*"/, with: "")
        return Set(code.matches(of: /(?:^|[^.\w])(\w+)/).map { String($0.output.1) })
    }

    /// From below.
    private static let library = ["Power", "Configuration", "Records", "KeepAlive"]
        .map { "Blekeep/" + $0 }
    private static let simulation = ["Support", "Peripherals", "Air", "Power", "Bluez", "World", "Scenarios"]
        .map { "BlekeepSimulation/" + $0 }
    private static let outputs = ["Lines", "Sinks", "Metrics", "MQTT", "HTTP"]
        .map { "BlekeepOutputs/" + $0 }

    @Test(arguments: [library, simulation, outputs]) func foldersUseOnlyFoldersBelow(order: [String]) throws {
        for folder in order { try checkThatNothingAboveIsUsed(in: folder, order) }
    }

    private func checkThatNothingAboveIsUsed(in folder: String, _ order: [String]) throws {
        let known = try types(in: folder, nested: true)
        #expect(try !files(in: folder).isEmpty)
        for other in order.drop(while: { $0 != folder }).dropFirst() {
            let foreign = try types(in: other, nested: false).subtracting(known)
            for (name, text) in try files(in: folder) {
                #expect(words(text).isDisjoint(with: foreign), "\(folder)/\(name) uses \(other)")
            }
        }
    }
}
