import BlekeepRecords
import Testing

@testable import BlekeepConfiguration

@Suite struct StopPolicyTests {
    @Test(arguments: [("", StopPolicy.disconnect), ("on_stop: disconnect", .disconnect), ("on_stop: keep", .keep)])
    func saysWhatBecomesOfLinks(text: String, conduct: StopPolicy) {
        let part = ConfigurationPart(text, file: "f", names: names)
        #expect(problems(in: text) == [])
        #expect(ConfigurationMerge([part]).configuration.poll.onStop == conduct)
    }

    @Test func anythingElseIsAMistake() {
        #expect(problems(in: "on_stop: kep") == ["1:10: `kep` isn't a stop policy; did you mean `keep`?"])
    }
}
