import BlekeepSimulation
import GRDBSQLite
import RunLoop
import Synchronization

/// The writes of SQLite to a database and its log, and the part that a power cut can't lose.
///
/// It intercepts SQLite's file calls for the databases of one folder at a time.
final class DiskRecord: Sendable {
    /// A database and its log as a power cut leaves them; `nil`: there is no log.
    struct Image: Sendable {
        var database: [UInt8]
        var log: [UInt8]?
    }

    private struct State {
        var files: [String: RecordedFile] = [:]
        var count = 0
        var onWrite: @Sendable (Int) -> Void = { _ in }
    }

    private static let current = Mutex<DiskRecord?>(nil)
    private let path: String
    private let state = Mutex(State())

    /// Starts to record. The present contents count as durable.
    ///
    /// - Parameter path: the database, without symbolic links.
    init(_ path: String) {
        _ = RecordedCalls.isInstalled
        self.path = path
        state.withLock { $0.files[path] = RecordedFile(path) }
        Self.current.withLock { $0 = self }
    }

    func end() { Self.current.withLock { $0 = nil } }

    /// Called after each change, with the number of changes so far.
    func onChange(_ body: @escaping @Sendable (Int) -> Void) { state.withLock { $0.onWrite = body } }

    /// Returns contents that a power cut now might leave.
    func image(_ dice: inout SplitMix64) -> Image {
        let files = state.withLock { $0.files }
        return Image(
            database: files[path].map { $0.torn(&dice) } ?? [], log: files["\(path)-wal"].map { $0.torn(&dice) })
    }

    // MARK: From SQLite

    /// Returns the record of a file.
    static func recording(_ file: String) -> DiskRecord? {
        current.withLock { $0 }.flatMap { file == $0.path || file == "\($0.path)-wal" ? $0 : nil }
    }

    func change(_ file: String, _ body: (inout RecordedFile) -> Void) {
        let (count, then) = state.withLock { state in
            body(&state.files[file, default: RecordedFile()])
            state.count += 1
            return (state.count, state.onWrite)
        }
        then(count)
    }

    func remove(_ file: String) {
        state.withLock { state in
            guard let removed = state.files.removeValue(forKey: file) else { return }
            // The folder isn't written down before the next file of this name is.
            state.files[file] = RecordedFile(insteadOf: removed)
        }
    }
}
