import BlekeepOutputs
import BlekeepRecords
import Testing

@testable import BlekeepConfiguration

/// `sinks: influx:` and `sinks: webhook:`.
@Suite struct HTTPConfigurationTests {
    @Test(arguments: [
        ("http://influx", "influx", 80, false, ""), ("https://influx.example/", "influx.example", 443, true, ""),
        ("http://influx:8086", "influx", 8086, false, ""), ("http://[::1]:99/x", "::1", 99, false, "/x"),
        ("https://a/b?c=d", "a", 443, true, "/b?c=d"), ("http://192.0.2.1", "192.0.2.1", 80, false, ""),
    ])
    func readsAURL(text: String, host: String, port: Int, isEncrypted: Bool, path: String) throws {
        let url = try #require(ServerURL.http(text))
        #expect(url.host == host)
        #expect(url.port == port)
        #expect(url.isEncrypted == isEncrypted)
        #expect(url.path == path)
    }

    @Test(arguments: [
        "", "influx", "mqtt://a", "http://", "http://:80", "http://a:0", "http://a:70000", "http://a:b", "http://a:",
        "http://user:secret@a", "http://a b", "http://a/b c", "http://[::1", "http://::1", "http://a.", "http://.a",
        "http://a%41", "http://[fe80::1%25eth0]", "http://[a]", "http://a/#x", "http://é", "http://a?b", "http://a,b",
    ])
    func refusesEverythingElse(text: String) {
        #expect(ServerURL.http(text) == nil)
    }

    private func parse(_ text: String) -> (sinks: SinkConfiguration, problems: [String]) {
        let part = ConfigurationPart(
            "sinks: {\(text)}", file: "c", names: CharacteristicNames(find: { _ in nil }, closest: { _ in nil }))
        return (part.configuration.sinks, part.problems.map(\.description))
    }

    private static let all = "ca_file: /ca, cert_file: /cert, key_file: /key, batch_age: 5s, backlog_rate: 7"

    private var server: HTTPServerConfiguration {
        var server = HTTPServerConfiguration(host: "a", port: 8086, isEncrypted: true)
        (server.caFile, server.certificateFile, server.keyFile) = ("/ca", "/cert", "/key")
        (server.batchAge, server.backlogRate) = (.seconds(5), 7)
        return server
    }

    @Test func readsEveryKeyOfInflux() {
        let first = parse(
            "influx: {url: \"https://a:8086/\", database: d, user: u, password_file: secret, \(Self.all)}")
        #expect(first.problems.isEmpty)
        let database = InfluxConfiguration.Target.database("d", user: "u", passwordFile: "secret")
        #expect(first.sinks.influx == InfluxConfiguration(server: server, target: database))
        let second = parse("influx: {url: \"https://a:8086\", org: o, bucket: b, token_file: /t, \(Self.all)}")
        #expect(second.problems.isEmpty)
        let bucket = InfluxConfiguration.Target.bucket("b", organization: "o", tokenFile: "/t")
        #expect(second.sinks.influx == InfluxConfiguration(server: server, target: bucket))
    }

    @Test func readsEveryKeyOfAWebhook() {
        let (sinks, problems) = parse(
            "webhook: {url: \"https://a:8086/x?y\", token_file: t, header: X-Key, \(Self.all)}")
        #expect(problems.isEmpty)
        var expected = WebhookConfiguration(server: server)
        expected.server.path = "/x?y"
        (expected.tokenFile, expected.header) = ("t", "X-Key")
        #expect(sinks.webhook == expected)
    }

    /// What `config show` prints can be read again.
    @Test(arguments: [
        "influx: {url: \"http://a/b\", database: d}", "influx: {url: \"https://a\", org: o, bucket: b, token_file: t}",
        "webhook: {url: \"http://[::1]:8080/x\", token_file: t}", "webhook: {url: \"http://a\"}",
    ]) func isShownAsItIsRead(text: String) {
        let sinks = parse(text).sinks
        let settings = sinks.settings(SinkConfiguration.keys, at: nil, showing: Showing(configuration: Configuration()))
        guard case .section(let inner, _)? = settings.first?.content else { return #expect(Bool(false)) }
        let shown = inner.compactMap { setting in
            if case .value(let value) = setting.content { "\(setting.key): \(YAMLString.text(value))" } else { nil }
        }
        #expect(parse("\(text.prefix { $0 != ":" }): {\(shown.joined(separator: ", "))}").sinks == sinks)
    }

    @Test(arguments: [
        ("influx: {database: a}", "influx needs its `url`; add one, such as `url: https://influx.example:8086`"),
        ("webhook: {header: a}", "webhook needs its `url`; add one, such as `url: https://hook.example/readings`"),
        (
            "influx: {url: a, database: b}",
            "`url` isn't http://HOST or https://HOST, with :PORT where it is another than 80 or 443"
        ),
        ("influx: {url: \"http://a/?b\", database: b}", "`url` has a query; end it before the `?`"),
        (
            "influx: {url: \"http://a\"}",
            "influx needs a `database` (InfluxDB 1), or `org`, `bucket` and `token_file` (InfluxDB 2)"
        ),
        (
            "influx: {url: \"http://a\", org: b, bucket: c}",
            "InfluxDB 2 needs all of `org`, `bucket` and `token_file`; add those that are missing"
        ),
        (
            "influx: {url: \"http://a\", database: b, bucket: c}",
            "`database` is for InfluxDB 1, and `bucket` for InfluxDB 2; keep one"
        ),
        (
            "influx: {url: \"http://a\", database: b, password_file: c}",
            "`user` and `password_file` belong together; add the other one"
        ),
        (
            "influx: {url: \"http://a\", database: \"\"}",
            "`database` is ``; it can have up to 256 visible characters"
        ),
        (
            "influx: {url: \"http://a\", database: b, ca_file: /x}",
            "`ca_file` has no effect without TLS; write https:// in `url`"
        ),
        (
            "webhook: {url: \"https://a\", key_file: /x}",
            "`cert_file` and `key_file` belong together; add the other one"
        ),
        ("webhook: {url: \"http://a\", header: X}", "`header` needs a `token_file`; add one"),
        (
            "webhook: {url: \"http://a\", token_file: t, header: \"a: b\"}",
            "`header` is `a: b`; it can be a header's name, such as X-Api-Key"
        ),
        ("webhook: {url: \"http://a\", batch_age: 0s}", "`batch_age` is `0s`; it can be from 1s to 5m"),
    ])
    func saysWhatIsWrong(text: String, problem: String) {
        let problems = parse(text).problems
        #expect(problems.count == 1, "\(problems)")
        #expect(problems.first?.hasSuffix(problem) == true, "\(problems)")
    }
}
