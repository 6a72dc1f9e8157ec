import BusBench
import Glibc
import RunLoop

/// An HTTP server on the loopback interface and on the loop, which answers as a test wants it.
final class StubServer {
    struct Request {
        let head: String
        let body: [UInt8]

        var text: String { String(decoding: body, as: UTF8.self) }
    }

    enum Answer {
        case status(Int, headers: [String] = [], body: String = "")
        /// No answer, ever.
        case none
        /// The end of the connection, after these bytes.
        case end(after: String)
    }

    private(set) var port = 0
    private(set) var requests: [Request] = []
    private let loop: RunLoop
    private let listener: Int32
    private var watches: [Watch] = []
    private let answer: (Request) -> Answer

    init(on loop: RunLoop, _ answer: @escaping (Request) -> Answer) throws {
        self.loop = loop
        self.answer = answer
        listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isBound = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(listener, $0, length) == 0 && getsockname(listener, $0, &length) == 0
            }
        }
        guard isBound, listen(listener, 16) == 0 else { throw PrivateBusError("no free port (errno \(errno))") }
        port = Int(UInt16(bigEndian: address.sin_port))
        watches.append(loop.watch(listener, for: Int16(POLLIN)) { [unowned self] _ in self.accept() })
    }

    deinit {
        for watch in watches {
            loop.unwatch(watch)
            close(watch.descriptor)
        }
    }

    private func accept() {
        let client = Glibc.accept(listener, nil, nil)
        guard client >= 0, fcntl(client, F_SETFD, FD_CLOEXEC) == 0, fcntl(client, F_SETFL, O_NONBLOCK) == 0 else {
            return
        }
        var bytes: [UInt8] = []
        watches.append(
            loop.watch(client, for: Int16(POLLIN)) { [unowned self] _ in
                var buffer = [UInt8](repeating: 0, count: 65_536)
                let count = read(client, &buffer, buffer.count)
                guard count > 0 else { return self.drop(client) }
                bytes += buffer.prefix(count)
                guard let request = Self.request(bytes) else { return }
                bytes = []
                self.requests.append(request)
                self.send(self.answer(request), to: client)
            })
    }

    private func drop(_ client: Int32) {
        guard let place = watches.firstIndex(where: { $0.descriptor == client }) else { return }
        loop.unwatch(watches.remove(at: place))
        close(client)
    }

    /// `nil` before it is there as a whole.
    private static func request(_ bytes: [UInt8]) -> Request? {
        guard let end = bytes.firstRange(of: Array("\r\n\r\n".utf8)) else { return nil }
        let head = String(decoding: bytes[..<end.lowerBound], as: UTF8.self)
        let length = head.split(separator: "\r\n").first { $0.lowercased().hasPrefix("content-length: ") }
        let count = length.flatMap { Int($0.dropFirst(16)) } ?? 0
        let body = bytes[end.upperBound...]
        return body.count < count ? nil : Request(head: head, body: Array(body))
    }

    private func send(_ answer: Answer, to client: Int32) {
        switch answer {
        case .none: break
        case .end(let text):
            write(text, to: client)
            drop(client)
        case .status(let status, let headers, let body):
            let head = ["HTTP/1.1 \(status) X", "Content-Length: \(body.utf8.count)"] + headers
            write((head + ["", body]).joined(separator: "\r\n"), to: client)
        }
    }

    /// As much as the socket takes at once.
    private func write(_ text: String, to client: Int32) {
        let bytes = Array(text.utf8)
        _ = Glibc.send(client, bytes, bytes.count, Int32(MSG_NOSIGNAL))
    }
}
