import ArgumentParser
import Blekeep
import BlekeepOutputs

struct Add: ContextCommand {
    static let configuration = CommandConfiguration(
        commandName: "add", abstract: "Look at a device and write a configuration for it.",
        discussion: """
            The device gets a file of its own in conf.d; no other file is touched.

            Example:
              blekeep add F0:00:00:00:00:01 --alias greenhouse
            """)

    @Argument(help: ArgumentHelp("The device: its address, or adapter/address.", valueName: "dev"))
    var device: String

    @Option(help: "What to call it.")
    var alias: String?

    @Flag(help: "Print the file instead of writing it.")
    var print = false

    @OptionGroup var options: GlobalOptions

    func validate() throws {
        if let alias, let flaw = AliasRule.flaw(in: alias) {
            throw ValidationError("the alias \(Quoted.harmless(Quoted.text(alias))) \(flaw)")
        }
    }

    func run(in context: CommandContext) async throws {
        var device = try DeviceName.resolve(device, among: [])
        device.alias = alias
        let loader = Composition.configurationLoader(options, environment: context.environment)
        let loaded = try Composition.loadConfiguration(options, environment: context.environment)
        let folder = print ? "" : try folder(loader, loaded)
        try check(device, loaded?.configuration)
        let chosen = device
        let text = try await context.withLink(chosen) { link in
            await DeviceFile(of: chosen, on: link, layouts: context.layouts).text
        }
        guard !print else { return try context.output.write(text) }
        let name = DeviceFile.name(of: device)
        let path = "\(folder)/conf.d/\(name).yaml"
        try NewFile.write(text, to: path)
        try context.output.line("wrote \(path)")
    }

    /// The folder whose conf.d is read.
    private func folder(_ loader: ConfigurationLoader, _ loaded: LoadedConfiguration?) throws(Failure) -> String {
        if let file = loader.file {
            throw Failure(
                .usage,
                "with \(Quoted.harmless(file)) as the configuration no conf.d is read; leave out -c, or use --print")
        }
        if let first = loaded?.files.first {
            for folder in loader.folders where first.hasPrefix(folder + "/") { return folder }
        }
        guard let folder = loader.folders.first else {
            throw Failure(.badConfiguration, "there is no place for a configuration: set HOME, or use --print")
        }
        return folder
    }

    private func check(_ device: DeviceConfiguration, _ configuration: Configuration?) throws(Failure) {
        for other in configuration?.devices ?? [] {
            if other.address == device.address {
                throw Failure(.badConfiguration, "\(device.address) is configured already, as \(other.name)")
            }
            if let alias, other.alias == alias {
                throw Failure(.badConfiguration, "the alias '\(alias)' is taken already, by \(other.address)")
            }
        }
    }
}
