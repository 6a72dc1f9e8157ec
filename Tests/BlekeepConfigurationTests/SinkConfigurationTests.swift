import BlekeepOutputs
import BlekeepRecords
import Testing

@testable import BlekeepConfiguration

@Suite struct SinkConfigurationTests {
    private func parse(_ text: String) -> (sinks: SinkConfiguration, problems: [String]) {
        let part = ConfigurationPart(
            text, file: "c", names: CharacteristicNames(find: { _ in nil }, closest: { _ in nil }))
        return (part.configuration.sinks, part.problems.map(\.description))
    }

    @Test func aFileHasAPathASizeAndANumber() {
        #expect(
            parse("sinks: {file: {path: /x/y, size: 2MiB, keep: 7}}").sinks.file
                == SinkConfiguration.File(path: "/x/y", size: 2 << 20, keep: 7))
        let usual = parse("sinks:\n  file:\n    path: /x/y\n")
        #expect(usual.sinks.file == SinkConfiguration.File(path: "/x/y", size: 10 << 20, keep: 4))
        #expect(usual.problems.isEmpty)
    }

    @Test(arguments: [
        (
            "sinks: {file: {size: 1MiB}}",
            "c:1:15: a file needs its `path`; add one, such as `path: /var/log/blekeep.ndjson`"
        ),
        ("sinks: {file: {path: y}}", "c:1:22: `y` isn't an absolute path of a file"),
        ("sinks: {file: {path: /y, size: 1KiB}}", "c:1:32: `size` is `1KiB`; it must be at least 64KiB"),
        ("sinks: {file: {path: /y, keep: 0}}", "c:1:32: `keep` is `0`; write a whole number from 1 to 1000"),
        ("sinks: {files: {path: /y}}", "c:1:9: "), ("sinks: /y", "c:1:8: "),
    ]) func saysWhatIsWrong(text: String, problem: String) {
        let problems = parse(text).problems
        #expect(problems.count == 1)
        #expect(problems.first?.hasPrefix(problem) == true, "\(problems)")
    }
}
