import BlekeepRecords
import RunLoop

/// Sends readings to an HTTP server in batches, one request at a time.
///
/// Readings that the history can't take yet wait for their numbers.
package final class HTTPSink: Sink, @unchecked Sendable {
    package let name: String
    package let delivery: SinkDelivery
    package let isProvenByConnection = false
    package var onEvent: ((SinkEvent) -> Void)?
    private let format: any RequestFormat
    private let secret: () throws -> String?
    private let loop: RunLoop
    private let resolver: NameResolver
    private let limits: HTTPLimits
    private var client: HTTPClient?
    private var queue: RequestQueue
    /// The lines of the request in progress.
    private var batch: [RequestQueue.Line] = []
    private var isLive = false
    private var bisection = Bisection(count: 0)
    /// How many requests with a part of the batch were sent.
    private var parts = 0
    /// The number of samples of the next batch: fewer after batches of which the server took no line.
    private var samples = Bisection.maxSamples
    /// How often in a row the server failed with new readings, and with the backlog.
    private var faults: [Bool: Int] = [:]
    /// The last line that the server took. If the server takes it again, a refusal is about the readings.
    private var proof: RequestQueue.Line?
    private var credentials: String?
    private var addresses: [String] = []
    private lazy var timer = ClosureTimer { [weak self] in self?.sendNext() }

    /// How often a server fails in a row until a reading is looked for that may be the reason.
    private static let maxFaults = 3
    /// The number of requests for one batch of the backlog before new readings come first.
    private static let maxParts = 64

    /// - Parameter password: reads the password or token. It is called after each failure, because the file may change.
    package convenience init(
        _ influx: InfluxConfiguration, tags: DeviceTags = DeviceTags(), on loop: RunLoop,
        password: @escaping () throws -> String?
    ) {
        self.init(InfluxFormat(influx, tags: tags), on: loop, resolver: NameResolver(on: loop), secret: password)
    }

    package convenience init(
        _ webhook: WebhookConfiguration, tags: DeviceTags = DeviceTags(), on loop: RunLoop,
        token: @escaping () throws -> String?
    ) {
        self.init(WebhookFormat(webhook, tags: tags), on: loop, resolver: NameResolver(on: loop), secret: token)
    }

    init(
        _ format: any RequestFormat, on loop: RunLoop, resolver: NameResolver, limits: HTTPLimits = HTTPLimits(),
        secret: @escaping () throws -> String?
    ) {
        self.format = format
        self.loop = loop
        self.resolver = resolver
        self.limits = limits
        self.secret = secret
        name = format.name
        delivery = .newestFirst(rate: format.server.backlogRate)
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
        (batch, isLive) = queue.nextRequest(at: loop.now)
        parts = 0
        bisection = Bisection(count: batch.count, samples: samples)
        if let lines = bisection.next { send(batch[lines]) { [unowned self] in self.handle($0, bytes: $1) } }
    }

    private func send(
        _ lines: ArraySlice<RequestQueue.Line>, then take: @escaping (_ verdict: HTTPVerdict, _ bytes: Int) -> Void
    ) {
        guard let client else { return }
        var request = format.request(lines, secret: credentials)
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

    private func handle(_ verdict: HTTPVerdict, bytes: Int) {
        parts += 1
        switch verdict {
        case .done:
            proof = bisection.next.map { batch[$0.upperBound - 1] }
            bisection.accepted()
        case .partly(let count, let reason):
            bisection.accepted(refused: min(count, bisection.next?.count ?? 0), reason)
        case .refused(let reason): bisection.refused(reason)
        case .tooLarge:
            queue.shrink(below: bytes)
            bisection.halve("the request of \(bytes) bytes is too large for the server")
        case .kept(let error): return lost(error)
        case .failed(let error):
            if parts == 1 { return failed(error) }
            bisection.refused(error.description)
        }
        goOn()
    }

    private func goOn() {
        if bisection.next == nil { return endBatch() }
        if !isLive, bisection.canPause, parts >= Self.maxParts, queue.isLiveDue(at: loop.now) { return pauseBatch() }
        if let lines = bisection.next { send(batch[lines]) { [unowned self] in self.handle($0, bytes: $1) } }
    }

    /// The server failed with a whole batch. If that happens again and again, and not with what it took before, a reading may
    /// be the reason.
    private func failed(_ error: HTTPError) {
        faults[isLive, default: 0] += 1
        guard faults[isLive, default: 0] >= Self.maxFaults, let proof else { return lost(error) }
        send([proof]) { [unowned self] verdict, _ in
            guard verdict == .done else { return lost(error) }
            bisection.refused(error.description)
            goOn()
        }
    }

    /// Lets new readings come first.
    private func pauseBatch() {
        let rest = bisection.rest.map { batch[$0] }
        queue.putBack(Array(rest.joined()))
        let isLeft = Set(bisection.rest.flatMap(\.self))
        finish(batch.indices.filter { !isLeft.contains($0) }.map { batch[$0] })
    }

    private func endBatch() {
        guard bisection.refused > 0, !bisection.hasAccepted else {
            if bisection.hasAccepted { (samples, faults[isLive]) = (Bisection.maxSamples, nil) }
            return finish(batch)
        }
        // The server takes none of them: is it because of the readings?
        guard let proof else { return lostAll() }
        send([proof]) { [unowned self] verdict, _ in
            switch verdict {
            case .done, .partly:
                samples = max(Bisection.minSamples, samples / 2)
                finish(batch)
            case .kept(let error), .failed(let error): lost(error)
            case .refused, .tooLarge: lostAll()
            }
        }
    }

    /// The server refuses everything, so the fault may not be in the readings.
    private func lostAll() {
        proof = nil
        lost(HTTPError("\(format.server.name) refuses all readings: \(bisection.reason)"))
    }

    /// - Parameter lines: those that the server has, or refuses for good.
    private func finish(_ lines: [RequestQueue.Line]) {
        if bisection.refused > 0 { onEvent?(.refused(bisection.refused, reason: bisection.reason)) }
        batch = []
        for key in queue.finish(lines) { onEvent?(.confirmed(key)) }
        sendNext()
    }
}
