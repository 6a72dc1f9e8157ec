import DBus

/// An open connection to a device. Use it only inside the closure of `withLink`.
///
/// ```swift
/// try await central.peripheral(address).withLink { link in
///     print(try await link.read(BluetoothUUID(0x2A6E)))
///     let control = try await link.characteristic(BluetoothUUID(0x2A3D))
///     try await link.write([1], to: control)
/// }
/// ```
///
/// BlueZ sends the requests of a link one after another.
public final class Link: @unchecked Sendable {
    package let link: LinkCore
    /// Whether BlueZ waits for a refused pairing, and so doesn't answer further requests.
    private var isBlockedByPairing = false
    /// The requests that succeeded on this link, and so don't need pairing.
    private var answered: Set<Request> = []
    /// The most bytes that are known to fit into a write without a response. Every connection has room for 20.
    private var knownCommandLength = 20

    private struct Request: Hashable {
        let what: String
        let path: ObjectPath
    }

    /// A service of the device. The source is BlueZ's interface `org.bluez.GattService1`.
    public struct Service: Sendable, Hashable {
        /// The service's UUID. BlueZ: `UUID`.
        public var uuid: BluetoothUUID
        /// Whether it is a primary service. A secondary one is only part of others. BlueZ: `Primary`.
        public var isPrimary: Bool
        /// The attribute handle of its declaration, from BlueZ's object path; `nil` when the path has none.
        public var handle: Int?
        /// Its characteristics, in the order of their handles.
        public var characteristics: [Characteristic]
    }

    /// A characteristic of the device. The source is BlueZ's interface `org.bluez.GattCharacteristic1`.
    public struct Characteristic: Sendable, Hashable {
        /// The characteristic's UUID. BlueZ: `UUID`.
        public var uuid: BluetoothUUID
        /// The UUID of its service. BlueZ: `Service`.
        public var service: BluetoothUUID
        /// The operations that the device allows, such as `read`, `write` and `notify`. BlueZ: `Flags`.
        public var flags: Set<String>
        /// The attribute handle of its value, from BlueZ's object path; `nil` when the path has none.
        public var handle: Int?
        /// The attribute handle of its service, which distinguishes services with the same UUID.
        public var serviceHandle: Int?
        /// Its descriptors, in the order of their handles.
        public var descriptors: [Descriptor]
        let path: ObjectPath

        /// Whether the flags say that reading needs pairing. Many devices need it without saying so.
        public var needsPairing: Bool { flags.contains { $0.hasSuffix("-read") } }
    }

    /// A descriptor of a characteristic. The source is BlueZ's interface `org.bluez.GattDescriptor1`.
    public struct Descriptor: Sendable, Hashable {
        /// The descriptor's UUID. BlueZ: `UUID`.
        public var uuid: BluetoothUUID
        /// Its attribute handle, from BlueZ's object path; `nil` when the path has none.
        public var handle: Int?
        let path: ObjectPath
    }

    init(_ link: LinkCore) { self.link = link }

    var core: CentralCore { link.core }

    /// All characteristics of the device, in the order of their handles.
    public var characteristics: [Characteristic] {
        get async { await core.onLoop { _ in Self.characteristics(of: self.link.tree) } }
    }

    /// All services of the device with their characteristics, in the order of their handles.
    public var services: [Service] {
        get async {
            await core.onLoop { _ in
                let tree = self.link.tree
                let all = Dictionary(grouping: Self.characteristics(of: tree)) { $0.path.parent }
                return tree.services.map { service in
                    Service(
                        uuid: service.uuid, isPrimary: service.isPrimary,
                        handle: Self.handle(service.path, after: "service"),
                        characteristics: all[service.path] ?? [])
                }
            }
        }
    }

    private static func characteristics(of tree: GattTree) -> [Characteristic] {
        tree.characteristics.map {
            Characteristic(
                uuid: $0.uuid, service: $0.service, flags: Set($0.flags),
                // The path has the handle of the declaration, and the value has the next handle.
                handle: handle($0.path, after: "char").map { $0 + 1 },
                serviceHandle: $0.path.parent.flatMap { handle($0, after: "service") },
                descriptors: $0.descriptors.map { uuid, path in
                    Descriptor(uuid: uuid, handle: handle(path, after: "desc"), path: path)
                }.sorted { ($0.handle ?? 0, $0.uuid) < ($1.handle ?? 0, $1.uuid) },
                path: $0.path)
        }
    }

