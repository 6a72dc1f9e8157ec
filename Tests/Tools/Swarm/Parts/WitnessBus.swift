import Blekeep
import BlekeepSimulation
import DBus
import RunLoop

/// A connection under observation.
final class WitnessBus: ForwardingBus, @unchecked Sendable {
    let inner: any Bus
    private let witness: Witness
    /// Whether the poller was killed: what it still does has no effect.
    private var isKilled = false
    /// Whether it already observes BlueZ. Several parts of a poller follow BlueZ on one connection.
    private var isWatching = false

    init(_ inner: any Bus, _ witness: Witness) {
        self.inner = inner
        self.witness = witness
        witness.connected(to: self)
    }

    /// Ends the connection, as when the poller's process is killed.
    func kill() {
        isKilled = true
        inner.close()
    }

    func call(_ call: MethodCall) async throws(BusError) -> [Value] {
        if isKilled { throw .disconnected }
        let begun = loop.now
        witness.began(call)
        let result: Result<[Value], BusError>
        do throws(BusError) { result = .success(try await inner.call(call)) } catch { result = .failure(error) }
        if !isKilled { witness.ended(call, begun: begun, result) }
        return try result.get()
    }

    func send(_ call: MethodCall) {
        if isKilled { return }
        witness.began(call)
        inner.send(call)
    }

    func follow(_ service: BusName, handler: @escaping (ServiceEvent) -> Void) async throws(BusError) {
        guard service == Bluez.service, !isWatching else { return try await inner.follow(service, handler: handler) }
        isWatching = true
        try await inner.follow(service) { [witness] event in
            witness.saw(event)
            handler(event)
        }
    }
}
