import RunLoop

/// Sends an HTTP server a request without readings, with the gateway's settings.
package final class HTTPCheck: SinkCheck, @unchecked Sendable {
    package let name: String
    private let format: any RequestFormat
    private let secret: () throws -> String?
    private let loop: RunLoop
    private let resolver: NameResolver
    private var client: HTTPClient?

    package init(_ format: any RequestFormat, on loop: RunLoop, secret: @escaping () throws -> String?) {
        self.format = format
        self.loop = loop
        self.secret = secret
        name = format.name
        resolver = NameResolver(on: loop)
    }

    package func start(_ done: @escaping (Result<String, any Error>) -> Void) {
        do {
            let (secret, client) = (try secret(), try HTTPClient(format.server, on: loop))
            self.client = client
            let request = format.request([], secret: secret)
            guard !NameResolver.isAddress(format.server.host) else {
                return send(request, to: [], with: client, done: done)
            }
            resolver.resolve(format.server.host) { [unowned self] result in
                switch result {
                case .success(let addresses): send(request, to: addresses, with: client, done: done)
                case .failure(let error): done(.failure(error))
                }
            }
        } catch { loop.soon { done(.failure(error)) } }
    }

    private func send(
        _ request: HTTPRequest, to addresses: [String], with client: HTTPClient,
        done: @escaping (Result<String, any Error>) -> Void
    ) {
        client.send(request, addresses: addresses) { [format] result in
            done(
                result.mapError { $0 }.flatMap { answer in
                    switch format.verdict(answer) {
                    case .kept(let error), .failed(let error): .failure(error)
                    // A server may refuse an empty request, but only after it let the client in.
                    case .done, .partly, .refused, .tooLarge: .success("\(format.server.name) takes requests")
                    }
                })
        }
    }

    package func end() {
        resolver.cancel()
        client?.close()
        client = nil
    }
}
