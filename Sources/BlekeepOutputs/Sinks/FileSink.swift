import BlekeepRecords
import Glibc

/// Appends every reading to a file as a line of JSON (`JSONLineWriter`). A full file is renamed to PATH.1, PATH.1 to PATH.2
/// and so on; the last one is replaced.
///
/// The last line of the file is the sink's position, even if the history has another one. So no reading is written twice
/// or left out after a crash. Gaps in the readings have separate lines:
/// `{"missing":{"from_seq":17,"to_seq":99}}` and `{"restarted":{"after_seq":99}}`.
package final class FileSink: Sink {
    package let name = "file"
    package let delivery = SinkDelivery.ordered
    private let path: String
    private let limit: Int64
    private let keep: Int
    private let writer: JSONLineWriter
    private var descriptor: Int32 = -1
    private var size: Int64 = 0
    /// The number in the last line that was written.
    private var last: Int64?

    package init(_ configuration: SinkConfiguration.File, tags: DeviceTags = DeviceTags()) {
        (path, limit, keep) = (configuration.path, configuration.size, configuration.keep)
        writer = JSONLineWriter(tags: tags)
    }

    deinit { end() }

    package func position(kept: Int64) throws -> Int64 {
        last = try open() ?? last
        return last ?? kept
    }

    package func send(_ readings: [LiveReading], isLive: Bool, key: Int?) throws {
        var lines: [(bytes: [UInt8], sequence: Int64)] = []
        for reading in readings {
            guard let sequence = reading.sequence else { continue }
            var line: [UInt8] = []
            writer.append(reading, to: &line)
            line.append(UInt8(ascii: "\n"))
            lines.append((line, sequence))
        }
        try write(lines)
    }

    package func send(_ break: LogBreak) throws {
        switch `break` {
        case .missing(let range):
            let text = "{\"missing\":{\"from_seq\":\(range.lowerBound),\"to_seq\":\(range.upperBound)}}\n"
            try write([(Array(text.utf8), range.upperBound)])
        case .restarted(let sequence):
            try write([(Array("{\"restarted\":{\"after_seq\":\(sequence)}}\n".utf8), sequence)])
        }
    }

    /// Writes as many lines at a time as the file has room for.
    private func write(_ lines: [(bytes: [UInt8], sequence: Int64)]) throws {
        try reopenIfMoved()
        var rest = lines[...]
        while !rest.isEmpty {
            var bytes: [UInt8] = []
            var sequence = last
            while let next = rest.first, bytes.isEmpty || hasRoom(for: bytes.count + next.bytes.count) {
                bytes += next.bytes
                sequence = next.sequence
                rest.removeFirst()
            }
            try append(bytes)
            last = sequence
        }
    }

    private func hasRoom(for count: Int) -> Bool { size + Int64(count) <= limit }

    /// Appends whole lines, all or none; a file without room for them is renamed before.
    private func append(_ bytes: [UInt8]) throws {
        if size > 0, !hasRoom(for: bytes.count) { try rotate() }
        if let code = SystemFile.write(bytes, to: descriptor) {
            // Other programs should see only whole lines.
            ftruncate(descriptor, off_t(size))
            throw UserError(writing: path, code)
        }
        size += Int64(bytes.count)
    }

    /// Renames the files below the first free number. After a crash between two renames, no file is lost.
    private func rotate() throws {
        let free = (1...keep).first { access("\(path).\($0)", F_OK) != 0 } ?? keep
        for number in stride(from: free, to: 1, by: -1) { try move("\(path).\(number - 1)", to: "\(path).\(number)") }
        try move(path, to: "\(path).1")
        _ = try open()
    }

    private func move(_ file: String, to path: String) throws {
        guard rename(file, path) == 0 else { throw UserError(writing: path, errno) }
    }

    // MARK: The file

    /// Opens the file, makes it if there is none, and cuts a line that a crash has torn.
    ///
    /// A file without lines of blekeep isn't changed.
    ///
    /// - Returns: the number in the last line, or in that of the older file when this one has none; `nil` without any.
    private func open() throws -> Int64? {
        end()
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
            if size > 0 { return try cut() }
        } catch {
            end()
            throw error
        }
        let before = Glibc.open("\(path).1", O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK)
        guard before >= 0 else { return nil }
        defer { Glibc.close(before) }
        return Self.lastNumber(in: Self.lines(in: Self.tail(of: before)))
    }

    /// Opens the file again if another program has moved or removed it.
    private func reopenIfMoved() throws {
        var (there, here) = (stat(), stat())
        let isSame =
            descriptor >= 0 && stat(path, &there) == 0 && fstat(descriptor, &here) == 0
            && there.st_dev == here.st_dev && there.st_ino == here.st_ino
        if !isSame { _ = try open() }
    }

    /// Closes the file. The next lines open it again.
    package func end() {
        if descriptor >= 0 {
            // A child process that just starts has the descriptor for a moment, and would keep the lock.
            flock(descriptor, LOCK_UN)
            Glibc.close(descriptor)
        }
        descriptor = -1
    }

    // MARK: Lines read back

    /// Cuts what follows the last whole line. Returns the number in that line.
    private func cut() throws -> Int64? {
        let bytes = Self.tail(of: descriptor)
        let lines = Self.lines(in: bytes)
        let last = Self.lastNumber(in: lines)
        // A power cut may leave zeros, and a crash may leave the beginning of a line.
        let isTorn = bytes.starts(with: Array("{\"".utf8).prefix(bytes.count)) || bytes.allSatisfy { $0 == 0 }
        guard last != nil || lines.isEmpty && isTorn && size <= Self.maxTail else {
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

    /// Returns the whole lines, without text after the last line feed.
    private static func lines(in bytes: [UInt8]) -> [ArraySlice<UInt8>] {
        bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).dropLast()
    }

    /// The bytes at the end of the file to search for the last whole line; longer than any line.
    private static let maxTail: Int64 = 1 << 20

    private static func tail(of descriptor: Int32) -> [UInt8] {
        let size = Int64(lseek(descriptor, 0, SEEK_END))
        let start = max(0, size - maxTail)
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

    private static func lastNumber(in lines: [ArraySlice<UInt8>]) -> Int64? {
        lines.reversed().lazy.compactMap { number(in: $0) }.first
    }

    private static let keys = [
        (start: Array(#"{"time":""#.utf8), key: Array(#","seq":"#.utf8)),
        (start: Array(#"{"missing":{"#.utf8), key: Array(#","to_seq":"#.utf8)),
        (start: Array(#"{"restarted":{"#.utf8), key: Array(#""after_seq":"#.utf8)),
    ]

    /// Returns the sequence number in a line; `nil` if it isn't a whole line of this sink.
    static func number(in line: ArraySlice<UInt8>) -> Int64? {
        guard line.last == UInt8(ascii: "}"), !line.contains(0),
            let key = keys.first(where: { line.starts(with: $0.start) })?.key
        else { return nil }
        // It comes before anything that a peripheral chose.
        for index in line.indices.prefix(80) where line[index...].starts(with: key) {
            let digits = line[(index + key.count)...].prefix { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
            return Int64(String(decoding: digits, as: UTF8.self))
        }
        return nil
    }
}
