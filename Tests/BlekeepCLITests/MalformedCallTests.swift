import Testing

@testable import BlekeepCLI

@Suite struct MalformedCallTests {
    private static let device = "F0:00:00:00:00:01"

    /// Malformed command lines, each with exit code 2.
    static let calls: [[String]] =
        words.map { ["read", $0, "2a19"] } + words.map { ["read", device, $0] }
        + values.map { ["write", device, "2a19", $0] } + typed.map { ["write", device] + $0 } + others

    private static let words = [
        "", " ", "#", "#1", "2a19#", "2a19#0", "2a19#-1", "2a19#x", "2a19#99999999999999999999", "/", "//", "a//b",
        "tempratur", "0x", "0xg", "2a1", "F0:00:00:00:00", "F0:00:00:00:00:0g", "hci/F0:00:00:00:00:01",
        "\u{1B}[31m", "a\nb", "\u{202E}", "nosuch/2a19", "-", "🧊", "00002a19-0000-1000-8000-00805f9b34f",
    ].filter { !["2a1", "-"].contains($0) }

    private static let values = [
        "", "0x", "0x0", "0xzz", "zz", "hello", "12 34", "u8:256", "u8:-1", "s8:128", "u7:1", "u0:1", "u72:1", "u16:",
        "u16:x", "s16:1.5", "x:1", ":", "hex:0", "\u{1B}", "u64:18446744073709551616", "s64:9223372036854775808",
        "u16:99999999999999999999999999999999999999999999", String(repeating: "00", count: 513),
    ]

    private static let typed: [[String]] = [
        ["2a19", "101"], ["2a19", "-1"], ["2a19", "5.5"], ["2a19", "5 °C"], ["2a19", "1e30"], ["2a19", "1", "2"],
        ["2a19", "battery_level=101"], ["2a19", "battery_level="], ["2a19", "level=5"], ["2a6e", "21.505"],
        ["2a6e", "400"], ["2a6e", "-300"], ["2a6e", "cold"], ["2a6d", "1013"], ["2a6d", "1 bar"], ["2a08", "now"],
        ["2a08", "2023-02-29T12:00:00"], ["2a08", "2023-02-28 12:00:00"], ["2a23", "01"], ["2a2b", "5"],
        ["2a2b", "day_of_week=1"], ["2a37", "flags=0", "heart_rate=60", "energy_expended=1000"],
        ["2a37", "flags=0", "flags=0", "heart_rate=60"], ["2a37", "heart_rate=60"], ["2a19", "--nosuch"],
        ["2a00", String(repeating: "x", count: 513)], ["2a06", "\u{1B}]0;x\u{7}"], ["2a06", "high"],
    ]

    private static let others: [[String]] = [
        ["nosuch"], ["--nosuch"], ["scna"], ["read"], ["read", device], ["write", device], ["write", device, "2a19"],
        ["notify", device], ["gatt"], ["info"], ["add"], ["config", "nosuch"], ["completions"],
        ["completions", "tcsh"], ["scan", "extra"], ["scan", "--timeout"], ["scan", "--timeout", "10x"],
        ["scan", "--timeout", "0s"], ["scan", "--timeout", "-1s"], ["scan", "--rssi", "loud"],
        ["scan", "--rssi", "-200"], ["scan", "--service", "nosuch"], ["scan", "--service", ""],
        ["scan", "--log-level", "loud"], ["scan", "-a", "hci"], ["scan", "-a", "usb0"], ["scan", "-q", "-v"],
        ["notify", device, "2a19", "--count", "0"], ["notify", device, "2a19", "--count", "x"],
        ["notify", device, "2a19", "--xml"], ["notify", device, "2a19", "--csv", "--json"],
        ["read", device, "2a19", "--hex", "--json"], ["add", device, "--alias", ""],
        ["add", device, "--alias", "a/b"], ["add", device, "--alias", device], ["add", "greenhouse"],
        ["poll", "--once", "--count", "3"], ["poll", "--count", "0"], ["poll", "--interval", "1s"],
        ["poll", "--interval", "2d"], ["poll", "--csv", "--json"], ["history", "--json", "--csv"],
        ["report", "--since", "lastweek"], ["report", "--since", "2999-01-01"], ["pause", "x", "--for", "1h30"],
        ["history", "--since", "lastweek"], ["history", "--since", ""], ["history", "--since", "2026-02-30"],
        ["history", "--until", "2026-11-01T24:00"], ["history", "--since", "1h", "--until", "2h"],
        ["plot", "greenhouse", "--since", "1h", "--until", "2h"], ["history", "--every", "7m"],
        ["history", "--every", "day"], ["history", "--follow", "--every", "1h"],
        ["history", "--file", "x", "--follow"], ["history", "--file", "x", "--every", "1h"], ["-a"],
        ["-a", "hci0", "nosuch"], ["status", "--bus", "x"],
        ["history", "-a", "hci0"], ["devices", "F0:00:00:00:00:01"],
        ["version", "--xml"], ["doctor", "--report"], ["scan", "-c", ""], ["scan", "--bus", ""],
        ["decode", "2a6e", "c309", "--cpf", "00"], ["poll", "--simulate", "--bogus"],
        ["simulate", "--gateways", "1"], ["simulate", "--gateways", "10"], ["simulate", "--gateways", "two"],
        ["simulate", "--gateways", "2", "--bus", "unix:path=/run/x"],
    ]

