import BlekeepConfiguration
import FoundationEssentials
import Glibc
import RunLoop
import SampleReadings
import Testing

@testable import BlekeepCLI

/// Commands that change the configuration at the same time, and some that were killed.
@Suite struct ConfigurationEditTests {
    @Test func changesAtTheSameTimeAllArrive() throws {
        let folder = try TemporaryFolder()
        let file = folder.file("config.yaml")
        let devices = (1...6).map { "  - {address: \"F0:00:00:00:00:0\($0)\", alias: d\($0)}\n" }
        try "devices:\n\(devices.joined())".write(toFile: file, atomically: true, encoding: .utf8)
        let loop = try RunLoop()
        let programs = try (1...6).map { try Program(["set", "d\($0)", "interval", "\($0 + 4)m", "-c", file]) }
        let ends = try loop.run {
            var ends: [Program.End?] = []
            for program in programs { ends.append(try await program.end(on: loop)) }
            return ends
        }
        #expect(ends.allSatisfy { $0 == .exited(0) }, "\(ends)")
        let text = try String(contentsOfFile: file, encoding: .utf8)
        for number in 1...6 { #expect(text.contains("interval: \(number + 4)m"), "\(text)") }
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["config.yaml"])
    }

    @Test func oneLockIsForAllFilesOfAFolder() throws {
        let folder = try TemporaryFolder()
        try FileManager.default.createDirectory(
            atPath: folder.file("blekeep/conf.d"), withIntermediateDirectories: true)
        for name in ["blekeep/config.yaml", "blekeep/conf.d/a.yaml", "own.yaml"] {
            try "".write(toFile: folder.file(name), atomically: true, encoding: .utf8)
        }
        func locked(_ file: String?) -> String {
            let loader = ConfigurationLoader(
                file: file.map { folder.file($0) }, environment: ["XDG_CONFIG_HOME": folder.path], names: .assigned)
            return String(loader.lockFolder.dropFirst(folder.path.count))
        }
        for file in [nil, "blekeep/config.yaml", "blekeep/conf.d/a.yaml"] { #expect(locked(file) == "/blekeep") }
        #expect(locked("own.yaml") == "")
        #expect(locked("missing/own.yaml") == "/missing")
    }
}
