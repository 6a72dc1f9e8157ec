import ArgumentParser
import BlekeepService
import DBus
import Logging

struct PollNow: ContextCommand, PollerCommand {
    static let configuration = CommandConfiguration(
        commandName: "poll-now", abstract: "Make the running poller read devices now.",
        discussion: """
            Without DEV, it reads all devices that aren't paused. Their later ticks don't move. The readings go where \
            those of other ticks go: 'blekeep history' prints them.

            Examples:
              blekeep poll-now greenhouse
              blekeep poll-now
            """)

    @Argument(help: .devices, completion: .device)
    var devices: [String] = []

    @OptionGroup var common: CommonOptions
    @OptionGroup var bus: BusOption

    func run(in context: CommandContext) async throws {
        let poller = try await RunningPoller(context)
        let chosen = try devices.isEmpty ? poller.devices.filter { !$0.isPaused } : poller.choose(devices)
        if chosen.isEmpty { return context.log.notice("every device is paused; 'blekeep resume' reads them again") }
        try await poller.ask(chosen, done: "read") { client throws(BusError) in
            try await client.call(Poller1.pollNow, of: chosen)
        }
    }
}
