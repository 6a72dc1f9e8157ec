import DBus
import RunLoop

extension Peripheral {
    /// Pairs with the device, and hands the link to `body`, with `true` when it was paired already.
    ///
    /// Looks for the device first where BlueZ does not know it. When the pairing fails or is cancelled nothing is left
    /// behind: no agent, no trust, and no bond that was not there before.
    ///
    /// - Parameters:
    ///   - options: the passkey, the capability and the time limit.
    ///   - user: answers BlueZ's questions; `nil` when no user is there.
    ///   - body: gets the connection, and whether the device was paired already.
    /// - Throws: `PairingError`; `BluetoothError` as `withLink` does; what `body` throws.
    public func pair<T: Sendable>(
        _ options: PairingOptions = PairingOptions(), user: PairingUser? = nil,
        _ body: @escaping @Sendable (Link, Bool) async throws -> T
    ) async throws -> T {
        let pairing = Pairing(self, options, user)
        return try await withTaskCancellationHandler {
            try await withTaskExecutorPreference(core.loop) { try await pairing.run(body) }
        } onCancel: {
            core.loop.perform { pairing.cancel() }
        }
    }

    /// Lets BlueZ forget the device with its keys; the device itself keeps its own.
    ///
    /// - Returns: `false` when BlueZ does not know it.
    public func forget() async throws -> Bool {
        try await withTaskExecutorPreference(core.loop) {
            let path = core.path(of: address, on: try core.adapter())
            guard core.hasDevice(path) else { return false }
            do throws(BusError) { try await core.remove(path) } catch .vanished { return true } catch {
                throw BluetoothError(error, "forgetting \(address)")
            }
            return true
        }
    }

    /// Whether the device may connect by itself.
    ///
    /// - Returns: `false` when BlueZ does not know it.
    public func setTrusted(_ isTrusted: Bool) async throws -> Bool {
        try await withTaskExecutorPreference(core.loop) {
            let path = core.path(of: address, on: try core.adapter())
            guard core.hasDevice(path) else { return false }
            do throws(BusError) { try await core.set(Device1.trusted, of: path, to: isTrusted) } catch {
                throw BluetoothError(error, "changing \(address)")
            }
            return true
        }
    }
}
