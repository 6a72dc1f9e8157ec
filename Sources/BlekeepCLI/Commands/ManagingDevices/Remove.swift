import ArgumentParser
import Blekeep
import BlekeepConfiguration
import BlekeepOutputs
import Glibc

struct Remove: ContextCommand {
    static let configuration = CommandConfiguration(
        commandName: "remove", abstract: "Remove devices from the configuration.",
        discussion: """
            A file in conf.d that has only the device is removed with it. The device's readings stay in the history, and \
            BlueZ keeps its keys: see 'blekeep forget'. To keep the settings of a device, use 'blekeep disable'.

            Example:
              blekeep remove greenhouse
            """)

    @Argument(
        help: ArgumentHelp("The devices: aliases, addresses, or tag:NAME.", valueName: "dev"), completion: .device)
    var devices: [String]

    @OptionGroup var options: GlobalOptions

    func run(in context: CommandContext) async throws {
        let files = try DeviceFiles(options, environment: context.environment)
        let chosen = try files.devices(devices)
        for device in chosen {
            let path = try files.apply(.removal, to: device)
            let rest = access(path, F_OK) == 0 ? "from \(Untrusted.whole(path))" : "with \(Untrusted.whole(path))"
            try context.output.line("removed \(Untrusted(device.name)) \(rest)")
        }
        try await RunningPoller.takeRemoval(of: chosen, context)
    }
}
