import ArgumentParser
import BlekeepOutputs
import Testing

@testable import BlekeepCLI

struct FormatOptionsTests {
    /// The commands that print readings, each with the arguments that it needs.
    private static let commands = [
        ["poll"], ["read", "x", "2a19"], ["notify", "x", "2a19"], ["values"], ["history"],
    ]

    @Test(arguments: commands) func everyCommandTakesEveryFormat(_ command: [String]) throws {
        for format in LineFormat.allCases {
            let options = format == .human ? [] : ["--\(format.rawValue)"]
            let parsed = try Blekeep.parseAsRoot(command + options)
            #expect((parsed as? any OptionsCommand & FormattedCommand)?.format == format)
        }
    }

    @Test(arguments: commands) func twoFormatsExcludeEachOther(_ command: [String]) {
        for formats in [["--json", "--csv"], ["--influx", "--value"]] {
            let error = #expect(throws: (any Error).self) { try Blekeep.parseAsRoot(command + formats) }
            #expect(error.map { Blekeep.message(for: $0) }?.contains("exclude each other") == true)
        }
    }

    @Test func summariesHaveNoLineProtocol() {
        #expect(throws: (any Error).self) { try Blekeep.parseAsRoot(["history", "--every", "1h", "--influx"]) }
    }
}
