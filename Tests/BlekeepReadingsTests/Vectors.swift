import Foundation
import Testing

@testable import BlekeepReadings

/// A line of a vector file: bytes, and their values or their error.
struct Vector {
    let line: JSON

    var label: String { "\(text("uuid")) \(text("note")) \(text("hex")) \(text("value_hex"))" }
    /// `short`, `long` or `format`.
    var error: String? { line["error"]?.text }
    var expected: JSON { line["expected"] ?? .null }

    func text(_ key: String) -> String { line[key]?.text ?? "" }

    func bytes(_ key: String) -> [UInt8] {
        [UInt8](hex: text(key)) ?? []
    }

    static func all(_ name: String) throws -> [Vector] {
        let folder = URL(filePath: #filePath).deletingLastPathComponent()
        let url = folder.appending(path: "Fixtures/\(name).jsonl")
        return try String(contentsOf: url, encoding: .utf8).split(separator: "\n").map { line in
            Vector(line: try JSONDecoder().decode(JSON.self, from: Data(line.utf8)))
        }
    }
}
