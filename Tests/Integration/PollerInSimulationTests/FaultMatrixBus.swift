import BlekeepSimulation
import DBus
import RunLoop

/// Faults of a connection to the bus, by which the poller gets no signals of a service.
final class Deafness: @unchecked Sendable {
    /// Whether bluetoothd hangs: it owns its name, but sends no replies and no signals.
    var isHung = false
    /// Which calls it never answers, besides.
    var ignores: (MethodCall) -> Bool = { _ in false }
}

/// A connection with a service that can hang.
final class DeafBus: ForwardingBus, @unchecked Sendable {
    let inner: any Bus
    private let deafness: Deafness

    init(_ inner: any Bus, _ deafness: Deafness) {
        self.inner = inner
        self.deafness = deafness
    }

    func call(_ call: MethodCall) async throws(BusError) -> [Value] {
        guard deafness.isHung && call.destination != .daemon || deafness.ignores(call) else {
            return try await inner.call(call)
        }
        try? await loop.sleep(until: loop.now + call.within)
        throw .timedOut
    }

    func send(_ call: MethodCall) { if !deafness.isHung { inner.send(call) } }

    func follow(_ service: BusName, handler: @escaping (ServiceEvent) -> Void) async throws(BusError) {
        try await inner.follow(service) { [deafness] event in
            if case .signal = event, deafness.isHung { return }
            handler(event)
        }
    }
}
