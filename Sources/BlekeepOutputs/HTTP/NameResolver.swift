import Glibc
import RunLoop

/// Finds the addresses of a host's name. Only its short-lived thread waits for the name server.
package final class NameResolver: @unchecked Sendable {
    typealias LookUp = @Sendable (_ host: String) -> Result<[String], ServerError>

    private let loop: RunLoop
    private let lookUp: LookUp
    private let patience: Duration
    private let call = BlockingCall()
    private var done: ((Result<[String], ServerError>) -> Void)?
    private lazy var timer = ClosureTimer { [weak self] in self?.giveUp() }
    private var host = ""

    /// How long a name server may take.
    static let patience: Duration = .seconds(20)
    /// The number of addresses to try.
    static let maxAddresses = 8

    init(
        on loop: RunLoop, patience: Duration = NameResolver.patience,
        lookUp: @escaping LookUp = NameResolver.addresses
    ) {
        self.loop = loop
        self.patience = patience
        self.lookUp = lookUp
    }

    /// Calls `done` later, once, with addresses such as `192.0.2.1` and `2001:db8::1`, or with a failure.
    func resolve(_ host: String, then done: @escaping (Result<[String], ServerError>) -> Void) {
        self.host = host
        self.done = done
        // One thread at a time: another would wait for the same name server.
        guard !call.isRunning else { return loop.soon { self.giveUp() } }
        loop.arm(timer, at: loop.now + patience)
        do {
            try call.start(on: loop) { [lookUp] in
                lookUp(host)
            } then: { [weak self] in
                self?.finish($0)
            }
        } catch {
            loop.soon { self.finish(.failure(ServerError("there is no thread to resolve the name \(host) with"))) }
        }
    }

    /// Ends the wait; `done` isn't called any more.
    func cancel() {
        done = nil
        loop.disarm(timer)
    }

    private func giveUp() { finish(.failure(ServerError("\(host): the name server doesn't respond"))) }

    private func finish(_ result: Result<[String], ServerError>) {
        let done = done
        cancel()
        done?(result)
    }

    /// Whether this is an address, which needs no name server.
    package static func isAddress(_ host: String) -> Bool {
        var bytes = in6_addr()
        return inet_pton(AF_INET, host, &bytes) == 1 || inet_pton(AF_INET6, host, &bytes) == 1
    }

    /// Queries the system's resolver.
    package static func addresses(_ host: String) -> Result<[String], ServerError> {
        var hints = addrinfo()
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        var list: UnsafeMutablePointer<addrinfo>?
        guard getaddrinfo(host, nil, &hints, &list) == 0 else {
            return .failure(
                ServerError("the name \(Untrusted(host)) can't be resolved; check `url` and the name server"))
        }
        defer { freeaddrinfo(list) }
        var addresses: [String] = []
        var entry = list
        while let found = entry?.pointee, addresses.count < maxAddresses {
            var text = [CChar](repeating: 0, count: Int(NI_MAXHOST))
            if getnameinfo(
                found.ai_addr, found.ai_addrlen, &text, socklen_t(text.count), nil, 0, NI_NUMERICHOST) == 0
            {
                addresses.append(String(decoding: text.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self))
            }
            entry = found.ai_next
        }
        return .success(addresses)
    }
}
