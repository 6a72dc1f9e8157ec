import BlekeepRecords
import Glibc

package enum ConfigurationFile {
    /// The largest size in bytes.
    static let limit = 1 << 20

    /// - Parameter mayWait: whether to read a pipe, too, and wait for what another program writes.
    /// - Throws: a problem when the file can't be read.
    package static func read(_ path: String, mayWait: Bool = true) throws(ConfigurationProblem) -> String {
        let bytes = try bytes(of: path, mayWait: mayWait)
        guard String(validating: bytes, as: UTF8.self) != nil else { throw notUTF8(bytes, path: path) }
        // A byte order mark, as some editors write it, would be part of the first key.
        let start = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
        return String(decoding: bytes[start...], as: UTF8.self)
    }

    /// - Returns: `nil` when there is no such file.
    static func readIfThere(_ path: String) throws(ConfigurationErrors) -> String? {
        if access(path, F_OK) != 0, errno == ENOENT { return nil }
        do { return try read(path, mayWait: false) } catch { throw ConfigurationErrors([error]) }
    }

    private static func bytes(of path: String, mayWait: Bool) throws(ConfigurationProblem) -> [UInt8] {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | (mayWait ? 0 : O_NONBLOCK))
        guard descriptor >= 0 else { throw unreadable(path, code: errno) }
        defer { close(descriptor) }
        var status = stat()
        guard mayWait || fstat(descriptor, &status) == 0 && status.st_mode & S_IFMT != S_IFIFO else {
            throw ConfigurationProblem(
                place: ConfigurationLocation(file: path),
                message: "this is a pipe, which can be read only once; put a file in its place")
        }
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            let count = Glibc.read(descriptor, &buffer, buffer.count)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw unreadable(path, code: errno) }
            guard count > 0 else { return bytes }
            bytes += buffer.prefix(count)
            if bytes.count > limit {
                throw ConfigurationProblem(
                    place: ConfigurationLocation(file: path),
                    message: "the file is larger than 1 MiB, too large for a configuration; check the path")
            }
        }
    }

    private static func unreadable(_ path: String, code: Int32) -> ConfigurationProblem {
        let message =
            switch code {
            case ENOENT: "there is no such file; check the path"
            case EACCES, EPERM: "this user has no permission to read it; change its owner or mode"
            case EISDIR: "this is a folder; name the file in it"
            default: "it can't be read (\(strerror(code).map { String(cString: $0) } ?? "\(code)")); check the path"
            }
        return ConfigurationProblem(
            place: ConfigurationLocation(file: path), message: message,
            isPassing: [EMFILE, ENFILE, ENOMEM, EIO].contains(code))
    }

    private static func notUTF8(_ bytes: [UInt8], path: String) -> ConfigurationProblem {
        // Before the first invalid byte, a replacement character is one that the file itself contains.
        var decoder = UTF8()
        var iterator = bytes.makeIterator()
        var place = ConfigurationLocation(file: path, line: 1, column: 1)
        scan: while true {
            switch decoder.decode(&iterator) {
            case .scalarValue("\n"): (place.line, place.column) = ((place.line ?? 1) + 1, 1)
            case .scalarValue: place.column = (place.column ?? 1) + 1
            case .emptyInput, .error: break scan
            }
        }
        return ConfigurationProblem(place: place, message: "this is not UTF-8 text; save the file as UTF-8")
    }
}

/// A folder with a `config.yaml` and drop-ins in `conf.d`.
struct ConfigurationFolder {
    let path: String

    /// Returns its configuration files, in the order in which blekeep reads them.
    /// Throws problems with unreadable folders, and with files whose names blekeep would ignore.
    func files() throws(ConfigurationErrors) -> [String] {
        var files: [String] = []
        var problems: [ConfigurationProblem] = []
        do {
            for name in try Self.names(in: path) where ["config.yaml", "config.yml"].contains(name) {
                Self.sort("\(path)/\(name)", into: &files, problems: &problems)
            }
            for name in try Self.names(in: "\(path)/conf.d") where !name.hasPrefix(".") {
                Self.sort("\(path)/conf.d/\(name)", into: &files, problems: &problems)
            }
        } catch {
            problems.append(error)
        }
        if !problems.isEmpty { throw ConfigurationErrors(problems) }
        return files
    }

    private static func sort(_ file: String, into files: inout [String], problems: inout [ConfigurationProblem]) {
        if file.hasSuffix(".yaml") {
            files.append(file)
        } else if file.hasSuffix(".yml") {
            problems.append(
                ConfigurationProblem(
                    place: ConfigurationLocation(file: file),
                    message: "blekeep doesn't read files with such a name; rename it to end in .yaml"))
        }
    }

    /// Returns the names in a folder, sorted by bytes; none when it doesn't exist.
    private static func names(in folder: String) throws(ConfigurationProblem) -> [String] {
        guard let names = SystemFile.names(in: folder) else {
            guard errno == EACCES || errno == EPERM else { return [] }
            throw ConfigurationProblem(
                place: ConfigurationLocation(file: folder),
                message: "this user has no permission to read this folder; change its owner or mode")
        }
        return names
    }
}
