import Blekeep
import BlekeepConfiguration
import BlekeepOutputs
import RunLoop
import Synchronization

/// Devices by their own names, as `scan` shows them.
enum OwnNames {
    /// How long to listen for a device that BlueZ doesn't know.
    private static let length: Duration = .seconds(5)

    /// Returns the device with this name of its own, if only one has it.
    ///
    /// - Throws: the failure that the text is no alias and no address, when no device has that name; the addresses of
    ///   several that have it.
    static func resolve(
        _ text: String, on central: Central, otherwise failure: Failure
    ) async throws -> DeviceConfiguration {
        var found = Set(await central.knownDevices.filter { $0.name == text }.map(\.address))
        if found.isEmpty {
            for try await heard in central.scan(for: length) where heard.name == text { found.insert(heard.address) }
        }
        guard let address = found.first else { throw failure }
        guard found.count == 1 else {
            let addresses = found.sorted().map(\.description).joined(separator: ", ")
            throw Failure(
                .usage, "\(found.count) devices are called '\(Untrusted(text))'; give an address: \(addresses)")
        }
        return DeviceConfiguration(address: address)
    }

    /// Whether a device may have this name, although no configured device has it for an alias or an address.
    static func mayBe(_ text: String, among configured: [DeviceConfiguration]) -> Bool {
        // A misspelled alias needs no search.
        DeviceGroup(text) == nil && !text.isEmpty
            && Spelling.closest(to: text, among: configured.compactMap(\.alias)) == nil
    }
}

extension CommandContext {
    /// Returns the device with this alias, address, or name of its own, which it searches for.
    func nearbyDevice(_ text: String) async throws -> DeviceConfiguration {
        do throws(Failure) { return try device(text) } catch {
            guard error.code == .notFound else { throw error }
            let configured = optionalConfiguration?.poll.devices ?? []
            guard OwnNames.mayBe(text, among: configured), let central = try? await central() else { throw error }
            let named = try await OwnNames.resolve(text, on: central, otherwise: error)
            return configured.first { $0.address == named.address } ?? named
        }
    }

    /// Returns the enabled devices of a group, or the device that `nearbyDevice` finds.
    func nearbyDevices(_ text: String) async throws -> [DeviceConfiguration] {
        guard DeviceGroup(text) != nil else { return [try await nearbyDevice(text)] }
        return try DeviceName.resolveAll(
            [text], among: try validConfiguration()?.poll.devices ?? [], skipsDisabled: true)
    }

    /// Returns the names of devices, with the address in place of a device's own name, for which it searches.
    ///
    /// It runs the loop, and so is for a command that doesn't run on it yet.
    func resolvingOwnNames(_ names: [String]) throws -> [String] {
        let configured = try validConfiguration()?.poll.devices ?? []
        let own = names.filter { name in
            (try? DeviceName.resolveAll([name], among: configured)) == nil && OwnNames.mayBe(name, among: configured)
        }
        guard !own.isEmpty else { return names }
        let found = Mutex<[String: String]>([:])
        try loop.runCommand(onEnd: { number in self.end(.interrupted(number)) }) {
            try await self.run(within: nil) { context in
                for name in own {
                    let device = try await context.nearbyDevice(name)
                    found.withLock { $0[name] = device.address.description }
                }
            }
        }
        return names.map { name in found.withLock { $0[name] } ?? name }
    }
}
