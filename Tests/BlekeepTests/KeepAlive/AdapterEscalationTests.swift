import RunLoop
import Testing

@testable import Blekeep

@Suite struct AdapterEscalationTests {
    private func moment(_ seconds: Double) -> Uptime { .start + .milliseconds(Int(seconds * 1000)) }

    /// A ladder after failures of these devices, one a second from the first second on.
    private func ladder(_ devices: [DeviceID], every seconds: Double = 1) -> AdapterEscalation {
        var ladder = AdapterEscalation()
        for (place, device) in devices.enumerated() { ladder.failed(device, at: moment(Double(place + 1) * seconds)) }
        return ladder
    }

    private let everything: (AdapterEscalation.Step) -> Uptime? = { _ in .start }

    @Test(arguments: [
        // Ten of three.
        ([0, 1, 2, 0, 1, 2, 0, 1, 2, 0], 10, 1.0, true),
        ([0, 1, 2, 0, 1, 2, 0, 1, 2], 10, 1, false),
        // All, where there are fewer.
        ([0, 1, 0, 1, 0, 1, 0, 1, 0, 1], 2, 1, true),
        ([0, 0, 0, 0, 0, 0, 0, 0, 0, 0], 1, 1, true),
        // Two of many are two bad devices.
        ([0, 1, 0, 1, 0, 1, 0, 1, 0, 1], 4, 1, false),
        ([0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1], 3, 1, false),
        // Within five minutes.
        ([0, 1, 2, 0, 1, 2, 0, 1, 2, 0], 10, 33, true),
        ([0, 1, 2, 0, 1, 2, 0, 1, 2, 0], 10, 34, false),
        // A radio that serves nobody.
        ([0, 1, 2, 0, 1, 2, 0, 1, 2, 0], 0, 1, false),
    ])
    func beginsOnProofOnly(failures: [DeviceID], devices: Int, seconds: Double, begins: Bool) {
        let ladder = ladder(failures, every: seconds)
        let now = moment(Double(failures.count) * seconds)
        #expect(ladder.next(of: devices, at: now, earliest: everything) == (begins ? .rest : nil))
    }

    @Test func whatIsAboveOrASuccessBeginsAnew() {
        var excused = ladder([0, 1, 2, 0, 1, 2, 0, 1, 2, 0])
        excused.excuse()
        #expect(excused.next(of: 3, at: moment(11), earliest: everything) == nil)
        var well = ladder([0, 1, 2, 0, 1, 2, 0, 1, 2, 0])
        let step = well.succeeded()
        #expect(step == nil)
        #expect(well.next(of: 3, at: moment(11), earliest: everything) == nil)
    }

    @Test func climbsWhenAStepHasNotHelped() {
        var ladder = ladder([0, 1, 2, 0, 1, 2, 0, 1, 2, 0])
        var now = moment(11)
        for step in AdapterEscalation.Step.allCases {
            #expect(ladder.next(of: 3, at: now, earliest: everything) == step)
            ladder.act(step, until: now + .seconds(5), at: now)
            #expect(ladder.next(of: 3, at: now, earliest: everything) == nil)
            now = now + .seconds(5)
            ladder.finished(step, at: now)
            #expect(ladder.next(of: 3, at: now + .seconds(3600), earliest: everything) == nil)
            for device in 0..<2 { ladder.failed(device, at: now + .seconds(20)) }
            #expect(ladder.next(of: 3, at: now + .seconds(40), earliest: everything) == nil)
            ladder.failed(2, at: now + .seconds(25))
            // It is given its time.
            #expect(ladder.next(of: 3, at: now + .seconds(29), earliest: everything) == nil)
            now = now + .seconds(40)
        }
        #expect(ladder.succeeded() == .replug)
        #expect(ladder.step == nil)
    }

    @Test func leavesOutWhatIsNotAllowed() {
        var ladder = ladder([0, 1, 2, 0, 1, 2, 0, 1, 2, 0])
        ladder.finished(.rest, at: moment(11))
        for device in 0..<3 { ladder.failed(device, at: moment(20)) }
        let now = moment(60)
        let later = moment(500)
        #expect(ladder.next(of: 3, at: now) { $0 == .powerCycle ? nil : .start } == .restart)
        #expect(ladder.next(of: 3, at: now) { [.powerCycle, .restart].contains($0) ? nil : .start } == .replug)
        // What may be done, but not yet, is waited for.
        #expect(ladder.next(of: 3, at: now) { $0 == .powerCycle ? later : .start } == nil)
    }

    @Test func aPowerCycleIsSpacedAlsoAcrossSuccesses() {
        var ladder = AdapterEscalation()
        ladder.act(.powerCycle, until: moment(60), at: moment(10))
        ladder.finished(.powerCycle, at: moment(15))
        let step = ladder.succeeded()
        #expect(step == .powerCycle)
        for second in 0..<12 { ladder.failed(second % 3, at: moment(Double(100 + second))) }
        ladder.finished(.rest, at: moment(112))
        for device in 0..<3 { ladder.failed(device, at: moment(130)) }
        #expect(ladder.next(of: 3, at: moment(200), earliest: everything) == nil)
        #expect(ladder.decisions.contains(moment(610)))
        #expect(ladder.next(of: 3, at: moment(610), earliest: everything) == .powerCycle)
    }

    @Test func aRefusalIsNewsOnce() {
        var ladder = ladder([0, 1, 2, 0, 1, 2, 0, 1, 2, 0])
        ladder.finished(.rest, at: moment(11))
        for device in 0..<3 { ladder.failed(device, at: moment(20)) }
        let isNews = ladder.refuse(.powerCycle, at: moment(60))
        #expect(isNews)
        #expect(ladder.next(of: 3, at: moment(359), earliest: everything) == nil)
        #expect(ladder.next(of: 3, at: moment(360), earliest: everything) == .powerCycle)
        let isNewsAgain = ladder.refuse(.powerCycle, at: moment(360))
        #expect(!isNewsAgain)
    }

    @Test func failuresWithoutEndTakeBoundedMemory() {
        var ladder = AdapterEscalation()
        for number in 0..<10_000 { ladder.failed(number, at: moment(1)) }
        #expect(ladder.evidence(at: moment(1)).failures <= 64)
    }
}
