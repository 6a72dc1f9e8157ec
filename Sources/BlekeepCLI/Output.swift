import BlekeepOutputs
import Glibc

/// Where a command's data goes.
protocol Output: AnyObject, Sendable {
    /// - Throws: `SinkClosed` when nobody reads any more, or `SinkFailure`.
    func write(_ text: String) throws
}

extension Output {
    func line(_ text: String) throws { try write(text + "\n") }
}

/// Standard output.
final class StandardOutput: Output {
    init() { signal(SIGPIPE, SIG_IGN) }

    func write(_ text: String) throws {
        let octets = Array(text.utf8)
        var written = 0
        while written < octets.count {
            let count = octets.withUnsafeBytes { buffer in
                Glibc.write(STDOUT_FILENO, buffer.baseAddress.map { $0 + written }, buffer.count - written)
            }
            if count > 0 {
                written += count
            } else if errno == EPIPE {
                throw SinkClosed()
            } else if errno == EAGAIN {
                var entry = pollfd(fd: STDOUT_FILENO, events: Int16(POLLOUT), revents: 0)
                guard poll(&entry, 1, 5000) > 0 else { throw SinkFailure(code: ETIMEDOUT) }
            } else if errno != EINTR {
                throw SinkFailure(code: errno)
            }
        }
    }
}
