import Foundation

/// A socket such as systemd's and journald's.
final class DatagramReceiver: Sendable {
    let path = NSTemporaryDirectory() + "blekeep-\(UUID().uuidString.prefix(8))"
    private let descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_NONBLOCK.rawValue), 0)

    init() {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
        _ = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
    }

    deinit {
        close(descriptor)
        unlink(path)
    }

    /// The next message that came; `nil` without one.
    func next() -> [UInt8]? {
        var buffer = [UInt8](repeating: 0, count: 100_000)
        let count = recv(descriptor, &buffer, buffer.count, 0)
        return count < 0 ? nil : Array(buffer.prefix(count))
    }

    var nextText: String? { next().map { String(decoding: $0, as: UTF8.self) } }
}