    private static func handle(_ path: ObjectPath, after prefix: String) -> Int? {
        path.name.hasPrefix(prefix) ? Int(path.name.dropFirst(prefix.count).prefix(4), radix: 16) : nil
    }

    /// Finds the first characteristic with this UUID.
    ///
    /// - Parameters:
    ///   - uuid: the characteristic.
    ///   - service: the service to search; `nil` for all services.
    /// - Throws: `characteristic` when the device doesn't have it.
    public func characteristic(
        _ uuid: BluetoothUUID, of service: BluetoothUUID? = nil
    ) async throws(BluetoothError) -> Characteristic {
        let found = await characteristics.first { $0.uuid == uuid && (service == nil || service == $0.service) }
        guard let found else { throw BluetoothError(.characteristic, "the device has no characteristic \(uuid)") }
        return found
    }

    /// Whether the device is paired. BlueZ: `Device1.Paired`.
    public var isPaired: Bool {
        get async { await core.onLoop { _ in self.link.isPaired } }
    }

    /// Whether BlueZ still waits for a refused pairing. Other requests would wait, too.
    package var waitsForPairing: Bool {
        get async { await core.onLoop { _ in self.isBlockedByPairing } }
    }

    /// The device's address; after pairing a device with private addresses, its permanent one. BlueZ: `Device1.Address`.
    public var address: BluetoothAddress? {
        get async { await core.onLoop { _ in self.link.address } }
    }

    /// Reads a value, at most 512 bytes, within 10 s.
    ///
    /// - Throws: `pairing` when the device must be paired first; `characteristic` when it can't be read; `link` or
    ///   `timedOut` when the connection ends or the device doesn't reply.
    public func read(_ characteristic: Characteristic) async throws(BluetoothError) -> [UInt8] {
        let what = "reading \(characteristic.uuid)"
        do throws(BluetoothError) {
            return try await request(what, at: characteristic.path) { link throws(BusError) in
                try await link.read(link.reading(characteristic.path))
            }
        } catch {
            // BlueZ doesn't answer a read that needs pairing, and may have asked the agent of another program.
            guard error.code == .timedOut, await !isPaired else { throw error }
            if characteristic.needsPairing { throw BluetoothError(.pairing, "\(what): the device must be paired") }
            throw BluetoothError(BluetoothError.Code.timedOut, "\(error); perhaps the device must be paired")
        }
    }

    /// Reads the first characteristic with this UUID, within 10 s.
    ///
    /// - Throws: as `read(_:)` with a characteristic; `characteristic` also when the device doesn't have it.
    public func read(_ uuid: BluetoothUUID) async throws(BluetoothError) -> [UInt8] {
        try await read(try await characteristic(uuid))
    }

    /// Reads a descriptor, within 10 s.
    ///
    /// - Throws: as for a characteristic.
    public func read(_ descriptor: Descriptor) async throws(BluetoothError) -> [UInt8] {
        try await request("reading descriptor \(descriptor.uuid)", at: descriptor.path) { link throws(BusError) in
            try await link.read(descriptor: descriptor.path)
        }
    }

    /// Writes a value, within 10 s.
    ///
    /// ```swift
    /// let length = try await link.maxWriteLength(withResponse: false)
    /// for start in stride(from: 0, to: bytes.count, by: length) {
    ///     try await link.write(Array(bytes[start...].prefix(length)), to: characteristic, withResponse: false)
    /// }
    /// ```
    ///
    /// Without a response, the call returns when bluetoothd has queued the value. BlueZ doesn't report whether the device
    /// got it, and has no limit for its queue: after many values, write one with a response.
    ///
    /// - Parameters:
    ///   - bytes: the value, of at most ``maxWriteLength(withResponse:)`` bytes.
    ///   - characteristic: the characteristic to write.
    ///   - withResponse: whether to wait until the device confirms the value.
    /// - Throws: `pairing` when the device must be paired first; `characteristic` when it refuses the value, or when the
    ///   value is too long for a write without a response; `link` or `timedOut` when the connection ends or the device
    ///   doesn't reply.
    public func write(
        _ bytes: [UInt8], to characteristic: Characteristic, withResponse: Bool = true
    ) async throws(BluetoothError) {
        if !withResponse { try await checkLength(of: bytes, for: characteristic) }
        try await request("writing \(characteristic.uuid)", at: characteristic.path) { link throws(BusError) in
            try await link.write(bytes, to: characteristic.path, withResponse: withResponse)
        }
    }

