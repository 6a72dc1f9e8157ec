import Glibc

/// A Unix datagram socket of another process, which this process only sends to, and never waits for.
package struct DatagramSocket: Sendable {
    private let descriptor: Int32
    private let name: [UInt8]

    /// - Parameter name: a path, or `@` and a name in the abstract name space.
    /// - Returns: `nil` for a name that is none, or too long.
    package init?(_ name: String) {
        guard name.hasPrefix("/") || name.hasPrefix("@"),
            name.utf8.count < MemoryLayout.size(ofValue: sockaddr_un().sun_path)
        else { return nil }
        // A name in the abstract name space begins with a zero.
        self.name = name.hasPrefix("@") ? [0] + name.utf8.dropFirst() : Array(name.utf8)
        let type = Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue) | Int32(SOCK_NONBLOCK.rawValue)
        descriptor = socket(AF_UNIX, type, 0)
        guard descriptor >= 0 else { return nil }
    }

    /// - Returns: whether the other process's queue has the message.
    @discardableResult
    package func send(_ message: [UInt8]) -> Bool {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: name) }
        let length = socklen_t(MemoryLayout<sa_family_t>.size + name.count)
        let sent = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                sendto(descriptor, message, message.count, Int32(MSG_NOSIGNAL), $0, length)
            }
        }
        return sent == message.count
    }
}
