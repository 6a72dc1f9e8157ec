import Blekeep
import BlekeepSimulation
import DBus
import RunLoop

/// The connections of a world, from bluetoothd's signals.
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

/// bluetoothd's connection to the bus, which records its signals.
final class LinkBus: ForwardingBus, @unchecked Sendable {
    let inner: any Bus
    private let links: LinkBook

    init(_ inner: any Bus, _ links: LinkBook) {
        self.inner = inner
        self.links = links
    }

    func emit(_ signal: Signal) {
        links.saw(signal)
        inner.emit(signal)
    }
}
