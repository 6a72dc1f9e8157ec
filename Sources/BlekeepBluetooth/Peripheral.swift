import DBus
import RunLoop

/// A device that we can make a link to.
public struct Peripheral: Sendable, Identifiable {
    /// Stays open for as long as this is in use.
    let central: Central
    public let address: BluetoothAddress

    public var id: BluetoothAddress { address }
    var core: CentralCore { central.core }

    /// Opens a link, hands it to `body`, and closes it again, however `body` ends. A link that was there before is
    /// used and left open; of several users of one link the last one closes it.
    ///
    /// Looks for the device first where BlueZ does not know it; waits until its services are resolved.
    /// - Throws: `notFound` after 15 s, `link`, or what `body` throws.
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

    private func find() async throws(BluetoothError) -> ObjectPath {
        let path = core.path(of: address, on: try core.adapter())
        if core.hasDevice(path) { return path }
        try await core.scanner.search { core.hasDevice(path) }
        guard core.hasDevice(path) else {
            throw BluetoothError(
                .notFound, "blekeep didn't hear \(address) in 15 s; make sure that it is near, awake and not connected")
        }
        return path
    }

    private func connect(_ path: ObjectPath) async throws(BluetoothError) {
        if !core.isConnected(path) {
            do throws(BusError) { try await core.connect(path, within: CallTiming.connect) } catch
                where Remedy(error) != .adopt
            { throw BluetoothError(error, "the link to \(address)") } catch {}
        }
        func isResolved() -> Bool { core.mirror.tree[path, Device1.servicesResolved] == true }
        await core.wait(until: core.loop.now + CallTiming.resolve) { isResolved() }
        guard isResolved() else {
            throw BluetoothError(.link, "the services of \(address) were not resolved in 30 s")
        }
    }
}
