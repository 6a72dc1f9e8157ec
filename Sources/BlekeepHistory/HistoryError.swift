import BlekeepOutputs
import BlekeepRecords
internal import GRDB
import Glibc
import RunLoop

/// A failure to open, write or read a history, and what to do about it.
package enum HistoryError: Error, Sendable, Hashable {
    /// Another process appends to it; its number, if the lock file has it.
    case inUse(path: String, pid: Int32?)
    /// The file doesn't exist.
    case missing(path: String)
    case diskFull(path: String)
    /// The disk can't be read or written any more.
    case diskFails(path: String)
    case readOnly(path: String)
    case noPermission(path: String)
    /// The file isn't a database, or is another program's database.
    case notAHistory(path: String)
    /// Parts of the history were overwritten.
    case damaged(path: String)
    /// The file is damaged, and can't be replaced because there are too many damaged copies already.
    case notReplaced(path: String, copies: [String])
    /// A newer version of blekeep wrote it, or one before the first release: this one doesn't know its tables.
    case otherVersion(path: String)
    /// An older version of blekeep wrote it, and no poller has migrated it yet.
    case outdated(path: String)
    /// Another program locks the database for too long.
    case busy(path: String)
    /// The system has no descriptors or no memory left.
    case exhausted(path: String)
    case failed(path: String, reason: String)

    /// What to do about a history of a newer version.
    package static let startAnew = """
        install that version again, or a later one; to begin a new history instead, move the file away, or use another path
        """

    /// The file concerned.
    package var path: String {
        switch self {
        case .inUse(let path, _), .failed(let path, _), .notReplaced(let path, _): path
        case .missing(let path), .diskFull(let path), .diskFails(let path), .readOnly(let path): path
        case .noPermission(let path), .exhausted(let path): path
        case .notAHistory(let path), .damaged(let path), .busy(let path): path
        case .otherVersion(let path), .outdated(let path): path
        }
    }
}

extension HistoryError: CustomStringConvertible {
    package var description: String {
        let advice =
            switch self {
            case .inUse(_, let pid?):
                "is in use by process \(pid), and only one process can poll into it; 'blekeep poll-now' lets it read now. To poll here, stop it, or use another path"
            case .inUse(_, nil):
                "is in use by another process, and only one can poll into it; 'blekeep poll-now' lets it read now. To poll here, stop it, or use another path"
            case .missing: "doesn't exist yet; run 'blekeep poll' first, or check the path"
            case .diskFull: "can't be written: the disk is full; make room"
            case .diskFails: "can't be read or written: the disk fails; see 'dmesg'"
            case .readOnly: "can't be written: the file system is read-only; remount it, or use another path"
            case .noPermission(HistoryPath.service):
                "can't be opened by this user; join the group blekeep ('sudo usermod -aG blekeep USER'), and log in again"
            case .noPermission: "can't be opened by this user; change its owner or mode, or use another path"
            case .notAHistory: "isn't a history of blekeep; use another path, or move the file away"
            case .damaged:
                "is damaged; check the disk, then start or restart 'blekeep poll': it keeps the damaged file under another "
                    + "name, and copies what it can read to a new one"
            case .notReplaced(_, let copies):
                "is damaged, and \(copies.count) damaged copies are beside it already; check the disk, then move or delete "
                    + copies.joined(separator: ", ")
            case .otherVersion: "was written by a newer version of blekeep; \(Self.startAnew)"
            case .outdated: "was written by an older version of blekeep; restart 'blekeep poll', which updates it"
            case .busy: "is locked by another program; close that program, then try again"
            case .exhausted: "can't be opened: the system has no descriptors or memory left; end other programs"
            case .failed(_, let reason): "failed: \(reason)"
            }
        return "the history \(path) \(advice)"
    }
}

extension HistoryError {
    /// The sentence about a file that a backup is to be written to, and can't.
    package var asTarget: String {
        switch self {
        case .failed(let path, let reason): UserError(writing: path, reason).message
        case .missing(let path): UserError(writing: path, ENOENT).message
        case .diskFull(let path): UserError(writing: path, ENOSPC).message
        case .diskFails(let path): UserError(writing: path, EIO).message
        case .readOnly(let path): UserError(writing: path, EROFS).message
        case .noPermission(let path): UserError(writing: path, EACCES).message
        default: description
        }
    }

    /// Whether the cause may pass without a change of the configuration, so that a new attempt can succeed.
    package var isPassing: Bool {
        switch self {
        case .diskFull, .diskFails, .readOnly, .busy, .notReplaced, .exhausted: true
        case .inUse, .missing, .noPermission, .notAHistory, .damaged, .otherVersion, .outdated, .failed: false
        }
    }

    /// Whether the same connection works again after the cause has passed.
    var leavesConnectionGood: Bool {
        switch self {
        case .diskFull, .busy: true
        default: false
        }
    }

    /// Converts an error of the database at `path`.
    init(_ error: any Error, path: String) {
        if let error = error as? HistoryError {
            self = error
            return
        }
        guard let error = error as? DatabaseError else {
            self = .failed(path: path, reason: "\(error)")
            return
        }
        switch error.extendedResultCode.primaryResultCode {
        case .SQLITE_FULL: self = .diskFull(path: path)
        case .SQLITE_IOERR: self = .diskFails(path: path)
        case .SQLITE_READONLY: self = Self.isForbidden(path) ? .noPermission(path: path) : .readOnly(path: path)
        case .SQLITE_PERM, .SQLITE_AUTH: self = .noPermission(path: path)
        case .SQLITE_CANTOPEN where access(path, F_OK) != 0: self = .missing(path: path)
        case .SQLITE_CANTOPEN: self = Self.whyNotOpened(path)
        case .SQLITE_NOTADB: self = .notAHistory(path: path)
        case .SQLITE_CORRUPT: self = .damaged(path: path)
        case .SQLITE_NOMEM: self = .exhausted(path: path)
        case .SQLITE_BUSY, .SQLITE_LOCKED: self = .busy(path: path)
        default: self = .failed(path: path, reason: error.message ?? "\(error.extendedResultCode)")
        }
    }

    /// Whether this user may not write the file, on a file system that can be written.
    private static func isForbidden(_ path: String) -> Bool { access(path, W_OK) != 0 && errno == EACCES }

    /// As many as SQLite needs for a database, its log, the log's index, and their folder.
    private static let descriptors = 6

    /// Returns the reason why the log of an existing file can't be opened or created.
    private static func whyNotOpened(_ path: String) -> HistoryError {
        if access(path, W_OK) != 0, errno == EROFS { return .readOnly(path: path) }
        // Another file: closing this one would end the locks of other connections.
        let others = (0..<descriptors).map { _ in open("/dev/null", O_RDONLY | O_CLOEXEC) }
        for other in others where other >= 0 { close(other) }
        guard others.allSatisfy({ $0 >= 0 }) else { return .exhausted(path: path) }
        guard let space = FileSystemSpace(of: path) else { return .noPermission(path: path) }
        return space.free == 0 || !space.takesFiles ? .diskFull(path: path) : .noPermission(path: path)
    }

    /// Converts a system call's error for the file at `path`.
    init(system code: Int32, path: String) {
        switch code {
        case EACCES, EPERM: self = .noPermission(path: path)
        case EIO: self = .diskFails(path: path)
        case EROFS: self = .readOnly(path: path)
        case ENOSPC, EDQUOT: self = .diskFull(path: path)
        case EMFILE, ENFILE, ENOMEM: self = .exhausted(path: path)
        default: self = .failed(path: path, reason: SystemError.words(for: code))
        }
    }
}
