import RunLoop
import Testing

@testable import BlekeepKeepAlive

@Suite struct PowerPolicyTests {
    private func at(_ seconds: Double) -> Uptime { .start + .milliseconds(Int(seconds * 1000)) }

    private func upower(
        _ percentage: Double, level: UInt32 = 1, onBattery: Bool = true, type: UInt32 = 2, present: Bool = true,
        state: UInt32 = 2
    ) -> PowerFacts {
        PowerFacts(
            upower: UPowerFacts(
                onBattery: onBattery, type: type, isPresent: present, percentage: percentage, state: state,
                warningLevel: level))
    }

    @Test func choosesTheModeThatTheFactsRequire() {
        let cases: [(PowerFacts, PowerMode, String)] = [
            (PowerFacts(), .normal, "no battery reported"),
            (upower(80, onBattery: false, state: 1), .normal, "on mains 80 %"),
            (upower(42), .battery, "on battery 42 %"),
            (upower(14.4, level: 3), .low, "low battery 14 %"),
            (upower(3, level: 4), .critical, "critical battery 3 %"),
            (upower(2, level: 5), .critical, "critical battery 2 %"),
            (upower(90, level: 2, type: 3), .battery, "on UPS 90 %"),
            // Without a battery UPower says type 0 and 0 %.
            (upower(0, level: 4, onBattery: false, type: 0, present: false, state: 0), .normal, "on mains"),
            (upower(0, level: 4, onBattery: false, type: 2, present: false), .normal, "on mains"),
            // Still being probed: 0 % in an unknown state.
            (upower(0, level: 4, onBattery: false, state: 0), .normal, "on mains"),
            (upower(.nan, level: 4, onBattery: false, state: 0), .normal, "on mains"),
            (upower(.nan, level: 3), .low, "low battery"),
            (upower(1e300, level: 3), .low, "low battery"),
            (upower(50, level: 77), .battery, "on battery 50 %"),
            (PowerFacts(profile: "power-saver"), .low, "power-saver profile"),
            (PowerFacts(profile: "performance"), .normal, "no battery reported"),
            (PowerFacts(isOnExternalPower: false), .battery, "on battery"),
            (PowerFacts(isOnExternalPower: true), .normal, "on mains"),
            (PowerFacts(kernel: SupplyFacts(state: .battery, percentage: 12)), .low, "low battery 12 %"),
            (PowerFacts(kernel: SupplyFacts(state: .battery, percentage: 4)), .critical, "critical battery 4 %"),
            (PowerFacts(kernel: SupplyFacts(state: .mains, percentage: 4)), .normal, "on mains 4 %"),
        ]
        for (facts, mode, reason) in cases {
            let status = PowerStatus(judging: facts)
            #expect(status.mode == mode, "\(facts)")
            #expect(status.reason == reason)
        }
    }

    @Test func theProfileCountsOnMainsToo() {
        var facts = upower(90, onBattery: false, state: 1)
        facts.profile = "power-saver"
        #expect(PowerStatus(judging: facts).mode == .low)
        facts.upower?.warningLevel = 4
        #expect(PowerStatus(judging: facts).reason == "critical battery 90 %")
    }

    @Test func aWorseModeIsEnteredAtOnceAndLeftAfterAMinute() {
        var policy = PowerPolicy()
        #expect(policy.step(.facts(upower(14, level: 3)), at: at(0))?.mode == .low)
        #expect(policy.nextWake == .never)
        // An hour later: the minute counts from here.
        #expect(policy.step(.facts(upower(14, onBattery: false, state: 1)), at: at(3600))?.mode == .low)
        #expect(policy.nextWake == at(3660))
        #expect(policy.step(.time, at: at(3659)) == nil)
        let status = policy.step(.time, at: at(3660))
        #expect(status?.mode == .normal)
        #expect(status?.reason == "on mains 14 %")
        #expect(policy.nextWake == .never)
    }

    @Test func flappingStaysInTheWorseMode() {
        var policy = PowerPolicy()
        var changes = 0
        var mode = PowerMode.normal
        for second in 0..<600 {
            let status = policy.step(.facts(upower(50, onBattery: second % 2 == 0)), at: at(Double(second)))
            if let status, status.mode != mode {
                changes += 1
                mode = status.mode
            }
        }
        #expect(changes == 1)
        #expect(mode == .battery)
    }

    @Test func stepsDownToWhatWasCalledForInBetween() {
        var policy = PowerPolicy()
        _ = policy.step(.facts(upower(3, level: 4)), at: at(0))
        _ = policy.step(.facts(upower(30)), at: at(10))
        _ = policy.step(.facts(upower(30, onBattery: false, state: 1)), at: at(40))
        #expect(policy.step(.time, at: at(70))?.mode == .battery)
        #expect(policy.step(.time, at: at(100))?.mode == .normal)
    }

