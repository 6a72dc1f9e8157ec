import Foundation
import Testing

/// The folders of a target that form layers: each uses only those below it.
@Suite struct FolderTests {
    private func files(in folder: String) throws -> [(name: String, text: String)] {
        try Repository.texts(in: "Sources/\(folder)").map { ($0.split(separator: "/").last.map(String.init) ?? "", $1) }
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

    /// Otherwise an error that a program prints looks like `CredentialError(message: …)`. An error that never leaves its file
    /// is private.
    @Test func everyErrorIsASentence() throws {
        let all = try files(in: ".").map { $0.text.replacing(/\/\/.*/, with: "") }
        let declaration =
            /((?:private |fileprivate )?)(struct|enum|class|actor|extension) ([\w.]+)(?:<[^>{]*>)? ?: ?([^{]*)\{/
        let found = all.flatMap { text in text.matches(of: declaration).map(\.output) }
        let refined = all.flatMap { $0.matches(of: /protocol (\w+) ?: ?([^{]*)\{/).map(\.output) }
            .filter { names($0.2).contains("Error") }.map { String($0.1) }
        let errors = Set(["Error"] + refined)
        let describes = Set(
            found.filter { names($0.4).contains("CustomStringConvertible") }
                .map { String($0.3.split(separator: ".").last ?? "") })
        let types = found.filter { $0.2 != "extension" && !names($0.4).isDisjoint(with: errors) }
        #expect(types.count > 20)
        for type in types where type.1.isEmpty {
            #expect(describes.contains(String(type.3)), "\(type.3) has no description")
        }
    }

    private func names(_ list: Substring) -> Set<String> {
        Set(list.split { !($0.isLetter || $0.isNumber || $0 == "_") }.map { String($0) })
    }

    /// From below.
    private static let simulation = ["Support", "Peripherals", "Air", "Power", "Bluez", "World", "Scenarios"]
        .map { "BlekeepSimulation/" + $0 }
    private static let outputs = ["Settings", "Lines", "Sinks", "Metrics", "MQTT", "HTTP"]
        .map { "BlekeepOutputs/" + $0 }

    @Test(arguments: [simulation, outputs]) func foldersUseOnlyFoldersBelow(order: [String]) throws {
        let target = order[0].split(separator: "/")[0]
        let paths = try Repository.texts(in: "Sources/\(target)").keys.map { $0.split(separator: "/").dropFirst() }
        // A folder that isn't in the order would be checked by nothing.
        #expect(Set(paths.map { $0.prefix(2).joined(separator: "/") }) == Set(order))
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
