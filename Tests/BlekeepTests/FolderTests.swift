import Foundation
import Testing

/// Which folder of the library may use which: the lower ones know nothing of those above.
@Suite struct FolderTests {
    private static let sources = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        .appendingPathComponent("Sources/Blekeep")

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

    /// The types that a folder declares, nested ones left out.
    private func types(in folder: String) throws -> Set<String> {
        let declaration = /^(?:[a-z@]\S* )*?(?:struct|class|enum|protocol|actor|typealias) (\w+)/
            .anchorsMatchLineEndings()
        return Set(try files(in: folder).flatMap { $0.text.matches(of: declaration).map { String($0.output.1) } })
    }

    /// The words of a file's code: no comments, no texts, no members.
    private func words(_ text: String) -> Set<String> {
        let code = text.replacing(/\/\/.*/, with: "").replacing(/"(?:\\.|[^"\\])*"/, with: "")
        return Set(code.matches(of: /(?:^|[^.\w])(\w+)/).map { String($0.output.1) })
    }

    @Test(arguments: [("Bluetooth", ["Configuration", "KeepAlive", "Ledger", "Output", "Power", "Readings"])])
    func aFolderKnowsNothingOfThoseAbove(folder: String, above: [String]) throws {
        let known = try types(in: folder)
        for other in above {
            let foreign = try types(in: other).subtracting(known)
            #expect(foreign.count >= 5)
            for (name, text) in try files(in: folder) {
                #expect(words(text).isDisjoint(with: foreign), "\(folder)/\(name) uses \(other)")
            }
        }
    }
}
