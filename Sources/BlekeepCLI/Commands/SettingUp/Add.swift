import ArgumentParser
import Blekeep
import BlekeepConfiguration
import BlekeepOutputs

struct Add: ContextCommand {
    static let configuration = CommandConfiguration(
        commandName: "add", abstract: "Connect to a device, and write its configuration.",
        discussion: """
            Writes a new file in conf.d, and changes no other file. The running poller reads it at once, if this user may \
            make it.

            Example:
              blekeep add F0:00:00:00:00:01 --alias greenhouse
            """)

    @Argument(help: ArgumentHelp("The device: its address, or adapter/address.", valueName: "dev"))
    var device: String

    @Option(help: "The device's alias.")
    var alias: String?

    @Flag(help: "Print the file instead of writing it.")
    var print = false

    @OptionGroup var options: GlobalOptions

    func validate() throws {
        if let alias, let flaw = AliasRule.flaw(in: alias) {
            throw ValidationError("the alias \(Untrusted.whole(Quoted.text(alias))) \(flaw)")
        }
    }

    func run(in context: CommandContext) async throws {
        var device = try DeviceName.resolve(device, among: [])
        device.alias = alias
        let configuration = try Composition.loadConfiguration(options, environment: context.environment)?.configuration
        try DeviceFilePath.check(device, configuration)
        let path = print ? nil : try DeviceFilePath.path(for: device, options, environment: context.environment)
        let chosen = device
        let text = try await context.withLink(chosen) { link in
            await DeviceFile(of: chosen, on: link, layouts: context.layouts).text
        }
        guard let path else { return try context.output.write(text) }
        try NewFile.write(text, to: path)
        try context.output.line("wrote \(path)")
        try await reload(context, device.address)
    }

    /// Makes the running poller read the new file, if there is a poller.
    private func reload(_ context: CommandContext, _ device: BluetoothAddress) async throws {
        guard await RunningPoller.isThere(context) else { return }
        do {
            try await RunningPoller(context).reload()
            let isKept = try await RunningPoller(context).devices.contains { $0.address == device.description }
            try context.output.line(
                isKept ? "the running poller reads the device now" : "the running poller has another configuration")
        } catch let failure as Failure {
            context.log.warning("the running poller doesn't know the device yet: \(failure.message)")
        }
    }
}
