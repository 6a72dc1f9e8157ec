import DBus
import RunLoop

/// An open connection to a device whose services are resolved. Good only within the closure that it was handed to.
///
/// Reads and writes of one link go one after another: the air has room for one at a time.
public final class Link: @unchecked Sendable {
    let link: LinkCore
    private var isJammed = false
    /// The requests that were answered on this link, and so need no pairing.
    private var answered: Set<Request> = []

    private struct Request: Hashable {
        let what: String
        let path: ObjectPath
    }

    /// A characteristic of the device.
    public struct Characteristic: Sendable, Hashable {
        public var uuid: BluetoothUUID
        public var service: BluetoothUUID
        /// As BlueZ names them: `read`, `write`, `notify` …
        public var flags: Set<String>
        /// The attribute handle of its value, where BlueZ tells.
        public var handle: Int?
        /// The attribute handle of its service, which tells services of one kind apart.
        public var serviceHandle: Int?
        public var descriptors: [Descriptor]
        let path: ObjectPath

        /// Whether it says that only a paired central may read it; many do not say.
        public var needsPairing: Bool { flags.contains { $0.hasSuffix("-read") } }
    }

    /// A descriptor of a characteristic.
    public struct Descriptor: Sendable, Hashable {
        public var uuid: BluetoothUUID
        public var handle: Int?
        let path: ObjectPath
    }

    init(_ link: LinkCore) {
        self.link = link
    }

    var core: CentralCore { link.core }

    /// All characteristics in the order of their handles.
    public var characteristics: [Characteristic] {
        get async { await core.onLoop { _ in self.tree } }
    }

    private var tree: [Characteristic] {
        link.tree.characteristics.map {
            Characteristic(
                uuid: $0.uuid, service: $0.service, flags: Set($0.flags),
                // The path has the handle of the declaration; the value comes next.
                handle: Self.handle($0.path, after: "char").map { $0 + 1 },
                serviceHandle: $0.path.parent.flatMap { Self.handle($0, after: "service") },
                descriptors: $0.descriptors.map { uuid, path in
                    Descriptor(uuid: uuid, handle: Self.handle(path, after: "desc"), path: path)
                }.sorted { ($0.handle ?? 0, $0.uuid) < ($1.handle ?? 0, $1.uuid) },
                path: $0.path)
        }
    }

    private static func handle(_ path: ObjectPath, after prefix: String) -> Int? {
        path.name.hasPrefix(prefix) ? Int(path.name.dropFirst(prefix.count).prefix(4), radix: 16) : nil
    }

    /// The first characteristic with this UUID.
    ///
    /// - Throws: `characteristic` when there is none.
    public func characteristic(
        _ uuid: BluetoothUUID, of service: BluetoothUUID? = nil
    ) async throws(BluetoothError) -> Characteristic {
        let found = await characteristics.first { $0.uuid == uuid && (service == nil || service == $0.service) }
        guard let found else { throw BluetoothError(.characteristic, "the device has no characteristic \(uuid)") }
        return found
    }

    /// Whether BlueZ has keys for the device.
    public var isPaired: Bool {
        get async { await core.onLoop { _ in self.link.isPaired } }
    }

    /// Whether BlueZ still waits for a pairing that was refused: what is asked of this link now would wait behind it.
    package var waitsForPairing: Bool {
        get async { await core.onLoop { _ in self.isJammed } }
    }

    /// The device's address now: of one with private addresses, as soon as it is paired, the one that stays.
    public var address: BluetoothAddress? {
        get async { await core.onLoop { _ in self.link.address } }
    }

    /// Reads a value: at most 512 octets, within 10 s.
    ///
    /// - Throws: `pairing`, at once, when the device wants to be paired for it.
    public func read(_ characteristic: Characteristic) async throws(BluetoothError) -> [UInt8] {
        let what = "reading \(characteristic.uuid)"
        do throws(BluetoothError) {
            return try await ask(what, at: characteristic.path) { link throws(BusError) in
                try await link.read(link.reading(characteristic.path))
            }
        } catch {
            // BlueZ does not answer at all when the device wants to be paired, and may have asked somebody else to.
            guard error.code == .timedOut, await !isPaired else { throw error }
            if characteristic.needsPairing { throw BluetoothError(.pairing, "\(what): the device has to be paired") }
            throw BluetoothError(BluetoothError.Code.timedOut, "\(error); perhaps the device wants to be paired")
        }
    }

    /// Reads the first characteristic with this UUID.
    public func read(_ uuid: BluetoothUUID) async throws(BluetoothError) -> [UInt8] {
        try await read(try await characteristic(uuid))
    }

    /// Reads a descriptor, within 10 s.
    public func read(_ descriptor: Descriptor) async throws(BluetoothError) -> [UInt8] {
        try await ask("reading descriptor \(descriptor.uuid)", at: descriptor.path) { link throws(BusError) in
            try await link.read(descriptor: descriptor.path)
        }
    }

    /// Writes a value; with a response the device has taken it when this returns.
    public func write(
        _ octets: [UInt8], to characteristic: Characteristic, withResponse: Bool = true
    ) async throws(BluetoothError) {
        try await ask("writing \(characteristic.uuid)", at: characteristic.path) { link throws(BusError) in
            try await link.write(octets, to: characteristic.path, withResponse: withResponse)
        }
    }

    /// Asks something of the device that it may want to be paired for.
    func ask<T: Sendable>(
        _ what: String, at path: ObjectPath,
        _ body: @escaping @Sendable (LinkCore) async throws(BusError) -> T
    ) async throws(BluetoothError) -> T {
        let result: Result<T, BluetoothError> = await core.onLoop { core in
            let isPaired = self.link.isPaired
            let request = Request(what: what, path: path)
            let mayNeedPairing = !isPaired && !self.answered.contains(request)
            if mayNeedPairing { await core.refusals.start() }
            guard !self.isJammed || isPaired else { return .failure(self.refusal(what)) }
            let key = core.refusals.begin(path, of: self.link.device, mayNeedPairing: mayNeedPairing)
            do throws(BusError) {
                let value = try await body(self.link)
                core.refusals.end(key)
                self.answered.insert(request)
                return .success(value)
            } catch {
                guard core.refusals.end(key) else { return .failure(BluetoothError(error, what)) }
                self.isJammed = true
                return .failure(self.refusal(what))
            }
        }
        return try result.get()
    }

    private func refusal(_ what: String) -> BluetoothError {
        let name = link.address?.description ?? "DEV"
        return BluetoothError(.pairing, "\(what): the device has to be paired: run 'blekeep pair \(name)'")
    }
}
