import Blekeep
import BlekeepSimulation
import DBus
import RunLoop

/// A connection under observation.
final class WitnessBus: ForwardingBus, @unchecked Sendable {
    let inner: any Bus
    private let witness: Witness
    /// Whether it already observes BlueZ. Several parts of a keeper follow BlueZ on one connection.
    private var isWatching = false

    init(_ inner: any Bus, _ witness: Witness) {
        self.inner = inner
        self.witness = witness
        witness.connected(to: inner)
    }

    func call(_ call: MethodCall) async throws(BusError) -> [Value] {
        let begun = loop.now
        witness.began(call)
        let result: Result<[Value], BusError>
        do throws(BusError) { result = .success(try await inner.call(call)) } catch { result = .failure(error) }
        witness.ended(call, begun: begun, result)
        return try result.get()
    }

    func send(_ call: MethodCall) {
        witness.began(call)
        inner.send(call)
    }

    func follow(_ service: BusName, _ handler: @escaping (ServiceEvent) -> Void) async throws(BusError) {
        guard service == Bluez.service, !isWatching else { return try await inner.follow(service, handler) }
        isWatching = true
        try await inner.follow(service) { [witness] event in
            witness.saw(event)
            handler(event)
        }
    }
}
