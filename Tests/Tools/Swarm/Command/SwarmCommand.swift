import ArgumentParser
import RunLoop

/// `blekeep-swarm`: runs the keeper with random faults, in virtual time, for many seeds.
@main
struct SwarmCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "blekeep-swarm",
        abstract: "Run the whole keeper through random faults in virtual time, and report broken guarantees.")

    @Option(help: ArgumentHelp("How many seeds to run.", valueName: "n"))
    var seeds: Int = 100

    @Option(help: ArgumentHelp("The first seed.", valueName: "s"))
    var seed: UInt64 = 1

    @Flag(help: "Run every seed twice and compare the traces.")
    var twice = false

    func validate() throws {
        if !(1...1_000_000).contains(seeds) { throw ValidationError("--seeds must be from 1 to 1000000") }
        if seed > UInt64.max / 2 { throw ValidationError("--seed must be at most \(UInt64.max / 2)") }
    }

    func run() throws {
        let seeds = seed...(seed + UInt64(seeds) - 1)
        guard try RunLoop().run({ try await SwarmRun(seeds: seeds, isTwice: twice).run() }) else { throw ExitCode(1) }
    }
}
