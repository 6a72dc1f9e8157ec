import ArgumentParser
import Blekeep
import BlekeepSimulation
import BusBench
import DBus
import Glibc
import Logging
import RunLoop
import Subprocess

struct Simulate: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "simulate", abstract: "Run a simulated BlueZ on a private message bus.",
        discussion: """
            Any BlueZ client can use it. With a COMMAND, runs the command with DBUS_SYSTEM_BUS_ADDRESS set, and exits \
            with its exit code. Without one, prints that variable and runs until Ctrl-C.

            Examples:
              blekeep simulate -- bluetoothctl devices
              blekeep simulate flaky -- blekeep poll F0:00:01:00:00:01
              blekeep simulate -c my-recipe.yaml asked
              blekeep simulate

            Scenarios:
            \(SimulatedWorld.list)
            """)

    @Argument(help: "The scenario.", completion: .scenario)
    var scenario: String = "house"

    @Option(help: ArgumentHelp("Use this bus instead of starting one.", valueName: "address"))
    var bus: String?

    @OptionGroup var file: ConfigurationOption

    @Argument(parsing: .postTerminator, help: "The command to run, after '--'.")
    var command: [String] = []

    func run() throws {
        var options = try GlobalOptions.parse([])
        options.config = file.config
        let loaded = try file.config == nil ? nil : Composition.loadConfiguration(options)
        let scenario = try SimulatedWorld.scenario(named: scenario, loaded?.configuration.poll)
        let own = try bus == nil ? PrivateBus() : nil
        defer { own?.stop() }
        guard let address = bus ?? own?.address else { return }
        let loop = try RunLoop()
        let world = World(scenario: scenario) { () async throws(BusError) -> any Bus in
            try await LibdbusBus.connect(to: address, on: loop)
        }
        guard !command.isEmpty else { return try serve(world, address: address, on: loop) }
        let code = try loop.run { try await world.mounted { try await run(command, address: address) } }
        guard code == 0 else { throw ExitCode(code) }
    }

    /// Prints the address of the bus, and runs until a signal.
    private func serve(_ world: World, address: String, on loop: RunLoop) throws {
        let end = Gate(loop)
        try loop.runCommand(onEnd: { _ in end.open() }) {
            try await world.mounted {
                try StandardOutput().line("DBUS_SYSTEM_BUS_ADDRESS=\(address)")
                await end.wait()
            }
        }
    }

    private func run(_ command: [String], address: String) async throws -> Int32 {
        // The terminal sends Ctrl-C to the command, too. The simulation ends after the command.
        signal(SIGINT, SIG_IGN)
        let name = command[0]
        let outcome = try await Subprocess.run(
            name.contains("/") ? .path(.init(name)) : .name(name), arguments: .init(Array(command.dropFirst())),
            environment: .inherit.updating(["DBUS_SYSTEM_BUS_ADDRESS": address]),
            input: .fileDescriptor(.standardInput, closeAfterSpawningProcess: false),
            output: .fileDescriptor(.standardOutput, closeAfterSpawningProcess: false),
            error: .fileDescriptor(.standardError, closeAfterSpawningProcess: false))
        switch outcome.terminationStatus {
        case .exited(let code): return code
        case .signaled(let number): return 128 + number
        }
    }
}
