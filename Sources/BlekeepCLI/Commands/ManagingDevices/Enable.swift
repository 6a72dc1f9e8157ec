import ArgumentParser
import Blekeep
import BlekeepConfiguration
import BlekeepOutputs

struct Enable: ContextCommand, PollerCommand {
    static let configuration = CommandConfiguration(
        commandName: "enable", abstract: "Poll disabled devices again.",
        discussion: """
            Example:
              blekeep enable greenhouse
            """)

    @Argument(
        help: ArgumentHelp("The devices: aliases, addresses, tag:NAME, or all.", valueName: "dev"), completion: .device)
    var devices: [String]

    @OptionGroup var common: CommonOptions
    @OptionGroup var bus: BusOption

    func run(in context: CommandContext) async throws {
        try await DeviceChanges.enabling(isOn: true, names: devices, in: context).finishAddition()
    }
}

struct Disable: ContextCommand, PollerCommand {
    static let configuration = CommandConfiguration(
        commandName: "disable", abstract: "Stop polling devices, and keep their configuration.",
        discussion: """
            Writes 'enabled: false' to the device's configuration file. A disabled device is polled only when you name it, \
            as in 'blekeep poll DEV'. To stop the poller for a while, use 'blekeep pause'.

            Example:
              blekeep disable greenhouse
            """)

    @Argument(
        help: ArgumentHelp("The devices: aliases, addresses, tag:NAME, or all.", valueName: "dev"), completion: .device)
    var devices: [String]

    @OptionGroup var common: CommonOptions
    @OptionGroup var bus: BusOption

    func run(in context: CommandContext) async throws {
        try await DeviceChanges.enabling(isOn: false, names: devices, in: context).finishRemoval()
    }
}

extension DeviceChanges {
    /// Enables or disables the devices with these names.
    fileprivate static func enabling(isOn: Bool, names: [String], in context: CommandContext) throws -> Self {
        let files = try DeviceFiles(context.options, environment: context.environment)
        let word = isOn ? "enabled" : "disabled"
        var changes = DeviceChanges(context)
        for device in try files.devices(names) {
            let name = Untrusted(device.name)
            try changes.change(device, state: word) { () throws(Failure) in
                guard device.isEnabled != isOn else {
                    return ("\(name) is \(word) already", files.file(of: device.address))
                }
                let path = try files.apply(.enabled(isOn), to: device).path
                return ("\(word) \(name) in \(Untrusted.whole(path))", path)
            }
        }
        files.unlock()
        return changes
    }
}
