import Blekeep
import RunLoop

/// Sends readings to an HTTP server in batches, one request at a time.
///
/// Readings that the history can't take yet wait for their numbers.
package final class HTTPSink: RemoteSink, @unchecked Sendable {
    package let name: String
    package let backlogRate: Int
    package let isProvenByConnection = false
    package var onEvent: ((RemoteSinkEvent) -> Void)?
    private let format: any RequestFormat
    private let secret: () throws -> String?
    private let loop: RunLoop
    private let resolver: NameResolver
    private let limits: HTTPLimits
    private var client: HTTPClient?
    private var queue: RequestQueue
    /// The lines of the request in progress.
    private var batch: [RequestQueue.Line] = []
    private var bisection = Bisection(count: 0)
    private var credentials: String?
    private var addresses: [String] = []
    /// Whether the server has taken a reading since the start.
    private var hasAccepted = false
    private lazy var timer = ClosureTimer { [unowned self] in self.sendNext() }

    /// - Parameter password: reads the password or token. It is called after each failure, because the file may change.
    package convenience init(
        _ influx: InfluxConfiguration, tags: DeviceTags = DeviceTags(), on loop: RunLoop,
        password: @escaping () throws -> String?
    ) {
        self.init(InfluxFormat(influx, tags: tags), on: loop, NameResolver(on: loop), secret: password)
    }

    package convenience init(
        _ webhook: WebhookConfiguration, tags: DeviceTags = DeviceTags(), on loop: RunLoop,
        token: @escaping () throws -> String?
    ) {
        self.init(WebhookFormat(webhook, tags: tags), on: loop, NameResolver(on: loop), secret: token)
    }

    init(
        _ format: any RequestFormat, on loop: RunLoop, _ resolver: NameResolver, limits: HTTPLimits = HTTPLimits(),
        secret: @escaping () throws -> String?
    ) {
        self.format = format
        self.loop = loop
        self.resolver = resolver
        self.limits = limits
        self.secret = secret
        name = format.name
        backlogRate = format.server.backlogRate
        queue = RequestQueue(age: format.server.batchAge)
    }

    // MARK: The server

    package func connect() {
        do {
            credentials = try secret()
            guard credentials?.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F }) != false else {
                throw HTTPError("the password or token has control characters; check its file")
            }
            if client == nil { client = try HTTPClient(format.server, on: loop, limits: limits) }
        } catch { return loop.soon { self.lost(error) } }
        let host = format.server.host
        guard !NameResolver.isAddress(host) else { return loop.soon { self.onEvent?(.connected) } }
        resolver.resolve(host) { [unowned self] result in
            switch result {
            case .success(let addresses):
                self.addresses = addresses
                onEvent?(.connected)
            case .failure(let error): lost(error)
            }
        }
    }

    /// All readings without a confirmation go back to the history.
    private func lost(_ error: any Error) {
        queue.removeAll()
        batch = []
        bisection = Bisection(count: 0)
        loop.disarm(timer)
        client?.close()
        onEvent?(.lost(error))
    }

    package func note(_ device: BluetoothAddress, isAvailable: Bool) {}

    package func hurry() {
        queue.hurry()
        sendNext()
    }

    package func end() {
        loop.disarm(timer)
        resolver.cancel()
        client?.close()
        client = nil
    }

    // MARK: Readings

    package func send(_ readings: [LiveReading], isLive: Bool, key: Int?) {
        guard let key else { return }
        queue.add(readings.map(format.line), key: key, isLive: isLive, at: loop.now)
        sendNext()
    }

    /// Sends the next request when it is due and no other one is in progress.
    private func sendNext() {
        guard batch.isEmpty, let due = queue.due else { return }
        guard loop.now >= due else { return loop.arm(timer, at: due) }
        loop.disarm(timer)
        batch = queue.takeRequest()
        bisection = Bisection(count: batch.count)
        sendPart()
    }

    /// Sends the next part of the batch.
    private func sendPart() {
        guard let client, let lines = bisection.next else { return }
        var request = format.request(batch[lines], secret: credentials)
        let bytes = request.body.count
        if format.isCompressed, let compressed = Gzip.compress(request.body) {
            request.body = compressed
            request.headers.append("Content-Encoding: gzip")
        }
        client.send(request, addresses: addresses) { [unowned self] result in
            switch result {
            case .success(let answer): take(format.verdict(answer), bytes)
            case .failure(let error): lost(error)
            }
        }
    }

    private func take(_ verdict: HTTPVerdict, _ bytes: Int) {
        switch verdict {
        case .done:
            bisection.accepted()
            hasAccepted = true
        case .refused(let reason): bisection.refused(reason)
        case .tooLarge:
            queue.shrink(below: bytes)
            bisection.refused("the request of \(bytes) bytes is too large for the server")
        case .kept(let error): return lost(error)
        }
        if !hasAccepted, bisection.isHopeless { return lostAll() }
        if bisection.next == nil { endBatch() } else { sendPart() }
    }

    /// The server refuses everything, so the fault may not be in the readings.
    private func lostAll() { lost(HTTPError("\(format.server.name) refuses all readings: \(bisection.reason)")) }

    private func endBatch() {
        if !bisection.refused.isEmpty {
            guard hasAccepted else { return lostAll() }
            onEvent?(.refused(bisection.refused.count, reason: bisection.reason))
        }
        let lines = batch
        batch = []
        for key in queue.finish(lines) { onEvent?(.confirmed(key)) }
        sendNext()
    }
}
