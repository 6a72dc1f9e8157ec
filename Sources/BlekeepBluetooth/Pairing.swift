import DBus
import RunLoop

/// A pairing, from its start to its end.
final class Pairing: @unchecked Sendable {
    private let peripheral: Peripheral
    private let core: CentralCore
    private let options: PairingOptions
    private let agent: PairingAgent
    private var isCancelled = false
    private var wasKnown = false
    private var wasPaired = false

    init(_ peripheral: Peripheral, options: PairingOptions, user: PairingUser?) {
        self.peripheral = peripheral
        self.options = options
        core = peripheral.core
        let dialog = PairingDialog(
            secret: options.secret, hasUser: user?.ask != nil, mustAuthenticate: options.mustAuthenticate)
        agent = PairingAgent(on: core.bus, for: peripheral.address, dialog: dialog, user: user)
    }

    /// Makes calls in progress throw. `run` then undoes the rest.
    func cancel() {
        isCancelled = true
        if let path { core.abandonCalls(to: path) }
        core.waiters.announce()
    }

    private var path: ObjectPath? {
        (try? core.adapter()).map { core.path(of: peripheral.address, on: $0) }
    }

    func run<T: Sendable>(_ body: @escaping @Sendable (Link, Bool) async throws -> T) async throws -> T {
        guard !core.refusals.isPairing else { throw PairingError(.inProgress) }
        core.refusals.beginPairing()
        defer { core.refusals.endPairing() }
        let path = core.path(of: peripheral.address, on: try core.adapter())
        wasKnown = core.hasDevice(path)
        wasPaired = isPaired(path)
        if core.mirror.tree[path, Device1.blocked] == true { throw PairingError(.blocked) }
        let outcome: Result<T, any Error>
        do {
            // The agent comes before the connection, because some devices ask for pairing at once.
            try await register()
            outcome = .success(
                try await peripheral.withLink { [self] link in
                    try await pair(at: path)
                    return try await body(link, wasPaired)
                })
        } catch { outcome = .failure(await explain(error, path: path)) }
        await agent.unregister()
        return try outcome.get()
    }

    private func register() async throws {
        let capability = options.capability ?? .suitable(hasSecret: options.secret != nil)
        do throws(BusError) { try await agent.register(capability) } catch {
            throw PairingError(error, refusal: nil, passkeyGiven: false)
        }
    }

    /// Converts an error from before or after the pairing itself.
    private func explain(_ error: any Error, path: ObjectPath) async -> any Error {
        if error is PairingError { return error }
        guard isCancelled || wasPaired else {
            if !isPaired(path), !wasKnown { await remove(path) }
            return error
        }
        if isCancelled {
            if !wasKnown { await remove(path) }
            return PairingError(.cancelled)
        }
        guard let error = error as? BluetoothError, [.link, .timedOut].contains(error.code) else { return error }
        return PairingError(.bondLost, error.description)
    }

    // MARK: The pairing itself

    private func isPaired(_ path: ObjectPath) -> Bool {
        core.mirror.tree[path, Device1.paired] == true || core.mirror.tree[path, Device1.bonded] == true
    }

    private func pair(at path: ObjectPath) async throws {
        guard !isCancelled else { throw PairingError(.cancelled) }
        // BlueZ never answers Pair for a paired device.
        if !isPaired(path) { try await callPair(path) }
        do {
            guard !isCancelled else { throw PairingError(.cancelled) }
            try await trust(path)
        } catch {
            await undo(path)
            throw error
        }
    }

    private func callPair(_ path: ObjectPath) async throws {
        do throws(BusError) {
            _ = try await core.bus.object(Bluez.service, at: path).call(Device1.pair, within: options.limit)
        } catch .remote(name: "org.bluez.Error.AlreadyExists", _) {
            return
        } catch .remote(name: "org.bluez.Error.InProgress", let message) {
            // Another program pairs the device, so there is nothing to undo.
            throw PairingError(.inProgress, message)
        } catch {
            await undo(path)
            if isCancelled { throw PairingError(.cancelled) }
            throw PairingError(error, refusal: agent.refusal, passkeyGiven: agent.hasSentPasskey)
        }
        // Some devices pair without asking for a passkey, and BlueZ allows that.
        guard options.secret == nil || agent.dialog.isSecretUsed else {
            await undo(path)
            throw PairingError(.passkeyNotNeeded)
        }
        guard !options.mustAuthenticate || agent.dialog.isAuthenticated else {
            await undo(path)
            throw PairingError(.notAuthenticated)
        }
        await core.wait(until: core.loop.now + .seconds(5)) { isPaired(path) }
    }

    private func trust(_ path: ObjectPath) async throws {
        guard options.trusts, core.mirror.tree[path, Device1.trusted] != true else { return }
        do throws(BusError) { try await core.set(Device1.trusted, of: path, to: true) } catch {
            if isCancelled { throw PairingError(.cancelled) }
            throw PairingError(error, refusal: nil, passkeyGiven: false)
        }
    }

    /// Cancels the pairing, and removes a bond or a device that didn't exist before.
    private func undo(_ path: ObjectPath) async {
        let device = core.bus.object(Bluez.service, at: path)
        _ = try? await device.call(Device1.cancelPairing, within: .seconds(5))
        guard !wasPaired else { return }
        let isPaired = try? await device.get(Device1.paired, within: .seconds(2))
        if isPaired == true || !wasKnown { await remove(path) }
    }

    private func remove(_ path: ObjectPath) async {
        if core.hasDevice(path) { try? await core.remove(path, within: .seconds(5)) }
    }
}
