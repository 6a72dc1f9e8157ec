import BlekeepRecords
import Testing

@testable import BlekeepConfiguration

@Suite struct RecoveryConfigurationTests {
    @Test(arguments: [
        ("", [RecoveryStep]()),
        ("recovery: {power_cycle: true}", [.powerCycle]),
        ("recovery: {power_cycle: true, restart_bluetooth: false}", [.powerCycle]),
        (
            "recovery: {power_cycle: true, restart_bluetooth: true, forget_stale: true, prefer_le: true}",
            RecoveryStep.allCases
        ),
    ])
    func nothingIsAllowedThatIsNotSaid(text: String, steps: [RecoveryStep]) {
        let part = ConfigurationPart(text, file: "f", names: names)
        #expect(problems(in: text) == [])
        #expect(ConfigurationMerge([part]).configuration.poll.recovery == Set(steps))
    }

    @Test(arguments: [
        ("recovery: {power_cycle: yes}", "1:25: `power_cycle` is `yes`; write true or false"),
        ("recovery: {power_cycel: true}", "1:12: `recovery` has no key `power_cycel`; did you mean `power_cycle`?"),
        ("recovery: all", "1:11: `recovery` is written as keys with values, such as `power_cycle: …`"),
        ("recovery: {forget_stale: }", "1:12: `forget_stale` has no value; write true or false, or remove the line"),
    ])
    func mistakesHaveAPlaceAndAdvice(text: String, problem: String) {
        #expect(problems(in: text) == [problem])
    }

    @Test func isSaidOnce() {
        let parts = ["a", "b"].map {
            ConfigurationPart("recovery: {power_cycle: true}", file: $0, names: names)
        }
        #expect(
            ConfigurationMerge(parts).problems.map(\.message) == [
                "`recovery` is set already at a:1:1; put both into one file"
            ])
    }
}
