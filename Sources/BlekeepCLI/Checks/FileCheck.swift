import BlekeepOutputs
import Glibc
import RunLoop

/// The check of `doctor` that this user can write a file, and that its disk has room.
struct FileCheck {
    let name: String
    let path: String
    /// The key of the path in the configuration.
    let key: String
    /// Whether blekeep creates missing folders.
    var createsFolders = false
    /// What takes how much room.
    let growth: String

    func run() -> Finding {
        let folder = createsFolders ? nearestFolder : parent(of: path)
        guard isFolder(folder) else {
            return .fail(
                name, text: "the folder \(Untrusted.whole(folder)) doesn't exist",
                advice: "create it, or change '\(key):' in the configuration")
        }
        if let type = fileType(of: path), type != S_IFREG {
            return .fail(
                name, text: "\(Untrusted.whole(path)) isn't a plain file",
                advice: "move it, or change '\(key):' in the configuration"
            )
        }
        guard access(folder, W_OK) == 0, access(path, F_OK) != 0 || access(path, W_OK) == 0 else {
            return .fail(
                name, text: "\(Untrusted.whole(path)) isn't writable",
                advice:
                    "make the folder \(Untrusted.whole(folder)) writable for this user, or change '\(key):' in the configuration"
            )
        }
        return room(in: folder)
    }

    private func room(in folder: String) -> Finding {
        guard let space = FileSystemSpace(of: folder) else { return .ok(name, text: Untrusted.whole(path)) }
        return finding(free: space.free >> 20)
    }

    func finding(free megabytes: UInt64) -> Finding {
        let text = "\(Untrusted.whole(path)), \(megabytes) MiB free"
        return switch megabytes {
        case 0: .fail(name, text: "\(Untrusted.whole(path)): the disk is full", advice: "make room")
        case ..<100: .warn(name, text: text, advice: "make room: \(growth)")
        default: .ok(name, text: text)
        }
    }

    private func parent(of path: String) -> String {
        let folder = String(path[..<(path.lastIndex(of: "/") ?? path.startIndex)])
        return folder.isEmpty ? "/" : folder
    }

    private var nearestFolder: String {
        var folder = parent(of: path)
        while folder != "/", access(folder, F_OK) != 0 { folder = parent(of: folder) }
        return folder
    }

    private func isFolder(_ path: String) -> Bool { fileType(of: path) == S_IFDIR }

    private func fileType(of path: String) -> mode_t? {
        var status = stat()
        return stat(path, &status) == 0 ? status.st_mode & S_IFMT : nil
    }
}
