import BlekeepRecords
import Testing

@Suite struct DowntimeTests {
    private func clocks(_ boot: String, _ sinceBoot: Int, asleep: Int = 0, time: Int64) -> ClockReading {
        ClockReading(boot: boot, sinceBoot: .seconds(sinceBoot), awake: .seconds(sinceBoot - asleep), time: time)
    }

    @Test func findsTheDowntimeAtTheStart() {
        let now: Int64 = 1_795_000_000_000
        let cases: [(Heartbeat.State, ClockReading, ClockReading, Downtime.Cause, Duration?)] = [
            (.running, clocks("a", 100, time: now), clocks("a", 160, time: now + 60_000), .crash, .seconds(60)),
            (.stopped, clocks("a", 100, time: now), clocks("a", 160, time: now + 60_000), .stopped, .seconds(60)),
            (.asleep, clocks("a", 100, time: now), clocks("a", 160, time: now), .suspend, .seconds(60)),
            (
                .running, clocks("a", 100, time: now), clocks("a", 4000, asleep: 3800, time: now), .suspend,
                .seconds(3900)
            ),
            // The time of day jumped by decades, so the kernel's clock counts.
            (.running, clocks("a", 100, time: now), clocks("a", 160, time: 0), .crash, .seconds(60)),
            (.running, clocks("a", 100, time: .min), clocks("a", 160, time: .max), .crash, .seconds(60)),
            (.shutdown, clocks("a", 100, time: now), clocks("b", 20, time: now + 60_000), .reboot, .seconds(60)),
            (.stopped, clocks("a", 9, time: now), clocks("b", 20, time: now + 60_000), .reboot, .seconds(60)),
            (.shutdown, clocks("a", 9, time: now), clocks("b", 20, time: now + 9_000_000), .powerOff, .seconds(9000)),
            // Without a word: the power was cut.
            (.running, clocks("a", 100, time: now), clocks("b", 20, time: now + 60_000), .powerOff, .seconds(60)),
            // No clock that runs while the machine is off: how long is not known.
            (.running, clocks("a", 100, time: now), clocks("b", 20, time: 5000), .powerOff, nil),
            (.shutdown, clocks("a", 100, time: now), clocks("b", 20, time: 5000), .reboot, nil),
            (.running, clocks("a", 100, time: .min), clocks("b", 20, time: .max), .powerOff, nil),
            (.running, clocks("a", 100, time: 0), clocks("b", 20, time: now), .powerOff, nil),
            // Without identifiers of boots, a clock that went back shows a new boot.
            (.running, clocks("", 100, time: now), clocks("", 20, time: now + 1000), .powerOff, .seconds(1)),
            (.running, clocks("", 100, time: now), clocks("", 200, time: now + 1000), .unknown, .seconds(1)),
            (.running, clocks("a", 100, time: now), clocks("", 200, time: now + 1000), .unknown, .seconds(1)),
            // The same boot, earlier: a file from another machine, or a clone of one.
            (.running, clocks("a", 100, time: now), clocks("a", 20, time: now + 1000), .unknown, .seconds(1)),
        ]
        for (state, from, to, cause, length) in cases {
            let downtime = Downtime(since: Heartbeat(clocks: from, state: state), until: to)
            #expect(downtime.cause == cause, "\(state) \(from) \(to)")
            #expect(downtime.length == length, "\(state) \(from) \(to)")
        }
    }
}
