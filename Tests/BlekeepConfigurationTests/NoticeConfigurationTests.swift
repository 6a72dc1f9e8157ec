import BlekeepOutputs
import BlekeepRecords
import Testing

@testable import BlekeepConfiguration

/// `notices:`.
@Suite struct NoticeConfigurationTests {
    private func parse(_ text: String) -> (notices: [NoticeConfiguration], problems: [String]) {
        let part = ConfigurationPart(
            "notices: \(text)", file: "c", names: CharacteristicNames(find: { _ in nil }, closest: { _ in nil }))
        return (part.configuration.notices, part.problems.map(\.description))
    }

    @Test func readsAllKeys() {
        let (notices, problems) = parse(
            "[{run: [/bin/a, b, \"\"], events: [device_lost, battery_low], hold_off: 1h, timeout: 5s, battery: 30}, {run: [/c]}]"
        )
        #expect(problems == [])
        var first = NoticeConfiguration(command: ["/bin/a", "b", ""])
        first.events = [.deviceLost, .batteryLow]
        (first.holdOff, first.timeout, first.battery) = (.seconds(3600), .seconds(5), 30)
        #expect(notices == [first, NoticeConfiguration(command: ["/c"])])
    }

    @Test(arguments: [
        (
            "[{}]",
            "c:1:11: a notice needs the command to `run`; add one, such as "
                + "`run: [/usr/local/bin/notify, \"--from=gateway\"]`"
        ),
        ("[{run: [notify]}]", "c:1:18: `notify` isn't an absolute path of a program"),
        (
            "[{run: /a}]",
            "c:1:17: `run` is a list of the program and its arguments, each on a line that starts with `- `"
        ),
        ("[{run: [/a], battery: 99}]", "c:1:32: `battery` is `99`; write a whole number from 1 to 95"),
        ("[{run: [/a], hold_off: 8d}]", "c:1:33: `hold_off` is `8d`; it can be from 0s to 7d"),
        ("[{run: [/a], timeout: 0s}]", "c:1:32: `timeout` is `0s`; it can be from 1s to 10m"),
        (
            "[{run: [/a], events: [gone]}]",
            "c:1:32: `gone` isn't an event; `events` can have device_lost, device_needs_user, device_back, battery_low, "
                + "battery_good, history_fails, history_works, disk_slow, disk_works, sink_fails, sink_works, adapter_stuck, adapter_works, rule_fires, rule_ends and rule_missed"
        ),
    ])
    func reportsMistakes(text: String, problem: String) { #expect(parse(text).problems == [problem]) }

    @Test func filesAddUp() {
        let names = CharacteristicNames(find: { _ in nil }, closest: { _ in nil })
        let parts = ["a", "b"].map {
            ConfigurationPart("notices: [{run: [/\($0)]}]", file: $0, names: names)
        }
        #expect(ConfigurationMerge(parts).configuration.notices.map(\.command) == [["/a"], ["/b"]])
    }
}
