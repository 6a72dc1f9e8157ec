import Blekeep
import BlekeepOutputs
import FoundationEssentials
import RunLoop
import Testing

@testable import BlekeepCLI
@testable import BlekeepConfiguration
@testable import BlekeepLog

/// Characters that count as letters and that fonts draw as nothing, in text from outside.
@Suite struct FillerTests {
    private static let fillers: [Unicode.Scalar] = ["\u{034F}", "\u{115F}", "\u{1160}", "\u{3164}", "\u{FFA0}"]

    @Test(arguments: fillers) func areSpelledOutWhereverTextIsShown(filler: Unicode.Scalar) throws {
        let text = "a\(filler)b"
        let place = ConfigurationLocation(file: text, line: 1, column: 1)
        let lines = Lines()
        StandardErrorLog(level: .info, isJournal: false, write: lines.add).log(
            event: .init(
                level: .warning, message: "\(text)", metadata: nil, source: "", file: "", function: "", line: 0))
        let address = try #require(BluetoothAddress("F0:00:00:00:00:01"))
        let reading = Reading(
            time: 0, tick: 1, device: text, address: address, service: nil, characteristic: BluetoothUUID(0x2A00),
            name: text,
            outcome: .value(Measurement(field: text, value: .text(text), state: text, unit: text), raw: []))
        var shown = [
            Untrusted(text).description, Untrusted.whole(text), YAMLString.quoted(text), place.description,
            ConfigurationProblem(place: place, message: Quoted.text(text)).description,
            Failure(.usage, Untrusted(text).description).message,
        ]
        shown += lines.all
        let writers: [any LineWriter] = [
            HumanLineWriter(), CSVLineWriter(), InfluxLineWriter(),
        ]
        shown += writers.map { $0.line(StoredReading(sequence: 1, reading: reading)) }
        for line in shown {
            #expect(line.contains("a\\") && !line.unicodeScalars.contains(filler), "\(line.debugDescription)")
        }
        #expect(AliasRule.flaw(in: text) == "has invisible characters; remove them")
    }

    /// The program itself, as its output goes to a file.
    @Test(arguments: ["check", "show"]) func areSpelledOutByConfig(command: String) async throws {
        let folder = "/tmp/blekeep-filler-\(UInt64.random(in: 0 ... .max))"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let layout = "layouts: [{uuid: fff1, name: \"x\u{115F}\u{3164}\", fields: [{name: a, type: uint8}]}]\n"
        for (name, text) in [("good", layout), ("bad", "\u{115F}\u{3164}: 1\ninterval: \u{3164}\u{115F}\n")] {
            let file = "\(folder)/\(name)\u{115F}\u{3164}.yaml"
            try text.write(toFile: file, atomically: true, encoding: .utf8)
            let loop = try RunLoop()
            try loop.run {
                let program = try Program(
                    shell: "exec \"$0\" config \(command) -c '\(file)' > \(folder)/said 2>&1")
                let end = try await program.end(on: loop)
                #expect(end == .exited(name == "good" ? 0 : 78))
            }
            let said = try String(contentsOfFile: "\(folder)/said", encoding: .utf8)
            #expect(said.contains("115F") && said.contains("3164") && isHarmless(said), "\(said.debugDescription)")
        }
    }
}
