import Blekeep
import BlekeepHistory
import Foundation
import RunLoop
import Testing

@testable import BlekeepCLI

/// `export`: its file, and its progress line.
@Suite final class ExportTests {
    private let folder: String

    init() throws {
        folder = NSTemporaryDirectory() + "blekeep-export-\(UInt64.random(in: 0 ... .max))"
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

    private func export(_ arguments: String...) throws {
        let configuration = "\(folder)/config.yaml"
        try "history: \(folder)/history.sqlite\n".write(toFile: configuration, atomically: true, encoding: .utf8)
        let command = try #require(
            try Blekeep.parseAsRoot(["export", "-c", configuration] + arguments) as? Export)
        try command.run()
    }

    /// Once, an export in place of the history lost all of it.
    @Test(arguments: ["history.sqlite", "config.yaml", "link"]) func sparesWhatBlekeepNeeds(name: String) throws {
        try fill()
        try FileManager.default.createSymbolicLink(
            atPath: "\(folder)/link", withDestinationPath: "\(folder)/history.sqlite")
        let what = name == "config.yaml" ? "configuration" : "history"
        let sentence = "\(folder)/\(name) belongs to the \(what); name another file"
        for command in [["export", "--csv", "--file"], ["backup"]] {
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
        func exported(_ arguments: String...) async throws -> String {
            try "history: \(folder)/history.sqlite\n".write(
                toFile: "\(folder)/config.yaml", atomically: true, encoding: .utf8)
            let home = "BLEKEEP_CONFIG=\(folder)/config.yaml HOME=\(folder)"
            let words = arguments.map { "'\($0)'" }.joined(separator: " ")
            let loop = try RunLoop()
            let output = "\(folder)/said"
            let program = try Program(shell: #"export \#(home); exec "$0" export --csv \#(words) > \#(output) 2>&1"#)
            #expect(try loop.run { try await program.end(on: loop) } == .exited(0))
            return try String(contentsOfFile: output, encoding: .utf8)
        }
        #expect(try await exported("attic", "temperature", "--file", file) == "wrote 300 readings to \(file)\n")
        #expect(
            try await exported("attic", "--until", "2026-01-01", "--file", file) == "wrote no readings to \(file)\n")
        #expect(try await exported("attic", "--since", "1s").hasSuffix("\nblekeep: no readings\n"))
    }

    @Test func writesAWholeFile() throws {
        try fill()
        let file = "\(folder)/out.csv"
        try export("--csv", "--file", file)
        let lines = try String(contentsOfFile: file, encoding: .utf8).split(separator: "\n")
        #expect(lines.count == 601)
        #expect(lines.first?.hasPrefix("time,seq,tick,device") == true)
        try export("attic", "--influx", "--file", file)
        let points = try String(contentsOfFile: file, encoding: .utf8).split(separator: "\n")
        #expect(points.count == 300)
        #expect(points.allSatisfy { $0.hasPrefix("ble,device=attic") })
        try export("attic", "cellar", "--json", "--file", file)
        #expect(try String(contentsOfFile: file, encoding: .utf8).split(separator: "\n").count == 600)
        #expect(try names.allSatisfy { !$0.contains(".part") })
    }

    @Test func aFailureLeavesWhatWasThere() throws {
        try fill()
        let file = "\(folder)/out.csv"
        try "old".write(toFile: file, atomically: true, encoding: .utf8)
        #expect(throws: Failure.self) { try self.export("attic", "humidity", "--csv", "--file", file) }
        #expect(throws: Failure.self) { try self.export("nobody", "--csv", "--file", file) }
        #expect(try String(contentsOfFile: file, encoding: .utf8) == "old")
        #expect(throws: Failure.self) { try self.export("--csv", "--file", "\(self.folder)/none/out.csv") }
        #expect(throws: Failure.self) { try self.export("--csv", "--file", self.folder) }
        #expect(try names.allSatisfy { !$0.contains(".part") })
    }

    @Test(arguments: [[], ["--csv", "--json"], ["--csv", "--since", "whenever"]])
    func wantsOneFormatAndTimes(arguments: [String]) {
        #expect(throws: (any Error).self) { try Blekeep.parseAsRoot(["export"] + arguments) }
    }

    @Test func saysHowFarItIs() {
        var progress = ExportProgress(101...200)
        for number in 101...150 as ClosedRange<Int64> { progress.exported(number) }
        #expect(progress.line(after: .seconds(2)) == "50 readings, 25/s, 50 %, 2s left")
        #expect(ExportProgress(7...7).line(after: .zero).hasSuffix("left"))
    }
}
