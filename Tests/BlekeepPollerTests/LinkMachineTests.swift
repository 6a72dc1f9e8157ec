import DBus
import RunLoop
import Testing

@testable import BlekeepPoller
@testable import BlekeepRecords

@Suite struct LinkMachineTests {
    private static let path: ObjectPath = "/org/bluez/hci0/dev_1"

    /// Returns a machine after these transitions, all at the start.
    private func machine(after steps: [Step]) -> LinkMachine {
        var machine = LinkMachine()
        for step in steps { step.apply(to: &machine, at: .start) }
        return machine
    }

    /// A transition as a value.
    enum Step {
        case connect, connectAhead, accept, adopt, watch, cameUp, claim, resolve, resolved, poll
        case disconnect, waitForEnd, abandon, abandonWhileUp

        func apply(to machine: inout LinkMachine, at now: Uptime) {
            switch self {
            case .connect: machine.connect(within: .seconds(12), isAhead: false, at: now)
            case .connectAhead: machine.connect(within: .seconds(12), isAhead: true, at: now)
            case .accept: machine.accept(at: now)
            case .adopt: machine.adopt(at: now)
            case .watch: machine.watch(at: now)
            case .cameUp: machine.cameUp(at: now)
            case .claim: machine.claim()
            case .resolve: machine.resolve(at: now)
            case .resolved: _ = machine.resolved()
            case .poll: machine.poll(at: path, at: now)
            case .disconnect: _ = machine.disconnect(at: now)
            case .waitForEnd: machine.waitForEnd(within: .milliseconds(500), at: now)
            case .abandon: _ = machine.abandon()
            case .abandonWhileUp: _ = machine.abandon(staysUp: true)
            }
        }
    }

    private static func at(_ seconds: Double) -> Uptime { .start + .milliseconds(Int(seconds * 1000)) }

    // MARK: Deadlines

    /// The phases that may last, with the events that end them. A new phase doesn't compile before it is here.
    private func lastingEvents(of phase: LinkPhase) -> [String]? {
        switch phase {
        case .released: ["a connection is needed", "another program connects the device"]
        case .held: ["a tick is due", "another device needs the slot", "the connection ends"]
        case .connecting, .watching, .resolving, .polling, .disconnecting: nil
        }
    }

    @Test(arguments: [
        [Step](), [.resolve, .resolved], [.claim], [.connect], [.connect, .watch], [.resolve], [.poll], [.waitForEnd],
    ])
    func onlyListedPhasesHaveNoDeadline(steps: [Step]) {
        let phase = machine(after: steps).phase
        #expect((phase.deadline == nil) == (lastingEvents(of: phase) != nil))
    }

    @Test(arguments: [
        ([Step.connect], 12.0), ([.connect, .accept], 5), ([.connect, .adopt], 5), ([.connect, .watch], 30),
        ([.connect, .cameUp], 30), ([.connect, .watch, .cameUp], 30), ([.resolve], 30), ([.poll], 60),
        ([.claim, .disconnect], 10), ([.waitForEnd], 0.5),
    ])
    func limitsEachWait(steps: [Step], seconds: Double) {
        let machine = machine(after: steps)
        #expect(machine.phase.deadline == Self.at(seconds))
    }

    @Test(arguments: [
        ([Step](), [false, true]), ([.connect], [false]), ([.connect, .watch], [false]), ([.connect, .cameUp], [true]),
        ([.claim], [true]), ([.poll], [false, true]), ([.waitForEnd], [false, true]),
    ])
    func fitsWhatBlueZSays(steps: [Step], fitting: [Bool]) {
        let machine = machine(after: steps)
        #expect([false, true].filter { machine.phase.fits(isConnected: $0) } == fitting)
    }

    // MARK: Attempts

    @Test(arguments: [
        ([Step.connect], 4.9, false), ([.connect], 5, true), ([.connectAhead], 0.9, false), ([.connectAhead], 1, true),
        ([.connect, .accept], 60, false), ([.connect, .adopt], 5, true), ([.connect, .watch], 60, false),
        ([], 60, false),
    ])
    func givesWayOnlyAfterItsTurn(steps: [Step], seconds: Double, hasHadItsTurn: Bool) {
        #expect(machine(after: steps).hasHadItsTurn(at: Self.at(seconds)) == hasHadItsTurn)
    }

    @Test func remembersWhenItLastTried() {
        var machine = LinkMachine()
        machine.connect(within: .seconds(12), isAhead: false, at: Self.at(7))
        _ = machine.abandon()
        #expect(machine.phase.isIdle && machine.triedAt == Self.at(7))
    }

    @Test(arguments: [[Step](), [.claim], [.connect], [.connect, .watch], [.poll], [.waitForEnd]])
    func isResolvedOnlyWhereThatWasAwaited(steps: [Step]) {
        var machine = machine(after: steps)
        let before = machine
        let wasAwaited = machine.resolved()
        #expect(!wasAwaited && machine == before)
    }

    @Test func isIdleOnceResolved() {
        var machine = machine(after: [.connect, .cameUp])
        let wasAwaited = machine.resolved()
        #expect(wasAwaited && machine.phase.isIdle)
    }

