import ArgumentParser

/// The option to use simulated devices, for commands that otherwise need Bluetooth.
struct SimulationOptions: ParsableArguments {
    @Option(
        name: .customLong("simulate"), defaultAsFlag: "home",
        help: "Use simulated devices instead of real ones. Write it after the other arguments.", completion: .scenario)
    var scenario: String?
}

/// A command that works with simulated devices, too.
protocol SimulatableCommand: ContextCommand, BluetoothCommand {
    var simulation: SimulationOptions { get }
}
