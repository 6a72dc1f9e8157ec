import BlekeepOutputs
import BlekeepRecords
import Testing

@testable import BlekeepConfiguration

/// `metrics:`.
@Suite struct MetricsConfigurationTests {
    private func parse(_ text: String) -> (metrics: MetricsConfiguration?, problems: [String]) {
        let part = ConfigurationPart(
            "metrics: \(text)", file: "c", names: CharacteristicNames(find: { _ in nil }, closest: { _ in nil }))
        return (part.configuration.metrics, part.problems.map(\.description))
    }

    @Test(arguments: ["/var/lib/metrics", "/var/lib/metrics/", "/var/lib/metrics//"])
    func readsAFolder(path: String) {
        let (metrics, problems) = parse("{textfile: \(path)}")
        #expect(problems.isEmpty)
        #expect(metrics?.path == "/var/lib/metrics/blekeep.prom")
    }

    @Test(arguments: [
        ("{}", "c:1:10: metrics need their `textfile`; add one, such as `textfile: /var/lib/prometheus/node-exporter`"),
        (
            "{textfile: metrics}",
            "c:1:21: `metrics` isn't an absolute path of a folder; write one such as /var/lib/prometheus/node-exporter"
        ),
        (
            "{textfile: \"\"}",
            "c:1:21: `` isn't an absolute path of a folder; write one such as /var/lib/prometheus/node-exporter"
        ),
        ("{textfile: /a, text: b}", "c:1:25: `metrics` has no key `text`; it has `textfile`"),
        ("/a", "c:1:10: `metrics` is written as keys with values, such as `textfile: …`"),
    ])
    func namesAMistake(text: String, problem: String) {
        #expect(parse(text).problems == [problem])
    }

    @Test func onlyOneFileMaySetIt() {
        let names = CharacteristicNames(find: { _ in nil }, closest: { _ in nil })
        let parts = ["a", "b"].map {
            ConfigurationPart("metrics: {textfile: /\($0)}", file: $0, names: names)
        }
        let merge = ConfigurationMerge(parts)
        #expect(merge.configuration.metrics?.folder == "/a")
        #expect(
            merge.problems.map(\.description) == ["b:1:1: `metrics` is set already at a:1:1; put both into one file"])
    }
}
