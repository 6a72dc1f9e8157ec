import BlekeepOutputs
import BlekeepRecords
import Glibc

/// Finds the process that appends to a history. It doesn't try the lock, because holding it even briefly could stop a
/// poller from starting.
package enum HistoryHolder {
    /// The process that appends to the history at `path`; `nil` when none does.
    package static func process(of path: String) -> Int32? {
        let lock = HistoryFile.followed(path) + ".lock"
        var file = stat()
        guard lstat(lock, &file) == 0, file.st_mode & S_IFMT == S_IFREG else { return nil }
        let written = text(of: lock, atMost: 16).flatMap { Int32($0.prefix { $0 > " " }) }
        if let locks = text(of: "/proc/locks", atMost: 1 << 20) {
            return holder(in: locks, inode: UInt64(file.st_ino), device: UInt64(file.st_dev), written: written)
        }
        guard let written, written > 0, kill(written, 0) == 0 || errno == EPERM else { return nil }
        return written
    }

    /// The process of the poller whose status the ledger has; `nil` when it doesn't run. A run of some ticks isn't that
    /// poller, unless the ledger's status is of such a run.
    package static func poller(of path: String, _ status: GatewayStatus?) -> Int32? {
        guard let pid = process(of: path) else { return nil }
        return status?.isOneOff == false && isOneOff(of: path) ? nil : pid
    }

    /// Whether the process that appends to the history, if there is one, ends by itself after some ticks.
    package static func isOneOff(of path: String) -> Bool {
        let text = text(of: HistoryFile.followed(path) + ".lock", atMost: 16)
        return text?.prefix { $0 != "\n" }.hasSuffix(HistoryLock.oneOffMark) ?? false
    }

    /// The program that reads the database at `file` now, such as `sqlite3 (process 4242)`; `nil` when none can be named.
    static func reader(of file: String) -> String? {
        var index = stat()
        guard lstat("\(file)-shm", &index) == 0, let locks = text(of: "/proc/locks", atMost: 1 << 20),
            let pid = reader(in: locks, inode: UInt64(index.st_ino), besides: getpid())
        else { return nil }
        let name = text(of: "/proc/\(pid)/comm", atMost: 64)?.split(separator: "\n").first.map(String.init)
        return "\(Untrusted(name ?? "a program")) (process \(pid))"
    }

    /// The holder of one of SQLite's read locks on the log's index, as `/proc/locks` lists it.
    static func reader(in locks: String, inode: UInt64, besides own: Int32) -> Int32? {
        for line in locks.split(separator: "\n") {
            let words = line.split(separator: " ")
            guard words.count >= 8, words[1] == "POSIX", let pid = Int32(words[4]), pid != own, pid > 0,
                words[5].split(separator: ":").last.flatMap({ UInt64($0) }) == inode,
                let first = Int(words[6]), (123...127).contains(first)
            else { continue }
            return pid
        }
        return nil
    }

    /// The holder of an flock(2) as `/proc/locks` lists it: `1: FLOCK  ADVISORY  WRITE 4242 fe:01:1234 0 EOF`.
    ///
    /// Some file systems have other device numbers there. Then the process must be the one in the lock file.
    static func holder(in locks: String, inode: UInt64, device: UInt64, written: Int32?) -> Int32? {
        let major = device >> 8 & 0xFFF | device >> 32 & 0xFFFF_F000
        let minor = device & 0xFF | device >> 12 & 0xFFF_FF00
        for line in locks.split(separator: "\n") {
            let words = line.split(separator: " ")
            guard words.count >= 6, words[1] == "FLOCK", words[3] == "WRITE", let pid = Int32(words[4]) else {
                continue
            }
            let place = words[5].split(separator: ":")
            guard place.count == 3, UInt64(place[2]) == inode else { continue }
            let isSameDevice = UInt64(place[0], radix: 16) == major && UInt64(place[1], radix: 16) == minor
            if isSameDevice || pid == written { return pid }
        }
        return nil
    }

    private static func text(of path: String, atMost limit: Int) -> String? {
        SystemFile.bytes(of: path, atMost: limit).map { String(decoding: $0, as: UTF8.self) }
    }
}
