import BlekeepOutputs
import Foundation

/// The file beside the history that keeps what was said over restarts.
struct NoticeFile {
    let path: String

    init(history: String) { path = "\(history).notices" }

    /// Returns what was said to each command; nothing without the file, or when it can't be read.
    func read() -> [String: NoticeMemory] {
        guard let data = FileManager.default.contents(atPath: path), data.count < 1 << 20 else { return [:] }
        return (try? JSONDecoder().decode([String: NoticeMemory].self, from: data)) ?? [:]
    }

    /// - Throws: `FileFailure`.
    func write(_ memories: [String: NoticeMemory]) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        let file = try WholeFile(path)
        try file.write(Array(try encoder.encode(memories)))
        try file.finish()
    }
}
