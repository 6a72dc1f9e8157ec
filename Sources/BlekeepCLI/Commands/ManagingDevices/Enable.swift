import ArgumentParser
import Blekeep
import BlekeepConfiguration
import BlekeepOutputs

struct Enable: ContextCommand {
    static let configuration = CommandConfiguration(
        commandName: "enable", abstract: "Poll disabled devices again.",
        discussion: """
            Example:
              blekeep enable greenhouse
            """)

    @Argument(
        help: ArgumentHelp("The devices: aliases, addresses, or tag:NAME.", valueName: "dev"), completion: .device)
    var devices: [String]

    @OptionGroup var options: GlobalOptions

    func run(in context: CommandContext) async throws {
        let chosen = try DeviceFiles.enable(true, devices, context)
        try await RunningPoller.takeChange(context, "the running poller reads \(chosen.pronoun) now") { devices in
            chosen.allSatisfy { device in devices.contains { $0.address == device.address.description } }
        }
    }
}

struct Disable: ContextCommand {
    static let configuration = CommandConfiguration(
        commandName: "disable", abstract: "Stop polling devices, and keep their configuration.",
        discussion: """
            Writes 'enabled: false' to the device's configuration file. A disabled device is polled only when you name it, \
            as in 'blekeep poll DEV'. To stop the poller for a while, use 'blekeep pause'.

            Example:
              blekeep disable greenhouse
            """)

    @Argument(
        help: ArgumentHelp("The devices: aliases, addresses, or tag:NAME.", valueName: "dev"), completion: .device)
    var devices: [String]

    @OptionGroup var options: GlobalOptions

    func run(in context: CommandContext) async throws {
        let chosen = try DeviceFiles.enable(false, devices, context)
        try await RunningPoller.takeRemoval(of: chosen, context)
    }
}

extension DeviceFiles {
    /// Enables or disables devices, and prints what changed.
    ///
    /// - Returns: the devices.
    fileprivate static func enable(
        _ isOn: Bool, _ names: [String], _ context: CommandContext
    ) throws -> [DeviceConfiguration] {
        let files = try DeviceFiles(context.options, environment: context.environment)
        let chosen = try files.devices(names)
        let word = isOn ? "enabled" : "disabled"
        for device in chosen {
            guard device.isEnabled != isOn else {
                try context.output.line("\(Untrusted(device.name)) is \(word) already")
                continue
            }
            let path = try files.apply(.enabled(isOn), to: device)
            try context.output.line("\(word) \(Untrusted(device.name)) in \(Untrusted.whole(path))")
        }
        return chosen
    }
}

extension [DeviceConfiguration] {
    var pronoun: String { count == 1 ? "the device" : "the devices" }
}
