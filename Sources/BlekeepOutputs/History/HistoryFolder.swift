import Glibc

/// The folders above a history.
enum HistoryFolder {
    /// The path as SQLite takes it for a file: not for a URI, nor for a database in memory.
    static func plain(_ path: String) throws(HistoryError) -> String {
        guard !path.isEmpty, !path.utf8.contains(0) else {
            throw .failed(path: path, reason: "its path is empty or holds a NUL; say the path of a file")
        }
        return path.hasPrefix("/") || path.hasPrefix("./") || path.hasPrefix("../") ? path : "./\(path)"
    }

    /// Makes the folders above `path` that do not exist, for their owner and the group to read (0750).
    static func make(above path: String) throws(HistoryError) {
        var end = path.utf8.startIndex
        while let slash = path.utf8[end...].dropFirst().firstIndex(of: UInt8(ascii: "/")) {
            let folder = String(path[..<slash])
            if mkdir(folder, 0o750) != 0, errno != EEXIST {
                let code = errno
                if access(folder, F_OK) != 0 { throw HistoryError(system: code, path: folder) }
            }
            end = slash
        }
    }
}
