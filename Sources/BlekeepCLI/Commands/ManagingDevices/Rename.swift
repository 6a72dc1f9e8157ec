import ArgumentParser
import Blekeep
import BlekeepConfiguration
import BlekeepOutputs
import BlekeepService

struct Rename: ContextCommand, PollerCommand {
    static let configuration = CommandConfiguration(
        commandName: "rename", abstract: "Give a configured device another alias.",
        discussion: """
            Changes the alias in the device's configuration file, and in the rules that have it. Readings belong to the \
            device's ID, so that the earlier ones are shown under the new alias, too.

            Example:
              blekeep rename greenhouse cellar
            """)

    @Argument(help: ArgumentHelp("The device: its alias or its address.", valueName: "dev"), completion: .device)
    var device: String

    @Argument(help: "The new alias.")
    var alias: String

    @OptionGroup var common: CommonOptions
    @OptionGroup var bus: BusOption

    func validate() throws { try AliasRule.validate(alias) }

    func run(in context: CommandContext) async throws {
        let files = try DeviceFiles(options, environment: context.environment)
        let device = try files.device(device)
        let (alias, address) = (alias, device.address.description)
        let devices = files.configuration.poll.devices
        if let other = devices.first(where: { $0.alias == alias || $0.id != device.id && $0.isCalled(alias) }) {
            throw Failure(
                .badConfiguration,
                other.address == device.address
                    ? "\(address) has the alias '\(alias)' already"
                    : "the alias '\(alias)' is taken already, by \(other.address)")
        }
        var changes = DeviceChanges(context)
        var renamed = device
        renamed.alias = alias
        try changes.change(renamed, state: "renamed", was: device.name) { () throws(Failure) in
            let (path, rules) = try files.apply(.alias(alias), to: device)
            return ("renamed \(Untrusted(device.name)) to \(alias) in \(Untrusted.whole(path))\(rules)", path)
        }
        files.unlock()
        try await changes.finish("the running poller uses the new alias now") { devices in
            devices.contains { $0.address == address && $0.alias == alias }
        }
    }
}
