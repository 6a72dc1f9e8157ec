internal import GRDB
import Glibc

/// What another program did to the log of an open history, or to the log's index.
///
/// SQLite doesn't notice: it goes on in a file without a name, or behind a gap. All since would be lost with the process.
enum LogLoss: Sendable {
    /// The log or its index has no name any more. The open connection still has what they held.
    case removed
    /// The log is shorter than what the connection knows in it.
    case emptied

    func words(path: String) -> String {
        switch self {
        case .removed:
            "another program removed the log of the history \(path); blekeep saved what it held, and begins a new one"
        case .emptied:
            "another program emptied the log of the history \(path): what only the log held is lost; blekeep begins a new one"
        }
    }
}

extension HistoryWriter {
    /// Looks for the files of the log by their names, before each append, and so each minute.
    mutating func logLoss() -> LogLoss? {
        guard let queue, let file, HistoryFile(place)?.isSame(as: file) == true else { return nil }
        let now = (log: HistoryFile("\(place)-wal"), index: HistoryFile("\(place)-shm"))
        let before = (log: log, index: index)
        (log, index) = (now.log ?? log, now.index ?? index)
        guard let known = before.log, let knownIndex = before.index else { return nil }
        guard let log = now.log, let index = now.index, log.isSame(as: known), index.isSame(as: knownIndex) else {
            return .removed
        }
        guard log.size < known.size else { return nil }
        // A checkpoint shortens it, too, also one of another program, and then nothing is left in it.
        let size = log.size
        let isWhole = try? queue.writeWithoutTransaction { database in
            let frames = try database.checkpoint(.passive).walFrameCount
            let page = try Int64.fetchOne(database, sql: "PRAGMA page_size") ?? 0
            return frames <= 0 || Int64(frames) * (page + 24) + 32 <= size
        }
        return isWhole == true ? nil : .emptied
    }

    /// Remembers how long the log is after an append.
    mutating func noteLog() {
        guard let now = HistoryFile("\(place)-wal"), log.map(now.isSame) ?? true else { return }
        log = now
    }

    /// Saves what can be saved, and closes the database, so that the next use begins a new log. No other connection of this
    /// process may be open: SQLite shares the index between them.
    mutating func leaveLog(_ loss: LogLoss) {
        if loss == .removed { try? queue?.writeWithoutTransaction { _ = try $0.checkpoint(.truncate) } }
        drop()
        (log, index) = (nil, nil)
        // What is left of them doesn't belong together any more.
        for suffix in ["-wal", "-shm"] { unlink(place + suffix) }
        notify(loss.words(path: path))
    }
}
