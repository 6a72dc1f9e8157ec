import BlekeepRecords
import Glibc

/// A file that whole lines are appended to. When it is full, it is renamed to PATH.1, PATH.1 to PATH.2 and so on; the
/// last one is replaced.
final class RotatedFile {
    let path: String
    private let limit: Int64
    private let keep: Int
    private var descriptor: Int32 = -1
    private var size: Int64 = 0

    /// The bytes at the end of the file to search for the last whole line; longer than any line.
    private static let tail: Int64 = 1 << 20

    init(_ path: String, size: Int64, keep: Int) {
        self.path = path
        limit = size
        self.keep = keep
    }

    deinit { close() }

    /// Opens the file, makes it if there is none, and cuts a line that a crash has torn.
    ///
    /// - Parameter isOurs: returns whether blekeep wrote a line. A file without such lines isn't changed.
    /// - Returns: the last such line, or that of the older file when this one has none; `nil` without any.
    func open(isOurs: (ArraySlice<UInt8>) -> Bool) throws -> ArraySlice<UInt8>? {
        close()
        let flags = O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC | O_NOCTTY | O_NONBLOCK
        descriptor = Glibc.open(path, flags, 0o640)
        guard descriptor >= 0 else { throw UserError(writing: path, errno) }
        do {
            var status = stat()
            guard fstat(descriptor, &status) == 0 else { throw UserError(writing: path, errno) }
            guard status.st_mode & S_IFMT == S_IFREG else { throw UserError(writing: path, "it isn't a plain file") }
            guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
                throw UserError(writing: path, "another program is writing it")
            }
            size = Int64(status.st_size)
            if size > 0 { return try lastLine(isOurs) }
        } catch {
            close()
            throw error
        }
        let before = Glibc.open("\(path).1", O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK)
        guard before >= 0 else { return nil }
        defer { Glibc.close(before) }
        return Self.lines(of: before).last(where: isOurs)
    }

    private func lastLine(_ isOurs: (ArraySlice<UInt8>) -> Bool) throws -> ArraySlice<UInt8>? {
        let bytes = Self.end(of: descriptor)
        let lines = Self.lines(in: bytes)
        let last = lines.last(where: isOurs)
        // A power cut may leave zeros, and a crash may leave the beginning of a line.
        let isTorn = bytes.starts(with: Array("{\"".utf8).prefix(bytes.count)) || bytes.allSatisfy { $0 == 0 }
        guard last != nil || lines.isEmpty && isTorn && size <= Self.tail else {
            throw UserError(writing: path, "it holds something else than readings; name another file")
        }
        var end = size
        if let lastEnd = lines.last?.endIndex {
            let zeros = lines.reversed().prefix { $0.contains(0) }
            let whole = zeros.last.map(\.startIndex) ?? lastEnd + 1
            end -= Int64(bytes.endIndex - whole)
        } else {
            end = 0
        }
        if end < size {
            guard ftruncate(descriptor, off_t(end)) == 0 else { throw UserError(writing: path, errno) }
            size = end
        }
        return last
    }

    private static func lines(of descriptor: Int32) -> [ArraySlice<UInt8>] { lines(in: end(of: descriptor)) }

    /// Returns the whole lines, without text after the last line feed.
    private static func lines(in bytes: [UInt8]) -> [ArraySlice<UInt8>] {
        bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).dropLast()
    }

    private static func end(of descriptor: Int32) -> [UInt8] {
        let size = Int64(lseek(descriptor, 0, SEEK_END))
        let start = max(0, size - tail)
        var bytes = [UInt8](repeating: 0, count: Int(max(0, size - start)))
        var done = 0
        while done < bytes.count {
            let count = bytes.withUnsafeMutableBytes { buffer in
                pread(descriptor, buffer.baseAddress.map { $0 + done }, buffer.count - done, off_t(start) + done)
            }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { break }
            done += count
        }
        return Array(bytes.prefix(done))
    }

    /// Opens the file again if another program has moved or removed it.
    func reopenIfMoved(isOurs: (ArraySlice<UInt8>) -> Bool) throws {
        var (there, here) = (stat(), stat())
        let isSame =
            descriptor >= 0 && stat(path, &there) == 0 && fstat(descriptor, &here) == 0
            && there.st_dev == here.st_dev && there.st_ino == here.st_ino
        if !isSame { _ = try open(isOurs: isOurs) }
    }

    func hasRoom(for count: Int) -> Bool { size + Int64(count) <= limit }

    /// Appends whole lines, all or none; a file without room for them is renamed before.
    func append(_ bytes: [UInt8]) throws {
        if size > 0, !hasRoom(for: bytes.count) { try rotate() }
        var done = 0
        while done < bytes.count {
            let count = bytes.withUnsafeBytes { buffer in
                write(descriptor, buffer.baseAddress.map { $0 + done }, buffer.count - done)
            }
            if count > 0 {
                done += count
            } else if errno != EINTR {
                let code = errno
                // Other programs should see only whole lines.
                ftruncate(descriptor, off_t(size))
                throw UserError(writing: path, code)
            }
        }
        size += Int64(done)
    }

    /// Renames the files below the first free number. After a crash between two renames, no file is lost.
    private func rotate() throws {
        let free = (1...keep).first { access("\(path).\($0)", F_OK) != 0 } ?? keep
        for number in stride(from: free, to: 1, by: -1) { try move("\(path).\(number - 1)", to: "\(path).\(number)") }
        try move(path, to: "\(path).1")
        _ = try open { _ in true }
    }

    private func move(_ file: String, to path: String) throws {
        guard rename(file, path) == 0 else { throw UserError(writing: path, errno) }
    }

    /// Closes the file. The next lines open it again.
    func close() {
        if descriptor >= 0 {
            // A child process that just starts has the descriptor for a moment, and would keep the lock.
            flock(descriptor, LOCK_UN)
            Glibc.close(descriptor)
        }
        descriptor = -1
    }
}

extension UserError {
    /// A failure to write the file at `path`.
    init(writing path: String, _ reason: String) {
        self.init("can't write \(Untrusted(path, limit: 300)): \(reason)")
    }

    /// - Parameter code: the system's error number.
    init(writing path: String, _ code: Int32) {
        switch code {
        case ENOSPC: self.init(writing: path, "the disk is full; make room")
        case ENOENT: self.init(writing: path, "there is no such folder; make it")
        default: self.init(writing: path, SystemError.words(for: code))
        }
    }
}
