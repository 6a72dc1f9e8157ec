import Glibc
import Testing

/// A server on the loopback interface that takes connections and never answers.
final class SilentTCPServer: @unchecked Sendable {
    let port: Int
    private let listener: Int32
    private var client: Int32 = -1

    init() throws {
        let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        self.listener = listener
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isBound = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(listener, $0, length) == 0 && getsockname(listener, $0, &length) == 0
            }
        }
        port = Int(UInt16(bigEndian: address.sin_port))
        try #require(isBound && listen(listener, 16) == 0)
    }

    deinit {
        close(listener)
        if client >= 0 { close(client) }
    }

    /// Whether a client has sent something.
    var hasRequest: Bool {
        if client < 0, Self.isReadable(listener) { client = accept(listener, nil, nil) }
        return client >= 0 && Self.isReadable(client)
    }

    private static func isReadable(_ descriptor: Int32) -> Bool {
        var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        return poll(&entry, 1, 0) == 1
    }
}
