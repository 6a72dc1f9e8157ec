import Blekeep
import BlekeepConfiguration
import BlekeepOutputs
import Glibc

/// The files in conf.d for new devices.
struct NewDeviceFiles: @unchecked Sendable {
    private let context: CommandContext
    private let configured: DeviceFiles?
    /// The folder conf.d.
    private let folder: String

    /// - Throws: before any radio traffic, when blekeep wouldn't read the files.
    init(_ context: CommandContext) throws(Failure) {
        self.context = context
        let (options, environment) = (context.options, context.environment)
        configured = try DeviceFiles.load(options, environment: environment)
        folder = try DeviceFilePath.folder(configured?.all.first, options: options, environment: environment)
    }

    func isConfigured(_ address: BluetoothAddress) -> Bool { configured?.file(of: address) != nil }

    /// Returns the device and its file, if it is configured with the same alias and adapter, as far as these are given.
    func configured(as device: DeviceConfiguration) -> (device: DeviceConfiguration, file: String)? {
        let same = configured?.configuration.poll.devices.first { other in
            other.address == device.address && device.alias.map { $0 == other.alias } ?? true
                && device.adapter.map { $0 == other.adapter } ?? true
        }
        guard let same, let file = configured?.file(of: same.address) else { return nil }
        return (same, file)
    }

    /// - Throws: when the device is configured already, or another one has its alias.
    func check(_ device: DeviceConfiguration) throws(Failure) { try DeviceFilePath.check(device, files: configured) }

    /// Returns the path of a new device's file. Throws when the file exists, too.
    func path(for device: DeviceConfiguration) throws(Failure) -> String {
        try check(device)
        return try DeviceFilePath.path(for: device, in: folder)
    }

    /// Returns an alias that is made from a device's own name, and that no other device and no file has.
    /// Returns `nil` when the name has nothing that an alias may have.
    func alias(from name: String) -> String? {
        AliasRule.alias(from: name) { alias in
            configured?.configuration.poll.devices.contains { $0.isCalled(alias) } == true
                || access("\(folder)/\(DeviceFilePath.name(alias)).yaml", F_OK) == 0
        }
    }

    /// Writes a device's file, if the configuration is good with it. Meanwhile, another command may have added the device.
    func add(_ device: DeviceConfiguration, text: String, to changes: inout DeviceChanges) throws {
        let (options, environment) = (context.options, context.environment)
        try changes.change(device, state: "added") { () throws(Failure) in
            let lock = ConfigurationLock(Composition.configurationLoader(options, environment: environment))
            try lock.acquire()
            defer { lock.release() }
            let path = try DeviceFilePath.path(for: device, options, environment: environment)
            do throws(Failure) {
                _ = try Composition.loadConfiguration(
                    options, environment: environment, mayWait: false, drafts: [path: text])
            } catch {
                throw Failure(
                    .badConfiguration,
                    "nothing was written, because the configuration would be wrong with it:\n\(error.message)")
            }
            try NewFile.write(text, to: path)
            return ("wrote \(Untrusted.whole(path))", path)
        }
    }
}
