import Foundation
import GRDBSQLite
import Synchronization

/// Lets SQLite's system calls for the files of a folder fail, as a failing disk does. It uses the hook of SQLite's own
/// tests, `xSetSystemCall`.
final class FailingDisk: Sendable {
    private struct Plan {
        var code: Int32
        var failsReads: Bool
        /// The number of calls that still succeed.
        var left: Int
        /// How many failed.
        var failed = 0
    }

    private static let plans = Mutex<[String: Plan]>([:])
    private let folder: String

    /// - Parameter folder: the folder of the database. Calls fail only after `fail`.
    init(folder: String) {
        _ = Self.isInstalled
        // As the kernel names it.
        self.folder = URL(fileURLWithPath: folder).resolvingSymlinksInPath().path
    }

    deinit { heal() }

    /// After `left` more calls, all writes fail with this error, and on request all reads.
    func fail(_ code: Int32, reads: Bool = false, after left: Int = 0) {
        Self.plans.withLock { $0[folder] = Plan(code: code, failsReads: reads, left: left) }
    }

    /// - Returns: how many calls failed.
    @discardableResult func heal() -> Int { Self.plans.withLock { $0.removeValue(forKey: folder)?.failed ?? 0 } }

    /// Whether this call fails; then `errno` says why.
    fileprivate static func fails(_ descriptor: Int32, isRead: Bool) -> Bool {
        let code: Int32? = plans.withLock { plans in
            guard !plans.isEmpty else { return nil }
            var buffer = [CChar](repeating: 0, count: Int(PATH_MAX))
            let count = readlink("/proc/self/fd/\(descriptor)", &buffer, buffer.count)
            let path = String(decoding: buffer.prefix(max(0, count)).map { UInt8(bitPattern: $0) }, as: UTF8.self)
            guard let folder = plans.keys.first(where: { path.hasPrefix("\($0)/") }), var plan = plans[folder],
                !isRead || plan.failsReads
            else { return nil }
            defer { plans[folder] = plan }
            guard plan.left == 0 else {
                plan.left -= 1
                return nil
            }
            plan.failed += 1
            return plan.code
        }
        if let code { errno = code }
        return code != nil
    }

    private static let isInstalled: Bool = {
        guard let files = sqlite3_vfs_find(nil), let set = files.pointee.xSetSystemCall else { return false }
        typealias Sequential = @convention(c) (Int32, UnsafeMutableRawPointer?, Int) -> Int
        typealias Positioned = @convention(c) (Int32, UnsafeMutableRawPointer?, Int, off_t) -> Int
        typealias Cut = @convention(c) (Int32, off_t) -> Int32
        let reading: Sequential = { FailingDisk.fails($0, isRead: true) ? -1 : Glibc.read($0, $1, $2) }
        let writing: Sequential = { FailingDisk.fails($0, isRead: false) ? -1 : Glibc.write($0, $1, $2) }
        let readingAt: Positioned = { FailingDisk.fails($0, isRead: true) ? -1 : Glibc.pread($0, $1, $2, $3) }
        let writingAt: Positioned = { FailingDisk.fails($0, isRead: false) ? -1 : Glibc.pwrite($0, $1, $2, $3) }
        let cutting: Cut = { FailingDisk.fails($0, isRead: false) ? -1 : Glibc.ftruncate($0, $1) }
        for (name, call) in [
            ("read", unsafeBitCast(reading, to: sqlite3_syscall_ptr.self)),
            ("write", unsafeBitCast(writing, to: sqlite3_syscall_ptr.self)),
            ("pread", unsafeBitCast(readingAt, to: sqlite3_syscall_ptr.self)),
            ("pread64", unsafeBitCast(readingAt, to: sqlite3_syscall_ptr.self)),
            ("pwrite", unsafeBitCast(writingAt, to: sqlite3_syscall_ptr.self)),
            ("pwrite64", unsafeBitCast(writingAt, to: sqlite3_syscall_ptr.self)),
            ("ftruncate", unsafeBitCast(cutting, to: sqlite3_syscall_ptr.self)),
        ] { _ = set(files, name, call) }
        return true
    }()
}
