import DBus
import RunLoop

/// A remote device, which may be out of range.
///
/// ```swift
/// let bytes = try await central.peripheral(address).withLink { link in
///     try await link.read(BluetoothUUID(0x2A19))
/// }
/// ```
public struct Peripheral: Sendable, Identifiable {
    let central: Central
    /// The device's address.
    public let address: BluetoothAddress

    /// The device's address.
    public var id: BluetoothAddress { address }
    var core: CentralCore { central.core }

    /// Connects to the device, runs `body` with the connection, and disconnects when `body` returns or throws.
    ///
    /// Searches for a device that BlueZ doesn't know, for 15 s. Then connects within 45 s, and waits up to 30 s for the
    /// device's services. A connection of another program is used, and stays open. The last of several users
    /// disconnects.
    ///
    /// - Parameter body: your work with the connection. Don't use the link after it.
    /// - Returns: the result of `body`.
    /// - Throws: `notFound` when blekeep doesn't hear the device; `link` when the connection fails; `noAdapter` or
    ///   `adapterOff`; the error of `body`.
    public func withLink<T: Sendable>(_ body: @escaping @Sendable (Link) async throws -> T) async throws -> T {
        defer { withExtendedLifetime(central) {} }
        return try await withTaskExecutorPreference(core.loop) {
            let path = try await find()
            let isOwn = core.use(path)
            defer { if isOwn { core.leave(path) } }
            try await connect(path)
            return try await body(Link(LinkCore(core, path)))
        }
    }

    /// The signal strength of the device's newest advertisement in dBm; `nil` when BlueZ heard none since discovery began.
    /// BlueZ: `Device1.RSSI`.
    ///
    /// BlueZ doesn't report the strength of an open connection, and most devices don't advertise while they are connected.
    /// During a scan, BlueZ changes the value when the strength changes by at least 8 dB. After a scan, it forgets the value.
    public var rssi: Int? {
        get async {
            await core.onLoop { core in
                guard let adapter = try? core.adapter() else { return nil }
                return core.rssi(of: core.path(of: address, on: adapter))
            }
        }
    }

    func find() async throws(BluetoothError) -> ObjectPath {
        let path = core.path(of: address, on: try core.adapter())
        if core.hasDevice(path) { return path }
        try await core.scanner.search { core.hasDevice(path) }
        guard core.hasDevice(path) else {
            throw BluetoothError(
                .notFound, "blekeep didn't hear \(address) in 15 s; make sure that it is near, awake and not connected")
        }
        return path
    }

    func connect(_ path: ObjectPath) async throws(BluetoothError) {
        if !core.isConnected(path) {
            do throws(BusError) { try await core.connect(path, within: CallTiming.connect) } catch
                where Remedy(error) != .adopt
            {
                guard error == .vanished else { throw BluetoothError(error, "connecting to \(address)") }
                throw BluetoothError(
                    .link,
                    "connecting to \(address): it answered nothing until BlueZ forgot it; it may be out of range, or take no connections"
                )
            } catch {}
        }
        func isResolved() -> Bool { core.mirror.tree[path, Device1.servicesResolved] == true }
        await core.wait(until: core.loop.now + CallTiming.resolve) { isResolved() }
        guard isResolved() else {
            throw BluetoothError(.link, "BlueZ didn't resolve the services of \(address) in 30 s")
        }
    }
}
