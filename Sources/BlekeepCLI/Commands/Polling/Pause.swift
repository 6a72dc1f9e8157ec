import ArgumentParser
import Blekeep
import BlekeepService
import DBus
import Logging

struct Pause: ContextCommand, PollerCommand {
    static let configuration = CommandConfiguration(
        commandName: "pause", abstract: "Make the running poller skip devices.",
        discussion: """
            The poller disconnects a paused device and doesn't read it until 'blekeep resume', or for the time of --for. \
            A pause survives a restart.

            Examples:
              blekeep pause greenhouse --for 1h
              blekeep pause greenhouse freezer
            """)

    @Argument(help: .devices, completion: .device)
    var devices: [String]

    @Option(
        name: .customLong("for"), help: ArgumentHelp("How long, such as 1h; from 1s to 366d.", valueName: "time"),
        transform: DurationArgument.init(parsing:))
    var length: DurationArgument?

    @OptionGroup var common: CommonOptions
    @OptionGroup var bus: BusOption

    func validate() throws {
        if let length, !(Duration.seconds(1)...UserPause.longest).contains(length.duration) {
            throw ValidationError("--for must be from 1s to 366d")
        }
    }

    func run(in context: CommandContext) async throws {
        let poller = try await RunningPoller(context)
        let seconds = length?.duration.components.seconds
        let until = seconds.map { context.wallTime() + $0 * 1000 }
        let chosen = try poller.choose(devices)
        try await poller.ask(chosen, done: "paused", until: until) { client throws(BusError) in
            try await client.call(Poller1.pause, of: chosen, UInt64(clamping: seconds ?? 0))
        }
    }
}

struct Resume: ContextCommand, PollerCommand {
    static let configuration = CommandConfiguration(
        commandName: "resume", abstract: "Make the running poller read paused devices again.",
        discussion: """
            Without DEV, it resumes all that are paused.

            Examples:
              blekeep resume greenhouse
              blekeep resume
            """)

    @Argument(help: .devices, completion: .device)
    var devices: [String] = []

    @OptionGroup var common: CommonOptions
    @OptionGroup var bus: BusOption

    func run(in context: CommandContext) async throws {
        let poller = try await RunningPoller(context)
        let chosen = try devices.isEmpty ? poller.devices.filter(\.isPaused) : poller.choose(devices)
        if chosen.isEmpty { return context.log.notice("no device is paused") }
        try await poller.ask(chosen, done: "resumed") { client throws(BusError) in
            try await client.call(Poller1.resume, of: chosen)
        }
    }
}
