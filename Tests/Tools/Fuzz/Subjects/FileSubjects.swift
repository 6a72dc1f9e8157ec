import BlekeepHistory
import Foundation

extension Subject {
    /// The files beside a history that name its writer and its viewers.
    package static let neighbours = Subject(
        name: "files beside a history",
        feed: { dice in
            let path = folderInMemory + "/blekeep-fuzz-\(getpid())"
            defer { for suffix in [".lock", ".watch"] { unlink(path + suffix) } }
            let text = dice.pick(["\(getpid())\n", "1", "-1", "99999999999999999999", "", dice.text()])
            guard write(dice.below(3) == 0 ? dice.bytes(upTo: 200) : Array(text.utf8), to: "\(path).lock"),
                write([], to: "\(path).watch")
            else { return "no files at \(path)" }
            let seconds = dice.pick([
                0, 1, -1, Int.max, Int.min, 1 << 33, time(nil), Int(truncatingIfNeeded: dice.next()),
            ])
            var times = [timespec(tv_sec: seconds, tv_nsec: dice.below(1_000_000_000)), timespec()]
            times[1] = times[0]
            utimensat(AT_FDCWD, "\(path).watch", times, 0)
            _ = HistoryWatch.isFresh(path)
            // No process holds a lock on it, whatever the file contains.
            return HistoryHolder.process(of: path) == nil ? nil : "somebody holds \(text.debugDescription)"
        }, share: 10)

    /// Where files cost no disk anything.
    package static let folderInMemory = access("/dev/shm", W_OK) == 0 ? "/dev/shm" : NSTemporaryDirectory()

    package static func write(_ bytes: [UInt8], to path: String) -> Bool {
        let file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
        guard file >= 0 else { return false }
        defer { close(file) }
        return Glibc.write(file, bytes, bytes.count) == bytes.count
    }
}
