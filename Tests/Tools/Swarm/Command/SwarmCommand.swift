import ArgumentParser
import FoundationEssentials
import RunLoop
import Swarming

/// `blekeep-swarm`: runs the poller with random faults, in virtual time, for many seeds.
@main
struct SwarmCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "blekeep-swarm",
        abstract: "Run the whole poller through random faults in virtual time, and report broken guarantees.")

    @Option(help: ArgumentHelp("How many seeds to run.", valueName: "n"))
    var seeds: Int = 100

    @Option(help: ArgumentHelp("The first seed.", valueName: "s"))
    var seed: UInt64 = 1

    @Flag(help: "Run every seed twice and compare the traces.")
    var twice = false

    @Option(help: ArgumentHelp("Write what each seed did to this file, as a line of hashes a seed.", valueName: "file"))
    var digests: String?

    @Option(
        help: ArgumentHelp("Compare what each seed did with this file, which --digests made.", valueName: "file"))
    var expect: String?

    @Option(help: ArgumentHelp("Run a fleet of gateways instead, with an MQTT broker in memory.", valueName: "n"))
    var gateways: Int?

    @Flag(help: "With --gateways: a database in memory instead of the broker.")
    var database = false

    @Option(help: ArgumentHelp("Run only what many gateways decide with a database.", valueName: "n"))
    var crowd: Int?

    @Option(help: ArgumentHelp("With --crowd: the sensors for each gateway.", valueName: "n"))
    var sensors: Int = 10

    @Option(help: ArgumentHelp("With --crowd: how long, in hours of virtual time.", valueName: "hours"))
    var hours: Double = 24

    @Flag(help: "With --crowd: nothing fails.")
    var quiet = false

    @Flag(help: "Run only what fills gaps from a sensor's own memory.")
    var memories = false

    @Flag(help: "Print every event of one seed, to find the cause of a violation.")
    var trace = false

    func validate() throws {
        if !(1...1_000_000).contains(seeds) { throw ValidationError("--seeds must be from 1 to 1000000") }
        if let gateways, !(2...20).contains(gateways) { throw ValidationError("--gateways must be from 2 to 20") }
        if let crowd, !(3...10_000).contains(crowd) { throw ValidationError("--crowd must be from 3 to 10000") }
        if !(1...1000).contains(sensors) { throw ValidationError("--sensors must be from 1 to 1000") }
        if !(0.1...1000).contains(hours) { throw ValidationError("--hours must be from 0.1 to 1000") }
        if seed > UInt64.max / 2 { throw ValidationError("--seed must be at most \(UInt64.max / 2)") }
    }

    func run() throws {
        if trace {
            let outcome = try RunLoop().run { [seed] in try await Swarm.run(seed: seed) { print($0, $1) } }
            guard outcome.violations.isEmpty else { throw ExitCode(1) }
            return
        }
        let seeds = seed...(seed + UInt64(seeds) - 1)
        if memories {
            let broken = try seeds.count { seed in
                guard let problem = try MemoryLife.run(seed: seed) else { return false }
                print("seed \(seed), trace 0: \(problem)")
                return true
            }
            print("\(seeds.count) seeds, \(broken) broken")
            guard broken == 0 else { throw ExitCode(1) }
            return
        }
        if let gateways {
            let isWell = try RunLoop().run {
                try await FleetRun(seeds: seeds, gateways: gateways, byDatabase: database).run()
            }
            guard isWell else { throw ExitCode(1) }
            return
        }
        if let crowd {
            let size = FleetCrowd.Size(gateways: crowd, sensors: sensors, hours: hours, hasFaults: !quiet)
            guard try CrowdRun(seeds: seeds, size: size).run() else { throw ExitCode(1) }
            return
        }
        let expected = try expect.map { path in
            guard let file = DigestFile(try String(contentsOfFile: path, encoding: .utf8)) else {
                throw ValidationError("\(path) isn't a file that --digests made")
            }
            return file
        }
        let run = SwarmRun(seeds: seeds, isTwice: twice)
        let (isWell, found) = try RunLoop().run { try await run.run() }
        if let digests { try found.text.write(toFile: digests, atomically: true, encoding: .utf8) }
        let differences = expected.map(found.differences) ?? []
        for line in differences { print(line) }
        if expected != nil { print("\(seeds.count) seeds compared, \(differences.count) did something else") }
        guard isWell, differences.isEmpty else { throw ExitCode(1) }
    }
}