    @Test func thereAreMoreThanAHundred() { #expect(Self.calls.count >= 100, "\(Self.calls.count)") }

    @Test(arguments: calls)
    func saysWhatIsWrong(arguments: [String]) async throws {
        let outcome = try await run(arguments)
        let failure = try #require(outcome.failure, "\(arguments) was taken")
        // A name may be that of a device that isn't there.
        let isUnknown = failure.message.hasPrefix("no device is called '")
        #expect(failure.code == (isUnknown ? .notFound : .usage), "\(arguments): \(failure.message)")
        let first = String(failure.message.split(separator: "\n").first ?? "")
        #expect((10...400).contains(first.count), "\(arguments): \(first)")
        #expect(isHarmless(failure.message), "\(arguments): \(failure.message)")
        #expect(outcome.output.isEmpty)
    }

    /// The parser's errors look like all others.
    @Test(arguments: [
        (
            ["why", "x", "--limit", "-1"],
            "blekeep: Missing value for '--limit <n>'; write --limit=VALUE if the value begins with -\n  "
                + "--limit <n>  The number of lines, the newest ones.\n  'blekeep why --help' shows all options"
        ),
        (
            ["status", "--sort", "x"],
            "blekeep: Unknown option '--sort'. Did you mean '--json'?\n  'blekeep status --help' shows all options"
        ),
        (
            ["scan", "--rssi", "-200"],
            "blekeep: --rssi must be from -127 to 20\n  'blekeep scan --help' shows all options"
        ),
        (
            ["serve", "--listen", "localhost:8199"],
            """
            blekeep: The value 'localhost:8199' is invalid for '--listen <address:port>': 'localhost:8199' isn't an IP address \
            and a port; write one such as 127.0.0.1:8080 or [::1]:8080, and 0.0.0.0:8080 for all of this machine's addresses
              --listen <address:port>  The IP address and port to listen on. (default: 127.0.0.1:8080)
              'blekeep serve --help' shows all options
            """
        ),
    ])
    func aUsageErrorHasTheStyleOfAll(arguments: [String], text: String) async throws {
        #expect(try await run(arguments).failure?.text == text)
    }

    @Test func aSentenceAboutBlekeepHasItsNameOnce() {
        #expect(Failure(.notFound, "blekeep doesn't hear it").text == "blekeep: doesn't hear it")
        #expect(Failure(.notFound, "one\n  more\nblekeep.yaml").text == "blekeep: one\n  more\nblekeep: blekeep.yaml")
    }

    @Test func paragraphsOfTheManualWrapAndExamplesDont() {
        let text = "One\nthought.\n\nExamples:\n  blekeep a\n  blekeep b"
        #expect(
            Roff.discussion(text)
                == [".PP", "One", "thought.", ".PP", ".nf", "Examples:", "  blekeep a", "  blekeep b", ".fi"])
    }

    @Test func theParserGetsWhatItTakesWrongInAnotherSpelling() {
        let negative = ["set", "a", "temperature.offset", "-0.3", "-v"]
        #expect(BlekeepCLI.Blekeep.spelled(negative) == ["set", "a", "temperature.offset", " -0.3", "-v"])
        #expect(BlekeepCLI.Blekeep.spelled(["poll", "--simulate=many"]) == ["poll", "--simulate", "many"])
    }

    @Test func warnsAboutUnknownVariables() {
        #expect(EnvironmentVariable.warnings(about: ["BLEKEEP_CONFIG": "x", "HOME": "/", "BLEKEEPER": "1"]).isEmpty)
        let ofCommands = ["BLEKEEP_GATEWAY": "gateway-1", "BLEKEEP_NOTICE": "1"]
        #expect(EnvironmentVariable.warnings(about: ofCommands).isEmpty)
        let warnings = EnvironmentVariable.warnings(about: ["BLEKEEP_COLOUR": "secret", "blekeep_confg": "x"])
        #expect(
            warnings == [
                "blekeep doesn't know the variable BLEKEEP_COLOUR; it knows BLEKEEP_CONFIG, BLEKEEP_GATEWAY",
                "blekeep doesn't know the variable blekeep_confg; did you mean BLEKEEP_CONFIG?",
            ])
        let many = Dictionary(uniqueKeysWithValues: (0..<100).map { ("BLEKEEP_\($0)", "") })
        #expect(EnvironmentVariable.warnings(about: many).count == 8)
    }

    @Test func ignoresEmptyVariables() throws {
        #expect(try GlobalOptions.usual.configurationFile(in: ["BLEKEEP_CONFIG": ""]) == nil)
    }
}
