import RunLoop
import Testing

@testable import BlekeepPoller
@testable import BlekeepRecords

@Suite struct AdapterEscalationTests {
    private func moment(_ seconds: Double) -> Uptime { .start + .milliseconds(Int(seconds * 1000)) }

    /// An escalation after failures of these devices, one a second from the first second on.
    private func escalation(_ devices: [DeviceNumber], every seconds: Double = 1) -> AdapterEscalation {
        var escalation = AdapterEscalation()
        for (place, device) in devices.enumerated() {
            escalation.failed(device, at: moment(Double(place + 1) * seconds))
        }
        return escalation
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
        // An adapter without devices.
        ([0, 1, 2, 0, 1, 2, 0, 1, 2, 0], 0, 1, false),
    ])
    func beginsOnProofOnly(failures: [DeviceNumber], devices: Int, seconds: Double, begins: Bool) {
        let escalation = escalation(failures, every: seconds)
        let now = moment(Double(failures.count) * seconds)
        #expect(escalation.next(of: devices, at: now, earliest: everything) == (begins ? .rest : nil))
    }

    /// Silent ticks of devices that were heard before: ten, of three devices or of all.
    @Test(
        arguments: [
            ([0, 1, 0, 1, 0, 1, 0, 1, 0, 1], 2, true), ([0, 1, 0, 1, 0, 1, 0, 1, 0], 2, false),
            ([0, 0, 0, 0, 0, 0, 0, 0, 0, 0], 2, false), ([0, 1, 0, 1, 0, 1, 0, 1, 0, 1], 5, false),
            ([0, 1, 2, 0, 1, 2, 0, 1, 2, 0], 5, true), ([0, 1, 0, 1, 0, 1, 0, 1, 0, 1], 0, false),
        ] as [([DeviceNumber], Int, Bool)])
    func silenceOfAllDevicesIsEvidence(silent: [DeviceNumber], listened: Int, begins: Bool) {
        var escalation = AdapterEscalation()
        for device in silent { escalation.wasSilent(device) }
        let now = moment(6000)
        #expect(escalation.next(of: 0, listened: listened, at: now, earliest: everything) == (begins ? .rest : nil))
        // One that was heard proves that the adapter hears.
        #expect(escalation.heard() == nil)
        #expect(escalation.next(of: 0, listened: listened, at: now, earliest: everything) == nil)
    }

    /// Five searches over a minute that BlueZ accepted and didn't do.
    @Test(arguments: [(5, 15.0, true), (4, 20, false), (5, 14, false)])
    func searchesThatWereNoneAreEvidence(count: Int, seconds: Double, begins: Bool) {
        var escalation = AdapterEscalation()
        for place in 0..<count { escalation.searchFailed(at: moment(Double(place) * seconds)) }
        #expect((escalation.next(of: 0, listened: 0, at: moment(100), earliest: everything) != nil) == begins)
        escalation.searched()
        #expect(escalation.next(of: 0, listened: 0, at: moment(100), earliest: everything) == nil)
    }

    @Test func anAdvertisementEndsStepsThatSilenceBegan() {
        var escalation = AdapterEscalation()
        for place in 0..<10 { escalation.wasSilent([0, 1][place % 2]) }
        escalation.act(.rest, until: moment(12), at: moment(10))
        escalation.finished(.rest, at: moment(12))
        #expect(escalation.next(of: 0, listened: 2, at: moment(60), earliest: everything) == nil)
        for device: DeviceNumber in [0, 1] { escalation.wasSilent(device) }
        #expect(escalation.next(of: 0, listened: 2, at: moment(41), earliest: everything) == nil)
        #expect(escalation.next(of: 0, listened: 2, at: moment(60), earliest: everything) == .powerCycle)
        #expect(escalation.heard() == .rest && !escalation.isEscalating)
        // Failed connections need a value: a radio may hear, and not connect.
        var other = self.escalation([0, 1, 2, 0, 1, 2, 0, 1, 2, 0])
        other.act(.rest, until: moment(12), at: moment(11))
        other.finished(.rest, at: moment(12))
        #expect(other.heard() == nil && other.isEscalating)
    }

    @Test func aSuccessOrAnOutageResetsTheEscalation() {
        var excused = escalation([0, 1, 2, 0, 1, 2, 0, 1, 2, 0])
        excused.resetEvidence()
        #expect(excused.next(of: 3, at: moment(11), earliest: everything) == nil)
        var well = escalation([0, 1, 2, 0, 1, 2, 0, 1, 2, 0])
        let step = well.succeeded()
        #expect(step == nil)
        #expect(well.next(of: 3, at: moment(11), earliest: everything) == nil)
    }

    @Test func climbsWhenAStepHasNotHelped() {
        var escalation = escalation([0, 1, 2, 0, 1, 2, 0, 1, 2, 0])
        var now = moment(11)
        for step in AdapterEscalation.Step.allCases {
            #expect(escalation.next(of: 3, at: now, earliest: everything) == step)
            escalation.act(step, until: now + .seconds(5), at: now)
            #expect(escalation.next(of: 3, at: now, earliest: everything) == nil)
            now = now + .seconds(5)
            escalation.finished(step, at: now)
            #expect(escalation.next(of: 3, at: now + .seconds(3600), earliest: everything) == nil)
            for device in 0..<2 { escalation.failed(DeviceNumber(device), at: now + .seconds(20)) }
            #expect(escalation.next(of: 3, at: now + .seconds(40), earliest: everything) == nil)
            escalation.failed(2, at: now + .seconds(25))
            // It is given its time.
            #expect(escalation.next(of: 3, at: now + .seconds(29), earliest: everything) == nil)
            now = now + .seconds(40)
        }
        #expect(escalation.succeeded() == .replug)
        #expect(escalation.step == nil)
    }

    @Test func leavesOutWhatIsNotAllowed() {
        var escalation = escalation([0, 1, 2, 0, 1, 2, 0, 1, 2, 0])
        escalation.finished(.rest, at: moment(11))
        for device in 0..<3 { escalation.failed(DeviceNumber(device), at: moment(20)) }
        let now = moment(60)
        let later = moment(500)
        #expect(escalation.next(of: 3, at: now) { $0 == .powerCycle ? nil : .start } == .restart)
        #expect(escalation.next(of: 3, at: now) { [.powerCycle, .restart].contains($0) ? nil : .start } == .replug)
        // The escalation waits for a step that is allowed later.
        #expect(escalation.next(of: 3, at: now) { $0 == .powerCycle ? later : .start } == nil)
    }

    @Test func aPowerCycleIsSpacedAlsoAcrossSuccesses() {
        var escalation = AdapterEscalation()
        escalation.act(.powerCycle, until: moment(60), at: moment(10))
        escalation.finished(.powerCycle, at: moment(15))
        let step = escalation.succeeded()
        #expect(step == .powerCycle)
        for second in 0..<12 { escalation.failed(DeviceNumber(second % 3), at: moment(Double(100 + second))) }
        escalation.finished(.rest, at: moment(112))
        for device in 0..<3 { escalation.failed(DeviceNumber(device), at: moment(130)) }
        #expect(escalation.next(of: 3, at: moment(200), earliest: everything) == nil)
        #expect(escalation.nextWait(in: (moment(200), .start)) == moment(610))
        #expect(escalation.next(of: 3, at: moment(610), earliest: everything) == .powerCycle)
    }

    @Test func aRefusalIsNewsOnce() {
        var escalation = escalation([0, 1, 2, 0, 1, 2, 0, 1, 2, 0])
        escalation.finished(.rest, at: moment(11))
        for device in 0..<3 { escalation.failed(DeviceNumber(device), at: moment(20)) }
        let isNews = escalation.refuse(.powerCycle, at: moment(60))
        #expect(isNews)
        #expect(escalation.next(of: 3, at: moment(359), earliest: everything) == nil)
        #expect(escalation.next(of: 3, at: moment(360), earliest: everything) == .powerCycle)
        let isNewsAgain = escalation.refuse(.powerCycle, at: moment(360))
        #expect(!isNewsAgain)
    }

    @Test func failuresWithoutEndTakeBoundedMemory() {
        var escalation = AdapterEscalation()
        for number in 0..<10_000 { escalation.failed(DeviceNumber(number), at: moment(1)) }
        #expect(escalation.evidence(at: moment(1)).failures <= 64)
    }
}
