import Blekeep
import DBus
import RunLoop

/// A connection under observation.
final class WitnessBus: Bus, @unchecked Sendable {
    private let inner: any Bus
    private let witness: Witness

    init(_ inner: any Bus, _ witness: Witness) {
        self.inner = inner
        self.witness = witness
        witness.forget()
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

    func abandonCalls(below path: ObjectPath) { inner.abandonCalls(below: path) }

    func follow(_ service: BusName, _ handler: @escaping (ServiceEvent) -> Void) async throws(BusError) {
        try await inner.follow(service) { [witness] event in
            if service == Bluez.service { witness.saw(event) }
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