    @Test(arguments: [[Step](), [.claim], [.poll], [.waitForEnd], [.resolve]])
    func ignoresAnUnexpectedConnection(steps: [Step]) {
        var machine = machine(after: steps)
        machine.cameUp(at: Self.at(3))
        #expect(machine == self.machine(after: steps))
    }

    // MARK: Whose

    @Test(arguments: [
        ([Step](), false), ([.connect], true), ([.connect, .accept], true), ([.connect, .watch], false),
        ([.connect, .cameUp], true), ([.connect, .watch, .cameUp], false), ([.connect, .cameUp, .resolved], true),
        ([.connect, .cameUp, .resolved, .poll], true), ([.resolve], false), ([.resolve, .resolved, .poll], false),
        ([.connect, .abandon, .waitForEnd], false), ([.connect, .cameUp, .disconnect], true),
    ])
    func isOursOnlyWhereBlekeepConnected(steps: [Step], isOwn: Bool) {
        #expect(machine(after: steps).phase.isOwn == isOwn)
    }

    @Test(arguments: [[Step](), [.resolve], [.poll], [.waitForEnd], [.connect, .watch, .cameUp]])
    func takesOverAConnectionInAnyPhase(steps: [Step]) {
        let before = machine(after: steps)
        let after = machine(after: steps + [.claim])
        #expect(!before.phase.isOwn && after.phase.isOwn)
        #expect((after.number, after.phase.deadline) == (before.number, before.phase.deadline))
        #expect(after.phase.isIdle == before.phase.isIdle)
    }

    @Test(arguments: [([Step.claim, .disconnect], true), ([.claim, .poll], true), ([.poll], false), ([], false)])
    func holdsAfterwardsOnlyAnOwnConnectionThatIsUp(steps: [Step], isOwn: Bool) {
        #expect(machine(after: steps + [.abandonWhileUp]).phase == (isOwn ? .held : .released))
        #expect(machine(after: steps + [.abandon]).phase == .released)
    }

    @Test(arguments: [
        ([Step.claim], true), ([.claim, .poll], true), ([], false), ([.poll], false), ([.resolve], false),
    ])
    func endsItsOwnConnectionsOnly(steps: [Step], isOwn: Bool) {
        var machine = machine(after: steps)
        let before = machine
        let ends = machine.disconnect(at: .start)
        #expect(ends == isOwn)
        #expect(ends ? machine.phase.isDisconnecting : machine == before)
    }

    // MARK: Polls

    @Test(arguments: [(0, false), (1, true), (2, false)])
    func takesThePollOfThisConnectionOnly(number: Int, isTaken: Bool) {
        var machine = machine(after: [.connect, .cameUp, .resolved, .poll])
        let wasTaken = machine.polled(on: number)
        #expect(wasTaken == isTaken)
        #expect(machine.phase.isPolling == !isTaken)
    }

    @Test func takesNoPollTwice() {
        var machine = machine(after: [.poll])
        let taken = [machine.polled(on: 0), machine.polled(on: 0)]
        #expect(taken == [true, false])
    }

    @Test func takesNoPollOfAConnectionThatWasAbandoned() {
        var machine = machine(after: [.poll, .abandon, .poll])
        let wasTaken = machine.polled(on: 0)
        #expect(!wasTaken && machine.phase.isPolling)
    }

    // MARK: Ends

    @Test func forgetsWithTheConnectionWhyItEnds() {
        var machine = machine(after: [.claim])
        machine.expectEnd(.remote)
        #expect(machine.end == .remote)
        _ = machine.abandon()
        #expect(machine.end == .unknown)
    }

    @Test(arguments: [([Step](), true), ([.poll], false), ([.abandon], false), ([.resolve, .resolved], true)])
    func isUnsubscribedUntilTheNextPoll(steps: [Step], isUnsubscribed: Bool) {
        var machine = machine(after: [.claim])
        machine.unsubscribed()
        for step in steps { step.apply(to: &machine, at: .start) }
        #expect(machine.isUnsubscribed == isUnsubscribed)
    }

    @Test(arguments: [
        ([Step](), nil), ([.connect], nil), ([.connect, .watch], nil), ([.resolve], nil), ([.poll], path),
        ([.claim, .poll, .disconnect], nil), ([.poll, .abandon], nil),
    ])
    func abandoningNamesThePollThatIsVoid(steps: [Step], path: ObjectPath?) {
        var machine = machine(after: steps)
        let number = machine.number
        let void = machine.abandon()
        #expect(void == path)
        #expect(machine.phase.isIdle && machine.number == number + 1)
    }

    // MARK: Illegal transitions

    /// A debug build stops there. A release build logs it.
    @Test func stopsAtATransitionThatMustNotBe() async {
        await #expect(processExitsWith: .failure) {
            var machine = LinkMachine()
            machine.poll(at: "/org/bluez/hci0/dev_0", at: .start)
            machine.connect(within: .seconds(1), isAhead: false, at: .start)
        }
    }

    @Test func findsNothingIllegalInLegalTransitions() {
        var machine = machine(after: [.connect])
        let violation = machine.collectViolation(isConnected: false)
        #expect(violation == nil)
    }
}
