import Blekeep
import BlekeepHistory
import Foundation
import RunLoop
import Testing

@testable import BlekeepCLI

/// `history --file`.
@Suite final class HistoryFileTests {
    private let folder: String

    init() throws {
        folder = NSTemporaryDirectory() + "blekeep-file-\(UInt64.random(in: 0 ... .max))"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(atPath: folder) }

    private func fill() throws {
        let history = try History(path: "\(folder)/history.sqlite")
        defer { history.close() }
        let readings = try (1...600).map { number in
            Reading(
                time: 1_795_219_200_000 + Int64(number) * 1000, tick: number,
                device: number % 2 == 0 ? "attic" : "cellar",
                address: try #require(BluetoothAddress("F0:00:00:00:00:0\(1 + number % 2)")),
                service: BluetoothUUID(0x181A), characteristic: BluetoothUUID(0x2A6E), name: "Temperature",
                outcome: .value(Measurement(field: "temperature", value: .integer(Int64(number)), unit: "°C"), raw: []))
        }
        _ = try history.append(readings, durable: false)
    }

    private func write(_ arguments: String...) throws {
        let configuration = "\(folder)/config.yaml"
        try "history: \(folder)/history.sqlite\n".write(toFile: configuration, atomically: true, encoding: .utf8)
        let command = try #require(
            try Blekeep.parseAsRoot(["history", "-c", configuration] + arguments) as? HistoryCommand)
        try command.run()
    }

    /// Once, an export in place of the history lost all of it.
    @Test(arguments: ["history.sqlite", "config.yaml", "link"]) func sparesWhatBlekeepNeeds(name: String) throws {
        try fill()
        try FileManager.default.createSymbolicLink(
            atPath: "\(folder)/link", withDestinationPath: "\(folder)/history.sqlite")
        let what = name == "config.yaml" ? "configuration" : "history"
        let sentence = "\(folder)/\(name) belongs to the \(what); name another file"
        for command in [["history", "--csv", "--file"], ["backup"]] {
            let configuration = "\(folder)/config.yaml"
            try "history: \(folder)/history.sqlite\n".write(toFile: configuration, atomically: true, encoding: .utf8)
            var command = try Blekeep.parseAsRoot(command + ["\(folder)/\(name)", "-c", configuration])
            let failure = #expect(throws: Failure.self) { try command.run() }
            #expect(failure?.code == .usage && failure?.message == sentence)
        }
        let reader = try HistoryReader(path: "\(folder)/history.sqlite")
        #expect(try reader.lastSequence() == 600)
    }

    private var names: [String] { get throws { try FileManager.default.contentsOfDirectory(atPath: folder) } }

    @Test func takesFieldsAndDevicesThatAreNotConfigured() async throws {
        try fill()
        let file = "\(folder)/out.csv"
        func written(_ arguments: String...) async throws -> String {
            try "history: \(folder)/history.sqlite\n".write(
                toFile: "\(folder)/config.yaml", atomically: true, encoding: .utf8)
            let home = "BLEKEEP_CONFIG=\(folder)/config.yaml HOME=\(folder)"
            let words = arguments.map { "'\($0)'" }.joined(separator: " ")
            let loop = try RunLoop()
            let output = "\(folder)/said"
            let program = try Program(shell: #"export \#(home); exec "$0" history --csv \#(words) > \#(output) 2>&1"#)
            #expect(try loop.run { try await program.end(on: loop) } == .exited(0))
            return try String(contentsOfFile: output, encoding: .utf8)
        }
        #expect(try await written("attic", "temperature", "--file", file) == "wrote 300 readings to \(file)\n")
        #expect(
            try await written("attic", "--until", "2026-01-01", "--file", file) == "wrote no readings to \(file)\n")
        #expect(try await written("attic", "--since", "1s").hasPrefix("time,"))
    }

    @Test func writesAWholeFile() throws {
        try fill()
        let file = "\(folder)/out.csv"
        try write("--csv", "--file", file)
        let lines = try String(contentsOfFile: file, encoding: .utf8).split(separator: "\n")
        #expect(lines.count == 601)
        #expect(lines.first?.hasPrefix("time,seq,tick,device") == true)
        try write("attic", "--influx", "--file", file)
        let points = try String(contentsOfFile: file, encoding: .utf8).split(separator: "\n")
        #expect(points.count == 300)
        #expect(points.allSatisfy { $0.hasPrefix("ble,device=attic") })
        try write("attic", "cellar", "--json", "--file", file)
        #expect(try String(contentsOfFile: file, encoding: .utf8).split(separator: "\n").count == 600)
        #expect(try names.allSatisfy { !$0.contains(".part") })
    }

    @Test func aFailureLeavesWhatWasThere() throws {
        try fill()
        let file = "\(folder)/out.csv"
        try "old".write(toFile: file, atomically: true, encoding: .utf8)
        #expect(throws: Failure.self) { try self.write("attic", "humidity", "--csv", "--file", file) }
        #expect(throws: Failure.self) { try self.write("nobody", "--csv", "--file", file) }
        #expect(try String(contentsOfFile: file, encoding: .utf8) == "old")
        #expect(throws: Failure.self) { try self.write("--csv", "--file", "\(self.folder)/none/out.csv") }
        #expect(throws: Failure.self) { try self.write("--csv", "--file", self.folder) }
        #expect(try names.allSatisfy { !$0.contains(".part") })
    }

    @Test(arguments: [["--follow"], ["--every", "1h"]])
    func aFileIsNotForSummariesOrNewReadings(arguments: [String]) {
        #expect(throws: (any Error).self) { try Blekeep.parseAsRoot(["history", "--file", "x"] + arguments) }
    }
}
