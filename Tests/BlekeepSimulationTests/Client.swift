import BlekeepRecords
import BusBench
import DBus
import RunLoop

@testable import BlekeepSimulation

/// A central for tests: calls BlueZ's objects, and notes the signals that come, with their moments.
final class Client: @unchecked Sendable {
    let bus: any Bus
    private(set) var notes: [Note] = []
    private var waiting: UnsafeContinuation<Void, Never>?

    struct Note: Sendable {
        let at: Uptime
        let signal: Signal
    }

    private init(_ bus: any Bus) { self.bus = bus }

    static func make(_ bench: Bench) async throws -> Client {
        let client = Client(try await bench.connect())
        try await client.bus.listen(
            Bluez.service,
            for: [
                SignalMatch(interface: ObjectManager.name),
                SignalMatch(interface: PropertiesInterface.name),
            ])
        try await client.bus.follow(Bluez.service) { [weak client] event in
            guard let client, case .signal(let signal) = event else { return }
            client.notes.append(Note(at: client.bus.loop.now, signal: signal))
            client.waiting?.resume()
            client.waiting = nil
        }
        return client
    }

    var loop: RunLoop { bus.loop }
    let adapter: ObjectPath = "/org/bluez/hci0"

    func device(_ address: String) -> ObjectPath {
        ObjectPath(unchecked: "/org/bluez/hci0/dev_" + address.split(separator: ":").joined(separator: "_"))
    }

    func object(_ path: ObjectPath) -> RemoteObject { bus.object(Bluez.service, at: path) }

    // MARK: Calls

    func connect(_ path: ObjectPath, within: Duration = .seconds(60)) async throws(BusError) {
        _ = try await object(path).call(Device1.connect, within: within)
    }

    func disconnect(_ path: ObjectPath) async throws(BusError) {
        _ = try await object(path).call(Device1.disconnect, within: .seconds(10))
    }

    func read(_ path: ObjectPath, within: Duration = .seconds(60)) async throws(BusError) -> [UInt8] {
        try await object(path).call(GattCharacteristic1.readValue, [:], within: within)
    }

    func startDiscovery() async throws(BusError) {
        _ = try await object(adapter).call(Adapter1.startDiscovery, within: .seconds(5))
    }

    func stopDiscovery() async throws(BusError) {
        _ = try await object(adapter).call(Adapter1.stopDiscovery, within: .seconds(5))
    }

    func objects() async throws(BusError) -> [ObjectPath: ManagedObject] {
        try await object(.root).call(ObjectManager.getManagedObjects, within: .seconds(10)).objects
    }

    /// Connects, and waits until the services are there.
    func open(_ path: ObjectPath) async throws {
        let start = notes.count
        try await connect(path)
        try await wait(from: start) { $0.says(Device1.servicesResolved, true, at: path) }
    }

    /// The path of a characteristic of a device that was resolved.
    func characteristic(_ uuid: UInt16, of device: ObjectPath) async throws -> ObjectPath {
        try await characteristic(BluetoothUUID(uuid), of: device)
    }

    func characteristic(_ uuid: BluetoothUUID, of device: ObjectPath) async throws -> ObjectPath {
        let found = try await objects().filter { path, object in
            path.isAt(orBelow: device)
                && object[GattCharacteristic1.name.text]?["UUID"] == Variant(uuid.full)
        }
        guard let path = found.keys.min() else { throw Missing(what: uuid.description) }
        return path
    }

    struct Missing: Error { let what: String }

    // MARK: Signals

    /// Waits for a signal that fits, among those noted from `start` on.
    @discardableResult
    func wait(from start: Int = 0, where fits: (Note) -> Bool) async throws -> Note {
        while true {
            if let note = notes.dropFirst(start).first(where: fits) { return note }
            let count = notes.count
            await withUnsafeContinuation { continuation in
                if notes.count > count { continuation.resume() } else { waiting = continuation }
            }
        }
    }

    func pause(_ duration: Duration) async throws { try await loop.sleep(until: loop.now + duration) }
}

extension Client.Note {
    func says<Content: Equatable>(_ property: Property<Content>, _ content: Content?, at path: ObjectPath) -> Bool {
        guard signal.path == path, signal.interface == PropertiesInterface.name,
            signal.arguments.first == .string(property.interface.text), let changed = Properties(signal.arguments[1])
        else { return false }
        guard let content else { return [String](signal.arguments[2])?.contains(property.name.text) == true }
        return changed[property.name.text].flatMap { Content($0.content) } == content
    }

    func names(_ property: Property<some WireType>, at path: ObjectPath) -> Bool {
        signal.path == path && signal.arguments.first == .string(property.interface.text)
            && Properties(signal.arguments[1])?[property.name.text] != nil
    }

    func adds(_ path: ObjectPath) -> Bool {
        signal.member == ObjectManager.interfacesAdded.name && signal.arguments.first == .path(path)
    }

    /// Whether the whole object goes: a battery alone goes with every connection.
    func removes(_ path: ObjectPath) -> Bool {
        signal.member == ObjectManager.interfacesRemoved.name && signal.arguments.first == .path(path)
            && signal.arguments.last != [Battery1.name.text].value
    }
}

/// Returns the BusError of an action; `nil` when it succeeds.
func failure(_ action: () async throws(BusError) -> Void) async -> BusError? {
    do throws(BusError) {
        try await action()
        return nil
    } catch { return error }
}

extension BusError {
    static func bluez(_ name: String, _ message: String) -> BusError {
        .remote(name: "org.bluez.Error.\(name)", message: message)
    }
}
