import ArgumentParser
import Blekeep
import BlekeepOutputs
import BlekeepSimulation
import BusBench
import DBus
import FoundationEssentials
import Glibc
import Logging
import RunLoop
import Synchronization
import Testing

@testable import BlekeepCLI
@testable import BlekeepLog

/// The output of a command.
final class Collected: Output, @unchecked Sendable {
    private(set) var text = ""
    /// Whether its reader is gone, now that there is this text.
    var isEnough: (String) -> Bool = { _ in false }

    func write(_ text: String) throws {
        self.text += text
        if isEnough(self.text) { throw SinkClosed() }
    }

    var lines: [String] { text.split(separator: "\n").map(String.init) }
}

/// The result of a command: its output, its log, and its failure.
struct Outcome: Sendable {
    var output: String
    var log: [String]
    var failure: Failure?

    var lines: [String] { output.split(separator: "\n").map(String.init) }
    var code: Int32 { failure?.code.rawValue ?? 0 }
}

private let temporaryFolder = FileManager.default.temporaryDirectory.path

/// An empty configuration: the machine's own must not matter.
let emptyConfiguration: String = {
    let path = temporaryFolder + "/blekeep-empty-\(getpid()).yaml"
    try? "devices: []\n".write(toFile: path, atomically: true, encoding: .utf8)
    return path
}()

/// Runs `body` with the path of a configuration file.
func withConfiguration<Result>(_ text: String, _ body: (String) async throws -> Result) async throws -> Result {
    let path = temporaryFolder + "/blekeep-configuration-\(UInt64.random(in: 0 ... .max)).yaml"
    try text.write(toFile: path, atomically: true, encoding: .utf8)
    defer { try? FileManager.default.removeItem(atPath: path) }
    return try await body(path)
}

/// Lines that were logged.
final class Lines: Sendable {
    private let lines = Mutex<[String]>([])

    func add(_ line: String) { lines.withLock { $0.append(line) } }
    var all: [String] { lines.withLock { $0 } }
}

/// Runs a command line in a simulated world, in virtual time.
func run(_ arguments: [String], in scenario: Scenario = .house) async throws -> Outcome {
    let command: any ParsableCommand
    do { command = try BlekeepCLI.Blekeep.parse(arguments) } catch {
        guard let failure = BlekeepCLI.Blekeep.usage(error) else { throw error }
        return Outcome(output: "", log: [], failure: failure)
    }
    guard let command = command as? any ContextCommand else {
        var plain = command
        do { try plain.run() } catch { return Outcome(output: "", log: [], failure: try #require(error as? Failure)) }
        return Outcome(output: "", log: [], failure: nil)
    }
    return try await Bench.run(.virtual, scenario) { bench, _ in
        try await run(command, on: bench.loop) { () async throws(BusError) in try await bench.connect() }
    }
}

/// The options of a command with these arguments.
func globalOptions(_ arguments: [String]) throws -> GlobalOptions { try Doctor.parse(arguments).options }

/// Runs a command on a loop.
///
/// - Parameter connect: returns the bus, for a command that uses one.
func run(
    _ command: some ContextCommand, on loop: RunLoop, output: Collected = Collected(),
    connect: @escaping @Sendable () async throws(BusError) -> any Bus
) async throws -> Outcome {
    var options = command.options
    options.config = options.config ?? emptyConfiguration
    let lines = Lines()
    let level = options.level
    let log = Logger(label: "test") { _ in StandardErrorLog(level: level, isJournal: false, write: lines.add) }
    let context = CommandContext(
        on: loop, options, output: output, terminal: .none, log: log, environment: [:], connect: connect)
    do {
        try await context.run(command)
        return Outcome(output: output.text, log: lines.all, failure: nil)
    } catch {
        return Outcome(output: output.text, log: lines.all, failure: try #require(error as? Failure))
    }
}

/// Runs a command line on a loop of its own, in real time, without a bus.
///
/// - Parameter prepare: what begins on the same loop.
func runInRealTime(
    _ arguments: [String], output: Collected = Collected(),
    prepare: @escaping @Sendable (RunLoop) async -> Void = { _ in }
) throws -> Outcome {
    let command = try #require(try BlekeepCLI.Blekeep.parse(arguments) as? any ContextCommand)
    let loop = try RunLoop()
    return try loop.run {
        await prepare(loop)
        return try await run(command, on: loop, output: output) { () async throws(BusError) in
            throw BusError.forbidden("no bus")
        }
    }
}

/// Compares a text with the one that was looked at and kept. `RECORD_SNAPSHOTS=1` keeps the new one.
func expectSnapshot(_ name: String, _ text: String, _ location: SourceLocation = #_sourceLocation) throws {
    let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("Snapshots")
    let file = folder.appendingPathComponent("\(name).txt")
    if ProcessInfo.processInfo.environment["RECORD_SNAPSHOTS"] != nil {
        try text.write(to: file, atomically: true, encoding: .utf8)
    }
    let kept = try? String(contentsOf: file, encoding: .utf8)
    #expect(kept == text, "differs from Snapshots/\(name).txt", sourceLocation: location)
}

/// Whether nothing in the text could move a cursor, hide or turn the writing round; line feeds end lines.
func isHarmless(_ text: String) -> Bool {
    text.unicodeScalars.allSatisfy { scalar in
        if scalar == "\n" { return true }
        // Letters that fonts draw as nothing.
        if [0x034F, 0x115F, 0x1160, 0x3164, 0xFFA0].contains(scalar.value) { return false }
        switch scalar.properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator: return false
        default: return true
        }
    }
}
