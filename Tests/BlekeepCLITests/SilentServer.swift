import Glibc
import Testing

/// A socket at which connections are not accepted.
final class SilentServer {
    let address: String
    private let path: String
    private var sockets: [Int32] = []

    /// - Parameter isFull: whether the next client blocks in connect(2).
    init(isFull: Bool) throws {
        path = "/tmp/blekeep-silent-\(UInt64.random(in: 0 ... .max))"
        address = "unix:path=\(path)"
        let server = makeSocket(isServer: true)
        try #require(listen(server, 0) == 0)
        // One waits although there is room for none.
        if isFull { _ = makeSocket(isServer: false) }
    }

    deinit {
        for socket in sockets { close(socket) }
        unlink(path)
    }

    private func makeSocket(isServer: Bool) -> Int32 {
        let new = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        sockets.append(new)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
        let length = socklen_t(MemoryLayout<sockaddr_un>.size)
        _ = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                isServer ? bind(new, $0, length) : connect(new, $0, length)
            }
        }
        return new
    }
}
