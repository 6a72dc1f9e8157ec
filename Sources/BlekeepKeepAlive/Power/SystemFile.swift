internal import Glibc

/// Files by the system's calls, which a signal may interrupt: small ones to read, folders, and all bytes or none to write.
package enum SystemFile {
    /// Returns the first line; `nil` when it isn't readable.
    package static func line(of path: String) -> String? {
        guard let bytes = bytes(of: path, atMost: 256), !bytes.isEmpty else { return nil }
        return String(decoding: bytes.prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self)
    }

    /// Returns the first bytes; `nil` when it isn't readable. It doesn't wait for the other end of a pipe.
    package static func bytes(of path: String, atMost limit: Int) -> [UInt8]? {
        let file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
        guard file >= 0 else { return nil }
        defer { close(file) }
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: min(limit, 1 << 16))
        while bytes.count < limit {
            let count = read(file, &buffer, min(buffer.count, limit - bytes.count))
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { return nil }
            guard count > 0 else { break }
            bytes += buffer.prefix(count)
        }
        return bytes
    }

    /// Returns the names in a folder, sorted by their bytes; `nil` when it isn't readable, for which `errno` has the reason.
    package static func names(in folder: String) -> [String]? {
        guard let directory = opendir(folder) else { return nil }
        defer { closedir(directory) }
        var names: [String] = []
        while let entry = readdir(directory) {
            let name = withUnsafeBytes(of: entry.pointee.d_name) { bytes in
                String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
            }
            if name != ".", name != ".." { names.append(name) }
        }
        return names.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
    }

    /// Writes all bytes. Returns the system's error, after which a part may be written; `nil` for none.
    package static func write(_ bytes: [UInt8], to descriptor: Int32) -> Int32? {
        var done = 0
        while done < bytes.count {
            let count = bytes.withUnsafeBytes { buffer in
                Glibc.write(descriptor, buffer.baseAddress.map { $0 + done }, buffer.count - done)
            }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return errno }
            done += count
        }
        return nil
    }
}
