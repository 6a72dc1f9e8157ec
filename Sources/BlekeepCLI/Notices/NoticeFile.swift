import BlekeepOutputs
import Foundation
import Glibc

/// The file beside the history that keeps what was said over restarts.
struct NoticeFile {
    let path: String
    let history: String

    init(history: String) {
        path = "\(history).notices"
        self.history = history
    }

    /// Takes the right to give notices about this history, until the process ends.
    ///
    /// Without the right to write beside the history, nothing is taken: then `write` says so.
    ///
    /// - Throws: `Failure` when another process has it. Both would run each command.
    func lock() throws(Failure) {
        let descriptor = open("\(path).lock", O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o640)
        guard descriptor >= 0 else { return }
        // Kept open: the kernel releases the lock with the process.
        guard flock(descriptor, LOCK_EX | LOCK_NB) != 0 else { return }
        close(descriptor)
        throw Failure(.alreadyRunning, "another 'blekeep notices' runs for this history; stop it first")
    }

    /// Whether a process gives notices about this history; `nil` when that can't be seen.
    var isLocked: Bool? {
        let descriptor = open("\(path).lock", O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
        guard descriptor >= 0 else { return errno == ENOENT ? false : nil }
        defer { close(descriptor) }
        return flock(descriptor, LOCK_SH | LOCK_NB) != 0
    }

    /// Returns what was said to each command; nothing without the file, or when it can't be read.
    func read() -> [String: NoticeMemory] {
        guard let data = FileManager.default.contents(atPath: path), data.count < 1 << 20 else { return [:] }
        return (try? JSONDecoder().decode([String: NoticeMemory].self, from: data)) ?? [:]
    }

    /// - Throws: `UserError`.
    func write(_ memories: [String: NoticeMemory]) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        let file = try WholeFile(path)
        try file.write(Array(try encoder.encode(memories)))
        try file.finish()
    }
}
