import BlekeepRecords
import Testing

@testable import BlekeepConfiguration

@Suite struct PowerConfigurationTests {
    private let device = "devices:\n  - address: F0:00:00:00:00:01\n"

    private func parse(_ text: String) -> (configuration: Configuration, problems: [String]) {
        let part = ConfigurationPart(text, file: "f", names: names)
        return (ConfigurationMerge([part]).configuration, problems(in: text))
    }

    @Test func everythingOfPower() throws {
        let (configuration, problems) = parse(
            "power: {mode: low, battery: 90s, low: x4, critical: pause}\n" + device
                + "    power: {low: 1h}\n    adaptive: true\n    max_interval: 10m\n")
        #expect(problems == [])
        let intervals = PowerIntervals(battery: .every(.seconds(90)), low: .times(4), critical: .pause)
        #expect(configuration.poll.power == PowerConfiguration(choice: .low, intervals: intervals))
        let device = try #require(configuration.poll.devices.first)
        #expect(device.powerIntervals == PowerIntervals.Override(low: .every(.seconds(3600))))
        #expect(device.adaptive == .seconds(5) ... .seconds(600))
    }

    @Test func nothingSaidIsTheUsual() {
        let (configuration, problems) = parse(device)
        #expect(problems == [])
        #expect(configuration.poll.power == PowerConfiguration())
        #expect(configuration.poll.devices.first?.adaptive == nil)
    }

    @Test(arguments: [
        ("power: {mode: lo}", "1:15: `lo` isn't a power mode; did you mean `low`?"),
        (
            "power: {low: fast}",
            "1:14: `low` is `fast`; write an interval from 5s to 1d, a factor from x1 to x1000, or pause"
        ),
        (
            "power: {low: x0}",
            "1:14: `low` is `x0`; write an interval from 5s to 1d, a factor from x1 to x1000, or pause"
        ),
        ("power: low", "1:8: `power` is written as keys with values, such as `mode: …`"),
        ("power: {lows: 5m}", "1:9: `power` has no key `lows`; did you mean `low`?"),
    ])
    func mistakesHaveAPlaceAndAdvice(_ text: String, _ problem: String) {
        #expect(parse(text).problems == [problem])
    }

    @Test func boundsMakeSense() {
        let swapped = device + "    adaptive: true\n    min_interval: 10m\n    max_interval: 5m\n"
        #expect(parse(swapped).problems == ["5:5: `max_interval` is less than `min_interval`; write a longer one"])
        #expect(
            parse(device + "    min_interval: 10m\n").problems
                == ["3:5: `min_interval` has no effect without `adaptive: true`"])
    }
}
