import ArgumentParser
import BlekeepOutputs

struct Reload: ContextCommand, PollerCommand {
    static let configuration = CommandConfiguration(
        commandName: "reload", abstract: "Make the running poller read its configuration again.",
        discussion: """
            Devices, intervals, characteristics, layouts and sinks may change. A device that isn't changed stays \
            connected, and its ticks don't move. With a mistake in the configuration, nothing changes, and the exit code \
            is 78. The history's path changes only when the poller starts.

            Example:
              blekeep config check && sudo blekeep reload
            """)

    @OptionGroup var common: CommonOptions
    @OptionGroup var bus: BusOption

    func run(in context: CommandContext) async throws {
        let poller = try await RunningPoller(context)
        try await poller.reload()
        let object: JSON = .object(["state": "reloaded"])
        try context.output.line(options.json ? object.text : "the poller has read its configuration again")
    }
}
