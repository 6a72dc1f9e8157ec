import DBus
import RunLoop

/// What can be done to a connection to the bus by which the keeper hears nothing of a service.
final class Deafness: @unchecked Sendable {
    /// Whether bluetoothd hangs: it is there, owns its name, and neither answers nor tells anything.
    var isHung = false
}

/// A connection whose service may hang.
final class DeafBus: Bus, @unchecked Sendable {
    private let inner: any Bus
    private let deafness: Deafness

    init(_ inner: any Bus, _ deafness: Deafness) {
        self.inner = inner
        self.deafness = deafness
    }

    var loop: RunLoop { inner.loop }
    var name: BusName { inner.name }
    var onClose: (() -> Void)? {
        get { inner.onClose }
        set { inner.onClose = newValue }
    }

    var isDeaf: Bool {
        get { inner.isDeaf }
        set { inner.isDeaf = newValue }
    }

    func call(_ call: MethodCall) async throws(BusError) -> [Value] {
        guard deafness.isHung, call.destination != .daemon else { return try await inner.call(call) }
        try? await loop.sleep(until: loop.now + call.within)
        throw .timedOut
    }

    func send(_ call: MethodCall) { if !deafness.isHung { inner.send(call) } }
    func abandonCalls(below path: ObjectPath) { inner.abandonCalls(below: path) }

    func follow(_ service: BusName, _ handler: @escaping (ServiceEvent) -> Void) async throws(BusError) {
        try await inner.follow(service) { [deafness] event in
            if case .signal = event, deafness.isHung { return }
            handler(event)
        }
    }

    func listen(_ service: BusName, for matches: [SignalMatch]) async throws(BusError) {
        try await inner.listen(service, for: matches)
    }

    func ignore(_ service: BusName, _ matches: [SignalMatch]) { inner.ignore(service, matches) }
    func emit(_ signal: Signal) { inner.emit(signal) }
    func export(_ object: ExportedObject) { inner.export(object) }
    func withdraw(_ path: ObjectPath) { inner.withdraw(path) }
    func own(_ name: BusName) async throws(BusError) -> Bool { try await inner.own(name) }
    func release(_ name: BusName) async throws(BusError) { try await inner.release(name) }
    func close() { inner.close() }
}
