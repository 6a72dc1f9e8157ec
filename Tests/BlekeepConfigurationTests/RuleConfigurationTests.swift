import BlekeepRecords
import Testing

@testable import BlekeepConfiguration

/// `rules:`, with the devices that they are about.
@Suite struct RuleConfigurationTests {
    private static let devices = """
        devices:
          - {address: "F0:00:00:00:00:01", alias: freezer, tags: [cold]}
          - {address: "F0:00:00:00:00:02", alias: greenhouse, mode: passive, format: ruuvi}
          - {address: "F0:00:00:00:00:03", alias: Living room, mode: passive, derive: [dew_point]}

        """

    private func merge(_ rules: String, after text: String = devices) -> ConfigurationMerge {
        let names = CharacteristicNames(find: { _ in nil }, closest: { _ in nil })
        let part = ConfigurationPart(text + rules, file: "c", names: names)
        #expect(part.problems.map(\.description) == [])
        return ConfigurationMerge([part])
    }

    @Test func readsARule() throws {
        let merge = merge(
            "rules: [{name: freezer-warm, when: temperature of tag:cold > -10 °C for 15m, until: < -12 °C for 5m}]")
        #expect(merge.problems.map(\.description) == [])
        let rule = try #require(merge.configuration.poll.rules.first)
        #expect(rule.name == "freezer-warm" && rule.until?.length == .seconds(300))
        #expect(rule.text == "temperature of tag:cold > -10 °C for 15m, until < -12 °C for 5m")
        #expect(rule.when.subject.members(of: merge.configuration.poll.devices).map(\.name) == ["freezer"])
    }

    @Test(arguments: [
        "pressure of greenhouse < 990 hPa", "temperature of all > 80 °F", "battery of freezer < 20 %",
        "temperature of Living room falls 5 °C in 30m", "dew_point of Living room > 15 °C", "no value of all for 2h",
        "temperature#2 of freezer > 3 °C", "value of freezer > 3", "door of Living room is open for 10m",
        "humidity of F0:00:00:00:00:01 > 70 %", "battery of freezer is 100", "battery of freezer is not 100 %",
        "temperature of all > -12 C", "temperature of all > 80F",
    ]) func takesWhatFits(when: String) {
        #expect(merge("rules: [{name: a, when: \"\(when)\"}]").problems.map(\.description) == [])
    }

    @Test(arguments: [
        ("temprature of freezer > 3 °C", "no value is called `temprature`; did you mean `temperature`?"),
        ("co2 of freezer > 800 ppm", "`freezer` has no `co2`"),
        ("mass of greenhouse > 80 kg", "`greenhouse` has no `mass`"),
        (
            "dew_point of greenhouse > 3 °C",
            "no device of this rule has `dew_point`; add `derive: [dew_point]` to a passive device"
        ),
        ("temperature of tag:warm > 3 °C", "no device has the tag 'warm'; the tags are cold"),
        ("temperature of frezer > 3 °C", "no device is called `frezer`; did you mean `freezer`?"),
        ("temperature of freezer > 3 hPa", "`temperature` is in °C or °F, and `hPa` is another unit"),
        ("temperature of freezer is on", "`temperature` is a number; write `is 5` or a comparison, such as `> 5 °C`"),
        ("temperature of freezer is 3 hPa", "`temperature` is in °C or °F, and `hPa` is another unit"),
        ("temperature of freezer > 3", "say the unit of `temperature`, such as °C or °F"),
        ("pressure of greenhouse falls 5 °C in 3h", "`pressure` is in bpm or hPa, and `°C` is another unit"),
    ]) func namesWhatDoesNotFit(when: String, problem: String) {
        let problems = merge("rules:\n  - {name: a, when: \"\(when)\"}").problems.map(\.description)
        #expect(problems.count == 1)
        if problem.contains("pressure") {
            #expect(problems[0].hasPrefix("c:6:21: `pressure` is in ") && problems[0].hasSuffix("`°C` is another unit"))
        } else {
            #expect(problems == ["c:6:21: \(problem)"])
        }
    }

    /// A device with a recipe is read by that alone, unless it has `characteristics` besides.
    @Test func aDeviceWithARecipeHasItsFields() {
        func problems(_ field: String, _ more: String = "") -> [String] {
            let device = "{address: \"F0:00:00:00:00:04\", alias: pack, recipe: jbd\(more)}"
            let rule = "\nrules: [{name: a, when: \(field) of pack > 40 °C}]"
            return merge(rule, after: "devices: [\(device)]").problems.map(\.description)
        }
        #expect(problems("temperature_1") == [])
        #expect(problems("temperature").first?.hasSuffix("`pack` has no `temperature`") == true)
        #expect(problems("temperature", ", characteristics: [2a6e]") == [])
    }

    @Test(arguments: ["> -5 °C", "< 0 °C", "< -12 hPa"]) func anEndMustNotHoldWhileTheRuleFires(until: String) {
        let rule = "rules: [{name: a, when: temperature of freezer > -10 °C, until: \"\(until)\"}]"
        #expect(merge(rule).problems.count == 1)
    }

    @Test func onlyALimitHasAnEnd() {
        let problems = merge("rules: [{name: a, when: no value of all for 2h, until: < -12 °C}]").problems
        #expect(problems.map(\.description).first?.contains("`until` is for a rule with a comparison") == true)
    }

    @Test func namesAreDifferentAndNoticesNameThem() {
        let text = """
            rules: [{name: a, when: no value of all for 2h}, {name: a, when: no value of freezer for 2h}]
            notices: [{run: [/bin/true], rules: [b]}]
            """
        #expect(
            merge(text).problems.map(\.description) == [
                "c:5:57: the rule `a` is set already at c:5:16; keep one",
                "c:6:37: no rule is called `b`; did you mean `a`?",
            ])
    }

    @Test func thereIsAnEndOfRulesAndDevices() {
        let many = (0...Rule.maxRules).map { "{name: r\($0), when: no value of freezer for 2h}" }.joined(
            separator: ", ")
        #expect(merge("rules: [\(many)]").problems.map(\.description).first?.contains("at most 64 rules") == true)
        let all = (0..<60).map { "{name: r\($0), when: no value of all for 2h}" }.joined(separator: ", ")
        let devices =
            "devices: [" + (1...30).map { "{address: \"F0:00:00:00:01:\($0 + 10)\"}" }.joined(separator: ", ") + "]\n"
        #expect(
            merge("rules: [\(all)]", after: devices).problems.map(\.description).first?.contains("at most 1000 devices")
                == true)
    }

    @Test func aMistakeInTheWordsIsASentence() {
        let names = CharacteristicNames(find: { _ in nil }, closest: { _ in nil })
        let part = ConfigurationPart("rules: [{name: a, when: temperature of b > }]", file: "c", names: names)
        #expect(
            part.problems.map(\.description) == [
                "c:1:25: `when` is `temperature of b >`; after `>`, write a number and its unit, such as `-10 °C`"
            ])
    }
}
