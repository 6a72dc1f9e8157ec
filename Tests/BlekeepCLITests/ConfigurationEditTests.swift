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

    @Test func aRuleInAnotherFileFollowsItsDevice() throws {
        let folder = try TemporaryFolder()
        try FileManager.default.createDirectory(
            atPath: folder.file("blekeep/conf.d"), withIntermediateDirectories: true)
        let (own, alarm) = (folder.file("blekeep/config.yaml"), folder.file("blekeep/conf.d/alarm.yaml"))
        try "devices: [{address: \"F0:00:00:00:00:01\", alias: living}]\n".write(
            toFile: own, atomically: true, encoding: .utf8)
        let rules = """
            rules:
              - name: hot
                when: temperature of living > 30 °C   # in the sun
              - {name: silent, when: no value of F0:00:00:00:00:01 for 2h}

            """
        try rules.write(toFile: alarm, atomically: true, encoding: .utf8)
        let loop = try RunLoop()
        func type(_ line: String) throws -> String {
            let output = folder.file("output")
            let program = try Program(
                shell: """
                    export XDG_CONFIG_HOME=\(folder.path) HOME=\(folder.path)
                    exec "$0" \(line) --bus unix:path=/nowhere > \(output) 2>&1
                    """)
            _ = try loop.run { try await program.end(on: loop) }
            return try String(contentsOfFile: output, encoding: .utf8)
        }
        for (line, name, sentence) in [
            (
                "set living alias 'big room'", "big room",
                "set alias of living to big room in \(own) and in the rule hot"
            ),
            ("unset 'big room' alias", "f00000000001", "removed alias of big room in \(own) and in the rule hot"),
        ] {
            #expect(try type(line).hasPrefix(sentence))
            #expect(
                try String(contentsOfFile: alarm, encoding: .utf8)
                    == rules.replacing("of living", with: "of \(name)"))
        }
        #expect(
            try type("set F0:00:00:00:00:01 address F0:00:00:00:00:02").contains(
                "in \(own) and in the rules hot, silent"))
        #expect(try String(contentsOfFile: alarm, encoding: .utf8).contains("no value of F0:00:00:00:00:02 for 2h"))
        #expect(
            try type("remove F0:00:00:00:00:02") == """
                blekeep: the rule hot is about F0:00:00:00:00:02: remove the rule first, at \(alarm):2:5; \
                'blekeep set F0:00:00:00:00:02 enabled false' keeps both

                """)
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
