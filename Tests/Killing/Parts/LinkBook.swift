import Blekeep
import DBus
import RunLoop

/// The links of a world, as its bluetoothd tells of them.
final class LinkBook: @unchecked Sendable {
    private(set) var up: Set<ObjectPath> = []
    /// How often each device's link has come and gone.
    private(set) var begins: [ObjectPath: Int] = [:]
    private(set) var ends: [ObjectPath: Int] = [:]

    func saw(_ signal: Signal) {
        guard signal.arguments.first == .string(Device1.name.text), signal.arguments.count > 1,
            let properties = [String: Variant](signal.arguments[1]),
            let isUp = properties[Device1.connected.name.text].flatMap({ Bool($0.content) })
        else { return }
        if isUp {
            up.insert(signal.path)
            begins[signal.path, default: 0] += 1
        } else if up.remove(signal.path) != nil {
            ends[signal.path, default: 0] += 1
        }
    }
}

/// bluetoothd's connection: what it tells is written down.
final class LinkBus: Bus, @unchecked Sendable {
    private let inner: any Bus
    private let links: LinkBook

    init(_ inner: any Bus, _ links: LinkBook) {
        self.inner = inner
        self.links = links
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

    func call(_ call: MethodCall) async throws(BusError) -> [Value] { try await inner.call(call) }
    func send(_ call: MethodCall) { inner.send(call) }
    func abandonCalls(below path: ObjectPath) { inner.abandonCalls(below: path) }
    func follow(_ service: BusName, _ handler: @escaping (ServiceEvent) -> Void) async throws(BusError) {
        try await inner.follow(service, handler)
    }
    func listen(_ service: BusName, for matches: [SignalMatch]) async throws(BusError) {
        try await inner.listen(service, for: matches)
    }
    func ignore(_ service: BusName, _ matches: [SignalMatch]) { inner.ignore(service, matches) }
    func emit(_ signal: Signal) {
        links.saw(signal)
        inner.emit(signal)
    }
    func export(_ object: ExportedObject) { inner.export(object) }
    func withdraw(_ path: ObjectPath) { inner.withdraw(path) }
    func own(_ name: BusName) async throws(BusError) -> Bool { try await inner.own(name) }
    func release(_ name: BusName) async throws(BusError) { try await inner.release(name) }
    func close() { inner.close() }
}
