import BlekeepRecords
import RunLoop

/// Sends readings to a server in batches, one at a time.
///
/// Readings that the history can't take yet wait for their numbers.
package final class BatchSink: Sink, @unchecked Sendable {
    package var name: String { server.name }
    package let delivery: SinkDelivery
    package let isProvenByConnection = false
    package var onEvent: ((SinkEvent) -> Void)?
    private let server: any BatchServer
    private let loop: RunLoop
    private var queue: BatchQueue
    /// The lines of the request in progress.
    private var batch: [BatchQueue.Line] = []
    private var isLive = false
    private var bisection = Bisection(count: 0)
    /// How many requests with a part of the batch were sent.
    private var parts = 0
    /// The number of samples of the next batch: fewer after batches of which the server took no line.
    private var samples = Bisection.maxSamples
    /// How often in a row the server failed with new readings, and with the backlog.
    private var faults: [Bool: Int] = [:]
    /// The last line that the server took. If the server takes it again, a refusal is about the readings.
    private var proof: BatchQueue.Line?
    private lazy var timer = ClosureTimer { [weak self] in self?.sendNext() }

    /// How often a server fails in a row until a reading is looked for that may be the reason.
    private static let maxFaults = 3
    /// The number of requests for one batch of the backlog before new readings come first.
    private static let maxParts = 64

    package init(_ server: any BatchServer, on loop: RunLoop) {
        self.server = server
        self.loop = loop
        delivery = .newestFirst(rate: server.backlogRate)
        queue = BatchQueue(age: server.batchAge)
        server.onEnd = { [unowned self] in self.lost($0) }
        server.onDecision = { [unowned self] in self.onEvent?(.decided($0)) }
    }

    // MARK: The server

    package func connect() {
        server.connect { [unowned self] result in
            switch result {
            case .success(let lacks):
                if !lacks.isEmpty { onEvent?(.lacks(lacks)) }
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
        server.close()
        onEvent?(.lost(error))
    }

    package func note(_ changes: LedgerChanges, _ heartbeat: Heartbeat?) { server.note(changes, heartbeat) }

    package func note(_ device: DeviceID, rssi: Int) { server.note(device, rssi: rssi) }

    package var failure: String? { server.failure }

    package func hurry() {
        queue.hurry()
        sendNext()
    }

    package var role: String { server.role }

    package func end() {
        loop.disarm(timer)
        server.end(isHandedOver: false)
    }

    package func handOver() {
        loop.disarm(timer)
        server.end(isHandedOver: true)
    }

    // MARK: Readings

    package func send(_ readings: [LiveReading], isLive: Bool, key: Int?) {
        guard let key else { return }
        queue.add(readings.map(server.line), key: key, isLive: isLive, at: loop.now)
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
        _ lines: ArraySlice<BatchQueue.Line>, then take: @escaping (_ verdict: BatchVerdict, _ bytes: Int) -> Void
    ) {
        server.send(lines) { [unowned self] result in
            switch result {
            case .success((let verdict, let bytes)): take(verdict, bytes)
            case .failure(let error): lost(error)
            }
        }
    }

    private func handle(_ verdict: BatchVerdict, bytes: Int) {
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
    private func failed(_ error: ServerError) {
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
        lost(ServerError("\(server.place) refuses all readings: \(bisection.reason)"))
    }

    /// - Parameter lines: those that the server has, or refuses for good.
    private func finish(_ lines: [BatchQueue.Line]) {
        if bisection.refused > 0 { onEvent?(.refused(bisection.refused, reason: bisection.reason)) }
        batch = []
        for key in queue.finish(lines) { onEvent?(.confirmed(key)) }
        sendNext()
    }
}
