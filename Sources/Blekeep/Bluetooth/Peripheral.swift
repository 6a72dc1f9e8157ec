import DBus
import RunLoop

/// A device that we can make a link to.
public struct Peripheral: Sendable, Identifiable {
    let core: CentralCore
    public let address: BluetoothAddress

    public var id: BluetoothAddress { address }

    /// Opens a link, hands it to `body`, and closes it again, however `body` ends. A link that was there before is
    /// used and left open.
    ///
    /// Looks for the device first where BlueZ does not know it; waits until its services are resolved.
    /// - Throws: `notFound` after 15 s, `link`, or what `body` throws.
    public func withLink<T: Sendable>(_ body: @escaping @Sendable (Link) async throws -> T) async throws -> T {
        try await withTaskExecutorPreference(core.loop) {
            let path = try await find()
            if core.mirror.tree[path, Device1.connected] != true { core.own(path) }
            defer { core.disown(path) }
            try await connect(path)
            return try await body(Link(core: core, device: path))
        }
    }

    private func find() async throws(BluetoothError) -> ObjectPath {
        let adapter = try core.adapter()
        let path = core.path(of: address, on: adapter)
        if core.mirror.tree.has(Device1.name, at: path) { return path }
        let discovery = Discovery(on: core.bus, adapter)
        do throws(BusError) { try await discovery.start() } catch { throw BluetoothError(error, "discovery") }
        await core.wait(until: core.loop.now + CallTiming.search) { core.mirror.tree.has(Device1.name, at: path) }
        // A Connect during discovery takes seconds longer.
        try? await discovery.stop()
        guard core.mirror.tree.has(Device1.name, at: path) else {
            throw BluetoothError(.notFound, "\(address) was not heard in 15 s; is it near, awake and not connected?")
        }
        return path
    }

    private func connect(_ path: ObjectPath) async throws(BluetoothError) {
        if core.mirror.tree[path, Device1.connected] != true {
            do throws(BusError) {
                _ = try await core.bus.object(Bluez.service, path).call(
                    Device1.connect, within: CallTiming.connect)
            } catch  where Remedy(error) != .adopt { throw BluetoothError(error, "the link to \(address)") } catch {}
        }
        await core.wait(until: core.loop.now + CallTiming.resolve) {
            core.mirror.tree[path, Device1.servicesResolved] == true
        }
        guard core.mirror.tree[path, Device1.servicesResolved] == true else {
            throw BluetoothError(.link, "the services of \(address) were not resolved in 30 s")
        }
    }
}
