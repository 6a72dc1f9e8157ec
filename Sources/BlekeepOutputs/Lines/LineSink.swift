import Blekeep
import Glibc

/// Writes readings as lines to a file descriptor, a batch with one write(2) where the system takes it whole.
///
/// A closed pipe raises SIGPIPE, whose default is to kill the process without a word: making a sink sets the
/// process to ignore it. The descriptor stays the caller's; it is not closed.
public final class LineSink: Sink {
    private let descriptor: Int32
    private let writer: any LineWriter
    private let patience: Duration
    private var headerIsDue: Bool
    /// The rest of a line that was cut by an error: it goes before anything else.
    private var rest: [UInt8] = []

    /// - Parameters:
    ///   - descriptor: open for writing; blocking or not.
    ///   - header: whether the format's header goes before the first reading.
    ///   - patience: how long to wait for a reader that takes nothing, where the descriptor does not block.
    public init(descriptor: Int32, writer: any LineWriter, header: Bool = true, patience: Duration = .seconds(5)) {
        self.descriptor = descriptor
        self.writer = writer
        self.patience = patience
        headerIsDue = header
        signal(SIGPIPE, SIG_IGN)
    }

    /// Writes one line for each reading, or throws.
    ///
    /// - Throws: `SinkClosed` when nobody reads any more, `SinkFailure` for everything else. Some of the lines may
    ///   have been written then; the next call first finishes the one that was cut.
    public func publish(_ readings: [StoredReading]) throws {
        var bytes = rest
        if headerIsDue, let header = writer.header {
            bytes.append(text: header)
            bytes.append(UInt8(ascii: "\n"))
        }
        for reading in readings {
            writer.append(reading, to: &bytes)
            bytes.append(UInt8(ascii: "\n"))
        }
        var written = 0
        defer {
            if written > 0 { headerIsDue = false }
            rest = Self.remainder(of: bytes, after: written, previous: rest)
        }
        try bytes.withUnsafeBytes { buffer in
            while written < buffer.count {
                written += try write(UnsafeRawBufferPointer(rebasing: buffer[written...]))
            }
        }
    }

    /// What is left of the line in whose middle `written` octets end.
    private static func remainder(of bytes: [UInt8], after written: Int, previous: [UInt8]) -> [UInt8] {
        if written < previous.count { return Array(previous[written...]) }
        guard written > 0, written < bytes.count, bytes[written - 1] != UInt8(ascii: "\n") else { return [] }
        let end = bytes[written...].firstIndex(of: UInt8(ascii: "\n")) ?? bytes.endIndex - 1
        return Array(bytes[written...end])
    }

    /// One write(2), after waiting for room where that is needed.
    private func write(_ buffer: UnsafeRawBufferPointer) throws -> Int {
        while true {
            let count = Glibc.write(descriptor, buffer.baseAddress, buffer.count)
            if count > 0 { return count }
            switch count == 0 ? EAGAIN : errno {
            case EINTR: continue
            case EAGAIN: try waitForRoom()
            case EPIPE: throw SinkClosed()
            case let code: throw SinkFailure(code: code)
            }
        }
    }

    private func waitForRoom() throws {
        let (seconds, attoseconds) = min(max(patience, .zero), .seconds(3600)).components
        let milliseconds = Int32(seconds * 1000 + attoseconds / 1_000_000_000_000_000)
        var entry = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        let ready = poll(&entry, 1, milliseconds)
        if ready == 0 { throw SinkFailure(code: ETIMEDOUT) }
        if ready < 0, errno != EINTR { throw SinkFailure(code: errno) }
        if entry.revents & Int16(POLLERR | POLLNVAL) != 0, entry.revents & Int16(POLLOUT) == 0 { throw SinkClosed() }
    }
}
