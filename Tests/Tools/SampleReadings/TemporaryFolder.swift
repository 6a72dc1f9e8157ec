import Foundation

/// A folder that is gone when the test is.
package final class TemporaryFolder {
    package let path: String

    /// A folder in memory where it has room for many files, which costs a tenth of the processor time; else `/tmp`.
    package static let cheapPlace: String = {
        var room = statvfs()
        let isRoomy = statvfs("/dev/shm", &room) == 0 && room.f_bavail > (1 << 30) / room.f_bsize
        return isRoomy && access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp"
    }()

    package init(in place: String = "/tmp") throws {
        var template = Array("\(place)/blekeep-test-XXXXXX".utf8CString)
        guard let created = mkdtemp(&template) else { throw SampleError.noFolder(errno: errno) }
        path = String(cString: created)
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    package func write(_ text: String, to name: String) throws {
        try text.write(toFile: file(name), atomically: true, encoding: .utf8)
    }

    package func file(_ name: String) -> String { "\(path)/\(name)" }
}
