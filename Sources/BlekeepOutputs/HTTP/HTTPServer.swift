import BlekeepRecords
import RunLoop

/// An HTTP server that takes readings: a batch is a request.
final class HTTPServer: BatchServer, @unchecked Sendable {
    private let format: any RequestFormat
    private let secret: () throws -> String?
    private let loop: RunLoop
    private let resolver: NameResolver
    private let limits: HTTPLimits
    private var client: HTTPClient?
    private var credentials: String?
    private var addresses: [String] = []

    /// - Parameter secret: reads the password or token. It is called after each failure, because the file may change.
    init(
        _ format: any RequestFormat, on loop: RunLoop, resolver: NameResolver? = nil, limits: HTTPLimits = HTTPLimits(),
        secret: @escaping () throws -> String?
    ) {
        self.format = format
        self.loop = loop
        self.resolver = resolver ?? NameResolver(on: loop)
        self.limits = limits
        self.secret = secret
    }

    var name: String { format.name }
    var place: String { format.server.name }
    var batchAge: Duration { format.server.batchAge }
    var backlogRate: Int { format.server.backlogRate }

    func connect(_ done: @escaping (Result<[Range<Int64>], any Error>) -> Void) {
        do {
            credentials = try secret()
            guard credentials?.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F }) != false else {
                throw ServerError("the password or token has control characters; check its file")
            }
            if client == nil { client = try HTTPClient(format.server, on: loop, limits: limits) }
        } catch { return loop.soon { done(.failure(error)) } }
        let host = format.server.host
        guard !NameResolver.isAddress(host) else { return loop.soon { done(.success([])) } }
        resolver.resolve(host) { [unowned self] result in
            if case .success(let addresses) = result { self.addresses = addresses }
            done(result.map { _ in [] }.mapError { $0 })
        }
    }

    func line(_ reading: LiveReading) -> [UInt8] {
        var bytes: [UInt8] = []
        format.writer.append(reading, to: &bytes)
        return bytes
    }

    func send(
        _ lines: ArraySlice<BatchQueue.Line>,
        then done: @escaping (Result<(BatchVerdict, bytes: Int), any Error>) -> Void
    ) {
        guard let client else { return }
        var request = format.request(lines, secret: credentials)
        let bytes = request.body.count
        if format.isCompressed, let compressed = Gzip.compress(request.body) {
            request.body = compressed
            request.headers.append("Content-Encoding: gzip")
        }
        client.send(request, addresses: addresses) { [format] result in
            done(result.map { (format.verdict($0), bytes) }.mapError { $0 })
        }
    }

    func close() { client?.close() }

    func end(isHandedOver: Bool) {
        resolver.cancel()
        client?.close()
        client = nil
    }
}

extension BatchSink {
    /// - Parameter secret: reads the password or token.
    package convenience init(_ format: any RequestFormat, on loop: RunLoop, secret: @escaping () throws -> String?) {
        self.init(HTTPServer(format, on: loop, secret: secret), on: loop)
    }
}