    @Test(arguments: [false, true]) func skipsTheModeBetweenTwoSignalsOfOneChange(_ mainsFirst: Bool) {
        // UPower reports a charger in two signals, one for each object, in either order.
        var policy = PowerPolicy()
        _ = policy.step(.facts(upower(3, level: 4)), at: at(0))
        let between = mainsFirst ? upower(3, level: 4, onBattery: false) : upower(3, state: 1)
        _ = policy.step(.facts(between), at: at(100))
        _ = policy.step(.facts(upower(3, onBattery: false, state: 1)), at: at(100.02))
        #expect(policy.status.mode == .critical)
        var modes: [PowerMode] = []
        while policy.nextWake < .never {
            if let status = policy.step(.time, at: policy.nextWake) { modes.append(status.mode) }
        }
        #expect(modes == [.normal])
    }

    @Test func leavingTwoModesTakesAMinuteEachOnlyIfEachWasCalledFor() {
        var policy = PowerPolicy()
        _ = policy.step(.facts(upower(3, level: 4)), at: at(0))
        // A quarter of an hour in low mode's range, and then the mains: from critical to low, from low to normal.
        _ = policy.step(.facts(upower(15, level: 3)), at: at(100))
        #expect(policy.step(.time, at: at(160))?.mode == .low)
        #expect(policy.nextWake == .never)
        _ = policy.step(.facts(upower(15, onBattery: false, state: 1)), at: at(1000))
        #expect(policy.nextWake == at(1060))
        #expect(policy.step(.time, at: at(1059.9)) == nil)
        #expect(policy.step(.time, at: at(1060))?.mode == .normal)
    }

    @Test func afterResumeUPowerIsNotBelievedForHalfAMinute() {
        var policy = PowerPolicy()
        _ = policy.step(.facts(upower(80, onBattery: false, state: 1)), at: at(0))
        _ = policy.step(.resumed, at: at(100))
        #expect(policy.step(.facts(upower(1, level: 5)), at: at(101)) == nil)
        #expect(policy.nextWake == at(130))
        // A profile applies at once, also while UPower isn't trusted.
        var facts = upower(1, level: 5)
        facts.profile = "power-saver"
        #expect(policy.step(.facts(facts), at: at(102))?.mode == .low)
        #expect(policy.step(.time, at: at(130))?.mode == .critical)
    }

    @Test func aRestartedUPowerIsNotBelievedForFiveSeconds() {
        var policy = PowerPolicy()
        _ = policy.step(.facts(upower(50)), at: at(0))
        _ = policy.step(.upowerChanged, at: at(10))
        #expect(policy.step(.facts(PowerFacts()), at: at(10)) == nil)
        #expect(policy.step(.facts(upower(0, level: 4)), at: at(11)) == nil)
        #expect(policy.step(.facts(upower(50)), at: at(14)) == nil)
        #expect(policy.step(.time, at: at(15)) == nil)
        #expect(policy.status.mode == .battery)
    }

    @Test func theUsersChoiceWins() {
        var policy = PowerPolicy(.normal)
        #expect(policy.step(.facts(upower(3, level: 4)), at: at(0))?.mode == .normal)
        #expect(PowerPolicy(.low).status.mode == .low)
    }

    @Test func neverTooSlowToWarnAndNeverTooQuickToForget() {
        // In any sequence, the mode is at least the current one, and at most the worst of the last minute.
        var random = SplitMix64(seed: 5)
        var policy = PowerPolicy()
        var history: [(Double, PowerMode)] = [(-100, .normal)]
        var time = 0.0
        for _ in 0..<5000 {
            time += Double(random.next() % 40)
            let level = UInt32(random.next() % 6)
            let facts = upower(Double(random.next() % 101), level: level, onBattery: random.next() % 2 == 0)
            _ = policy.step(.facts(facts), at: at(time))
            let judged = PowerStatus(judging: facts).mode
            history.append((time, judged))
            let since = history.lastIndex { $0.0 <= time - 60 } ?? 0
            let worst = history[since...].map(\.1).max() ?? .normal
            #expect(policy.status.mode >= judged)
            #expect(policy.status.mode <= worst)
        }
    }

    @Test func rhythms() {
        let usual = PowerIntervals()
        let seconds = PowerMode.allCases.map { usual.interval(of: .seconds(30), in: $0) }
        #expect(seconds == [.seconds(30), .seconds(60), .seconds(300), .seconds(900)])
        // A longer interval stays.
        #expect(usual.interval(of: .seconds(3600), in: .low) == .seconds(3600))
        let own = PowerIntervals(battery: .times(1), low: .times(4), critical: .pause)
        let factors = PowerMode.allCases.map { own.interval(of: .seconds(30), in: $0) }
        #expect(factors == [.seconds(30), .seconds(30), .seconds(120), nil])
    }
}
