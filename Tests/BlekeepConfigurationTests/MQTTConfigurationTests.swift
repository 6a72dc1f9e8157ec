import BlekeepOutputs
import BlekeepRecords
import Testing

@testable import BlekeepConfiguration

/// `sinks: mqtt:`.
@Suite struct MQTTConfigurationTests {
    @Test(arguments: [
        ("mqtt://broker", "broker", 1883, false), ("mqtts://broker.example/", "broker.example", 8883, true),
        ("mqtts://broker:1234", "broker", 1234, true), ("mqtt://[fe80::1]:99", "fe80::1", 99, false),
        ("mqtt://[::1]", "::1", 1883, false),
    ])
    func readsAURL(text: String, host: String, port: Int, isEncrypted: Bool) throws {
        let url = try #require(ServerURL.mqtt(text))
        #expect(url.host == host)
        #expect(url.port == port)
        #expect(url.isEncrypted == isEncrypted)
    }

    @Test(arguments: [
        "", "broker", "http://broker", "mqtt://", "mqtt://:1883", "mqtt://a:0", "mqtt://a:70000", "mqtt://a:b",
        "mqtt://user:secret@broker", "mqtt://a/b", "mqtt://a b", "mqtt://[::1", "mqtt://::1", "mqtt://a:",
    ])
    func refusesEverythingElse(text: String) {
        #expect(ServerURL.mqtt(text) == nil)
    }

    private func parse(_ text: String) -> (mqtt: MQTTConfiguration?, problems: [String]) {
        let part = ConfigurationPart(
            "sinks: {mqtt: {\(text)}}", file: "c",
            names: CharacteristicNames(find: { _ in nil }, closest: { _ in nil }))
        return (part.configuration.sinks.mqtt, part.problems.map(\.description))
    }

    /// Other programs call them so.
    @Test func saysHowUsualKeysAreWritten() {
        let (_, problems) = parse("host: a, port: 1883, username: b, password: c")
        let url = "write `url: mqtt://HOST:PORT`"
        #expect(
            Array(problems.prefix(4)) == [
                "c:1:16: `mqtt` has no key `host`; \(url)", "c:1:25: `mqtt` has no key `port`; \(url)",
                "c:1:37: `mqtt` has no key `username`; write `user`",
                "c:1:50: `mqtt` has no key `password`; write `password_file`, the path of a file that has it",
            ])
    }

    @Test func readsEveryKey() throws {
        let (mqtt, problems) = parse(
            """
            url: "mqtts://broker:1234", version: 3.1.1, user: me, password_file: secret, ca_file: /ca, \
            cert_file: /cert, key_file: /key, base: b, fleet: f, keepalive: 30s, backlog_rate: 7, discovery: ha, \
            commands: [poll, set]
            """)
        #expect(problems.isEmpty)
        var expected = MQTTConfiguration(
            host: "broker", port: 1234, isEncrypted: true, gateway: Configuration.hostGateway)
        (expected.version, expected.user, expected.passwordFile) = (.v311, "me", "secret")
        (expected.caFile, expected.certificateFile, expected.keyFile) = ("/ca", "/cert", "/key")
        (expected.base, expected.backlogRate, expected.discovery) = ("b", 7, "ha")
        expected.commands = [.poll, .set]
        (expected.fleet, expected.keepAlive) = ("f", .seconds(30))
        #expect(mqtt == expected)
    }

    @Test(arguments: [
        ("postgresql://a@db/b", true, "scram-sha-256"), ("postgresql://a@db/b?sslmode=disable", false, "scram-sha-256"),
        ("postgresql://a@db/b?sslmode=disable&require_auth=md5", false, "md5"),
        ("postgresql:///b?require_auth=password", false, "password"),
    ])
    func aDatabasesURLSaysHowItMayAskForThePassword(text: String, isEncrypted: Bool, method: String) throws {
        let url = try #require(PostgresURL(text))
        #expect(url.isEncrypted == isEncrypted && url.passwordMethod.rawValue == method && url.text == text)
    }

    @Test(arguments: [
        "?", "?sslmode", "?sslmode=require", "?require_auth=none", "?sslmode=disable&", "?&sslmode=disable",
    ])
    func aDatabasesURLHasNoOtherOptions(options: String) {
        #expect(PostgresURL("postgresql://a@db/b\(options)") == nil)
    }

    /// Older libraries abort at a property that they don't know.
    @Test(arguments: [(2_000_011, false), (2_000_015, false), (2_000_016, true), (2_001_000, true)])
    func speaksVersion5WithASoundLibrary(library: Int, isSound: Bool) {
        #expect(parse("url: \"mqtt://broker\"").mqtt?.isVersion5(with: library) == isSound)
        #expect(parse("url: \"mqtt://broker\"").mqtt?.versionWarning(with: library) == nil)
        #expect(parse("url: \"mqtt://broker\", version: 3.1.1").mqtt?.isVersion5(with: library) == false)
        let chosen = parse("url: \"mqtt://broker\", version: 5").mqtt
        #expect(chosen?.isVersion5(with: library) == true)
        #expect((chosen?.versionWarning(with: library) == nil) == isSound)
    }

    @Test func aFleetNoticesSoonerThatAGatewayIsGone() throws {
        let (mqtt, problems) = parse("url: \"mqtt://broker\", discovery: false")
        #expect(problems.isEmpty)
        #expect(mqtt?.discovery == nil && mqtt?.keepAlive == .seconds(60))
        #expect(parse("url: \"mqtt://broker\", fleet: home").mqtt?.keepAlive == .seconds(20))
        #expect(parse("url: \"mqtt://broker\", fleet: home, keepalive: 90s").mqtt?.keepAlive == .seconds(90))
    }

    @Test(arguments: [
        ("user: a", "mqtt needs its `url`; add one, such as `url: mqtts://broker.example`"),
        ("url: a", "`url` isn't mqtt://HOST or mqtts://HOST, with :PORT where it is another than 1883 or 8883"),
        (
            "url: \"mqtt://a\", commands: [reboot]", "`reboot` isn't a command; `commands` can have poll, pause and set"
        ),
        ("url: \"mqtt://a\", fleet: a/b", "`fleet` is `a/b`; it can have up to 64 letters, digits, `_` and `-`"),
        ("url: \"mqtt://a\", fleet: \"+\"", "`fleet` is `+`; it can have up to 64 letters, digits, `_` and `-`"),
        ("url: \"mqtt://a\", version: 4", "`version` is `4`; it can be auto, 5 or 3.1.1"),
        ("url: \"mqtt://a\", password_file: x", "`password_file` needs a `user`; add one"),
        ("url: \"mqtt://a\", ca_file: /x", "`ca_file` has no effect without TLS; write mqtts:// in `url`"),
        ("url: \"mqtts://a\", cert_file: /x", "`cert_file` and `key_file` belong together; add the other one"),
        (
            "url: \"mqtt://a\", user: a, password_file: b/c",
            "`b/c` is neither the whole path of a file nor a credential's name"
        ),
    ])
    func saysWhatIsWrong(text: String, problem: String) {
        let problems = parse(text).problems
        #expect(problems.count == 1)
        #expect(problems.first?.hasSuffix(problem) == true, "\(problems)")
    }
}
