import DBus
import RunLoop

extension Peripheral {
    /// Pairs with the device, and runs `body` with the connection.
    ///
    /// ```swift
    /// let options = PairingOptions(secret: PairingSecret("123456"))
    /// let bytes = try await central.peripheral(address).pair(options) { link, wasPaired in
    ///     try await link.read(BluetoothUUID(0x2A6E))
    /// }
    /// ```
    ///
    /// Searches for a device that BlueZ doesn't know, for 15 s. A pairing that fails or is cancelled leaves nothing
    /// behind. A device that is already paired isn't paired again.
    ///
    /// - Parameters:
    ///   - options: the passkey, the capability and the time limit.
    ///   - user: answers the device's requests; `nil` when no user is there.
    ///   - body: your work with the connection, and whether the device was already paired.
    /// - Returns: the result of `body`.
    /// - Throws: `PairingError` when the pairing fails; `BluetoothError` as `withLink` does; the error of `body`.
    public func pair<T: Sendable>(
        _ options: PairingOptions = PairingOptions(), user: PairingUser? = nil,
        _ body: @escaping @Sendable (Link, Bool) async throws -> T
    ) async throws -> T {
        let pairing = Pairing(self, options: options, user: user)
        return try await withTaskCancellationHandler {
            try await withTaskExecutorPreference(core.loop) { try await pairing.run(body) }
        } onCancel: {
            core.loop.perform { pairing.cancel() }
        }
    }

    /// Removes the device and its keys from BlueZ. The device keeps its own keys. BlueZ: `Adapter1.RemoveDevice`.
    ///
    /// - Returns: `false` when BlueZ doesn't know the device.
    /// - Throws: `BluetoothError`, such as `adapterOff` or `link`.
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

    /// Sets whether the device may connect by itself. BlueZ: `Device1.Trusted`.
    ///
    /// - Returns: `false` when BlueZ doesn't know the device.
    /// - Throws: `BluetoothError`, such as `adapterOff` or `link`.
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