    /// BlueZ would only report that it couldn't send the value.
    private func checkLength(of bytes: [UInt8], for characteristic: Characteristic) async throws(BluetoothError) {
        guard await core.onLoop({ _ in bytes.count > self.knownCommandLength }) else { return }
        let length: Int
        do throws(BluetoothError) { length = try await maxWriteLength(withResponse: false) } catch {
            // An older BlueZ decides by itself.
            if error.code == .unsupported { return } else { throw error }
        }
        guard bytes.count > length else { return }
        throw BluetoothError(
            .characteristic,
            "writing \(characteristic.uuid): \(bytes.count) bytes are too long for a write without a response, which has up to \(length)"
        )
    }

    /// Returns the most bytes of a value to write: with a response 512, and without one what fits into a packet of the
    /// connection: ``mtu`` − 3, so 20 to 512.
    ///
    /// With a response, BlueZ sends a value that doesn't fit into a packet in pieces. Some devices don't support that.
    ///
    /// - Throws: as `mtu`; never with a response.
    public func maxWriteLength(withResponse: Bool = true) async throws(BluetoothError) -> Int {
        // Core Specification, Vol 3, Part F, 3.2.9: the longest value. Opcode and handle take 3 bytes of a packet.
        if withResponse { return 512 }
        let length = min(512, try await mtu - 3)
        await core.onLoop { _ in self.knownCommandLength = length }
        return length
    }

    /// The ATT MTU of the connection in bytes, at least 23. BlueZ negotiates it while it connects, and the device may raise
    /// it later. BlueZ: `GattCharacteristic1.MTU`.
    ///
    /// - Throws: `unsupported` when BlueZ is older than 5.62; `characteristic` when the device has no characteristics;
    ///   `link` when the connection ended.
    public var mtu: Int {
        get async throws(BluetoothError) {
            guard let first = await characteristics.first else {
                throw BluetoothError(.characteristic, "the device has no characteristics")
            }
            let result: Result<UInt16, BluetoothError> = await core.onLoop { _ in
                do throws(BusError) { return .success(try await self.link.mtu(at: first.path)) } catch {
                    let what = "querying the MTU"
                    // Without a connection, the property is missing, too.
                    guard self.link.isUp else { return .failure(BluetoothError(.link, "\(what): not connected")) }
                    guard case .remote("org.freedesktop.DBus.Error.InvalidArgs", _) = error else {
                        return .failure(BluetoothError(error, what))
                    }
                    return .failure(BluetoothError(.unsupported, "\(what): BlueZ before 5.62 doesn't report it"))
                }
            }
            return max(23, Int(try result.get()))
        }
    }

    /// Sends the device a request that may need pairing.
    func request<T: Sendable>(
        _ what: String, at path: ObjectPath,
        body: @escaping @Sendable (LinkCore) async throws(BusError) -> T
    ) async throws(BluetoothError) -> T {
        let result: Result<T, BluetoothError> = await core.onLoop { core in
            let isPaired = self.link.isPaired
            let request = Request(what: what, path: path)
            let mayNeedPairing = !isPaired && !self.answered.contains(request)
            if mayNeedPairing { await core.refusals.start() }
            guard !self.isBlockedByPairing || isPaired else { return .failure(self.refusal(what)) }
            let key = core.refusals.begin(path, of: self.link.device, mayNeedPairing: mayNeedPairing)
            do throws(BusError) {
                let value = try await body(self.link)
                core.refusals.end(key)
                self.answered.insert(request)
                return .success(value)
            } catch {
                guard core.refusals.end(key) else { return .failure(BluetoothError(error, what)) }
                self.isBlockedByPairing = true
                return .failure(self.refusal(what))
            }
        }
        return try result.get()
    }

    private func refusal(_ what: String) -> BluetoothError {
        BluetoothError(.pairing, "\(what): the device must be paired")
    }
}
