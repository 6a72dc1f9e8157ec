import ArgumentParser
import Blekeep
import BlekeepSimulation
import BusBench
import DBus
import Foundation
import Logging
import RunLoop
import Testing

@testable import BlekeepCLI
@testable import BlekeepLog

/// The output of a command.
final class Collected: Output, @unchecked Sendable {
    private(set) var text = ""

    func write(_ text: String) { self.text += text }

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

/// An empty configuration: the machine's own must not matter.
let emptyConfiguration: String = {
    let path = NSTemporaryDirectory() + "blekeep-empty-\(getpid()).yaml"
    try? "devices: []\n".write(toFile: path, atomically: true, encoding: .utf8)
    return path
}()

/// Runs `body` with the path of a configuration file.
func withConfiguration<Result>(_ text: String, _ body: (String) async throws -> Result) async throws -> Result {
    let path = NSTemporaryDirectory() + "blekeep-configuration-\(UInt64.random(in: 0 ... .max)).yaml"
    try text.write(toFile: path, atomically: true, encoding: .utf8)
    defer { try? FileManager.default.removeItem(atPath: path) }
    return try await body(path)
}

/// Lines that were logged.
final class Lines: @unchecked Sendable {
    private let lock = NSLock()
    private var lines: [String] = []

    func add(_ line: String) { lock.withLock { lines.append(line) } }
    var all: [String] { lock.withLock { lines } }
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
    return try await Bench.run(.virtual, scenario) { bench, _ in try await run(command, on: bench) }
}

private func run(_ command: some ContextCommand, on bench: Bench) async throws -> Outcome {
    var options = command.options
    options.config = options.config ?? emptyConfiguration
    let output = Collected()
    let lines = Lines()
    let level = options.level
    let log = Logger(label: "test") { _ in StandardErrorLog(level: level, isJournal: false, write: lines.add) }
    let context = CommandContext(
        on: bench.loop, options, output: output, terminal: .none, log: log, environment: [:]
    ) { () async throws(BusError) in try await bench.connect() }
    do {
        try await context.run(command)
        return Outcome(output: output.text, log: lines.all, failure: nil)
    } catch {
        return Outcome(output: output.text, log: lines.all, failure: try #require(error as? Failure))
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
