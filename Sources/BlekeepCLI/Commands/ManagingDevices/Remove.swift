import ArgumentParser
import Blekeep
import BlekeepConfiguration
import BlekeepOutputs
import BlekeepService
import Glibc

struct Remove: ContextCommand, PollerCommand {
    static let configuration = CommandConfiguration(
        commandName: "remove", abstract: "Remove devices from the configuration.",
        discussion: """
            A file in conf.d that has only the device is removed with it. The device's readings stay in the history, and \
            BlueZ keeps its keys: see 'blekeep forget'. 'blekeep set DEV enabled false' keeps the settings of a device.

            Example:
              blekeep remove greenhouse
            """)

    @Argument(help: .devices, completion: .device)
    var devices: [String]

    @Flag(help: "Don't ask before several devices are removed.")
    var yes = false

    @OptionGroup var common: CommonOptions
    @OptionGroup var bus: BusOption

    func run(in context: CommandContext) async throws {
        let files = try DeviceFiles(options, environment: context.environment)
        let chosen = try files.devices(devices)
        if chosen.count > 1, !yes, context.terminal.hasKeyboard {
            let user = TerminalUser(on: context.loop, canAnswer: true)
            guard await user.agrees(to: "Remove \(chosen.count) devices from the configuration?") else { return }
        }
        var changes = DeviceChanges(context)
        for device in chosen {
            try changes.change(device, state: "removed") { () throws(Failure) in
                let path = try files.apply(.removal, to: device).path
                let word = access(path, F_OK) == 0 ? "from" : "with"
                return ("removed \(Untrusted(device.name)) \(word) \(Untrusted.whole(path))", path)
            }
        }
        files.unlock()
        let addresses = Set(changes.devices.map(\.address.description))
        let pronoun = addresses.count == 1 ? "the device" : "the devices"
        try await changes.finish("the running poller no longer reads \(pronoun)") { kept in
            !kept.contains { addresses.contains($0.address) }
        }
    }
}
