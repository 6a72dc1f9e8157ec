import DBus
import RunLoop

/// What only a `Central` has: it waits for BlueZ when it opens, and it owns the connections of its users.
extension CentralCore {
    static func open(
        _ choice: AdapterChoice?, on loop: RunLoop,
        connect: @escaping @Sendable (RunLoop) async throws(BusError) -> any Bus
    ) async throws(BluetoothError) -> CentralCore {
        let opened: Result<CentralCore, BluetoothError> = await withTaskExecutorPreference(loop) {
            do throws(BusError) {
                let core = CentralCore(on: try await connect(loop), using: choice)
                core.follow()
                if let why = await core.awaitBluez() {
                    core.close()
                    return .failure(BluetoothError(.noBluez, why))
                }
                return .success(core)
            } catch { return .failure(BluetoothError(.noBluez, "\(error)")) }
        }
        return try opened.get()
    }

    private func follow() {
        Task(executorPreference: loop) { [self] in
            do throws(BusError) { try await run() } catch { failure = error }
            waiters.announce()
        }
    }

    /// Waits until BlueZ's objects are known; lets the bus start bluetoothd where nobody is it.
    /// - Returns: why there is none.
    private func awaitBluez() async -> String? {
        await wait(until: loop.now + .milliseconds(500)) { mirror.isKnown || failure != nil }
        if !mirror.isKnown, failure == nil {
            do throws(BusError) { try await activate(within: .seconds(25)) } catch {
                if case .remote(_, let message) = error, !mirror.isKnown {
                    return "bluetoothd is not running: \(message)"
                }
            }
        }
        await wait(until: loop.now + .seconds(20)) { mirror.isKnown || failure != nil }
        if mirror.isKnown { return nil }
        return failure.map { "\($0)" } ?? "bluetoothd does not answer"
    }

    // MARK: Connections of users

    /// Takes in a user of the connection to a device. `leave` must follow if this returns `true`.
    ///
    /// - Returns: `false` for a connection that was there before, and stays.
    func use(_ path: ObjectPath) -> Bool { ownLinks.use(path, isConnected: isConnected(path)) }

    func leave(_ path: ObjectPath) {
        if !isClosed, ownLinks.leave(path) { disconnect(path) }
    }

    /// Waits until the connections that were ended are down: BlueZ takes 2 s, and who uses one meanwhile will lose it.
    func settle() async {
        await wait(until: loop.now + .seconds(4)) { ownLinks.released.allSatisfy { !isConnected($0) } }
    }
}
