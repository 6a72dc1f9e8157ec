import ArgumentParser
import Blekeep
import BlekeepConfiguration
import BlekeepSimulation
import BusBench
import DBus
import Glibc
import RunLoop
import Subprocess
import Synchronization
import SystemPackage

struct Simulate: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "simulate", abstract: "Run a simulated BlueZ on a private message bus.",
        discussion: """
            Any BlueZ client can use it. With a COMMAND, runs the command with DBUS_SYSTEM_BUS_ADDRESS set, and exits \
            with its exit code. Without one, prints that variable and runs until Ctrl-C.

            With --gateways N, simulates N machines of one house, each with a bus of its own. They hear the same \
            devices, and a device has one connection at a time: while one gateway has it, no gateway hears the device. \
            Each device has another nearest gateway, and the others hear it up to 12 dB weaker. The last device of the \
            scenario is heard by the last gateway only. Without a COMMAND, prints a line for each gateway. With one, \
            runs it for each gateway at the same time, with BLEKEEP_GATEWAY set to gateway-1, gateway-2 and so on. \
            Ends when all have ended, with the first exit code that isn't 0.

            Examples:
              blekeep simulate house -- bluetoothctl devices
              blekeep simulate flaky -- blekeep poll F0:00:01:00:00:01
              blekeep simulate -c my-recipe.yaml asked
              blekeep simulate
              blekeep simulate --gateways 2 -- sh -c 'blekeep scan > $BLEKEEP_GATEWAY.txt'

            Scenarios:
            \(SimulatedWorld.list)
            """)

    @Argument(help: "The scenario, or a file that 'capture' wrote.", completion: .scenario)
    var scenario: String = "home"

    @Option(help: ArgumentHelp("Use this bus instead of starting one.", valueName: "address"))
    var bus: String?

    @Option(help: ArgumentHelp("Simulate several machines, 2 to 9.", valueName: "number"))
    var gateways: Int?

    @OptionGroup var file: ConfigurationOption

    @Argument(parsing: .postTerminator, help: "The command to run, after '--'.")
    var command: [String] = []

    func validate() throws {
        guard let gateways else { return }
        if !(2...9).contains(gateways) { throw ValidationError("--gateways must be from 2 to 9") }
        if bus != nil { throw ValidationError("--gateways starts a bus for each gateway; leave out --bus") }
    }

    func run() throws {
        var options = try GlobalOptions.usual
        options.config = file.config
        let loaded = try file.config == nil ? nil : Composition.loadConfiguration(options)
        let (scenario, _) = try SimulatedWorld.plan(scenario, with: loaded?.configuration.poll)
        let scenarios = gateways.map(scenario.gateways) ?? [scenario]
        let own = try bus == nil ? scenarios.map { _ in try PrivateBus() } : []
        defer { for bus in own { bus.stop() } }
        let addresses = bus.map { [$0] } ?? own.map(\.address)
        let loop = try RunLoop()
        let worlds = World.neighbors(scenarios) { (index) async throws(BusError) -> any Bus in
            try await LibdbusBus.connect(to: addresses[index], on: loop)
        }
        guard !command.isEmpty else { return try serve(worlds, addresses: addresses, on: loop) }
        let command = SimulatedCommand()
        let signals = try loop.onSignals([SIGTERM, SIGHUP]) { command.end(by: $0) }
        defer { loop.unwatch(signals) }
        let code = try loop.run {
            try await World.mounted(worlds[...]) { try await run(on: addresses, as: command) }
        }
        guard code == 0 else { throw ExitCode(code) }
    }

    /// Prints the addresses of the buses, and runs until a signal.
    private func serve(_ worlds: [World], addresses: [String], on loop: RunLoop) throws {
        let end = Gate(loop)
        try loop.runCommand(onEnd: { _ in end.open() }) {
            try await World.mounted(worlds[...]) {
                for address in addresses { try StandardOutput().line("DBUS_SYSTEM_BUS_ADDRESS=\(address)") }
                await end.wait()
            }
        }
    }

    /// Runs the command once for each bus, all at the same time.
    /// Returns the first exit code in the order of the gateways that isn't 0; 0 if all are.
    private func run(on addresses: [String], as processes: SimulatedCommand) async throws -> Int32 {
        // The terminal sends Ctrl-C to the command, too. The simulation ends after the command.
        signal(SIGINT, SIG_IGN)
        return try await withThrowingTaskGroup(of: (Int, Int32).self) { group in
            for (index, address) in addresses.enumerated() {
                var variables: [Environment.Key: String?] = ["DBUS_SYSTEM_BUS_ADDRESS": address]
                if gateways != nil { variables["BLEKEEP_GATEWAY"] = "gateway-\(index + 1)" }
                group.addTask { [variables] in (index, try await run(with: variables, as: processes)) }
            }
            var codes = [Int32](repeating: 0, count: addresses.count)
            for try await (index, code) in group { codes[index] = code }
            return codes.first { $0 != 0 } ?? 0
        }
    }

    private func run(with variables: [Environment.Key: String?], as processes: SimulatedCommand) async throws -> Int32 {
        let name = command[0]
        let outcome = try await Subprocess.run(
            name.contains("/") ? .path(.init(name)) : .name(name), arguments: .init(Array(command.dropFirst())),
            environment: .inherit.updating(variables),
            input: .fileDescriptor(.standardInput, closeAfterSpawningProcess: false),
            output: .fileDescriptor(.standardOutput, closeAfterSpawningProcess: false),
            error: .fileDescriptor(.standardError, closeAfterSpawningProcess: false)
        ) { processes.began($0.processIdentifier.value) }
        switch outcome.terminationStatus {
        case .exited(let code): return code
        case .signaled(let number): return 128 + number
        }
    }
}

/// The processes of the command. They end with the simulation, which else would leave them without a bus, and with
/// their locks.
private final class SimulatedCommand: Sendable {
    private let state = Mutex<(processes: [pid_t], ending: Int32?)>(([], nil))

    func began(_ process: pid_t) {
        let ending = state.withLock { state in
            state.processes.append(process)
            return state.ending
        }
        if let ending { kill(process, ending) }
    }

    func end(by signal: Int32) {
        let processes = state.withLock { state in
            state.ending = signal
            return state.processes
        }
        for process in processes { kill(process, signal) }
    }
}
