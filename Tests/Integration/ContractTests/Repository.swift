import Foundation

/// The files of this repository, for tests that compare them.
enum Repository {
    static let root = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()

    /// Returns the texts of the files in a folder and below it, by their paths from the root.
    static func texts(in folder: String, ending endings: Set<String> = ["swift"]) throws -> [String: String] {
        let files = FileManager.default.enumerator(
            at: root.appendingPathComponent(folder), includingPropertiesForKeys: nil)
        var texts: [String: String] = [:]
        while let file = files?.nextObject() as? URL {
            guard endings.contains(file.pathExtension) else { continue }
            texts[String(file.path.dropFirst(root.path.count + 1))] = try String(contentsOf: file, encoding: .utf8)
        }
        return texts
    }

    static func text(of path: String) throws -> String {
        try String(contentsOf: root.appendingPathComponent(path), encoding: .utf8)
    }
}
