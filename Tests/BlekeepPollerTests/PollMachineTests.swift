import DBus
import RunLoop
import Testing

@testable import BlekeepBluetooth
@testable import BlekeepPoller
@testable import BlekeepRecords

/// One tick's work with a device, decided from plain values.
@Suite final class PollMachineTests {
    private var machine = PollMachine(readsBattery: false, isOneOff: false)
    private var now = Uptime.start
    private var isPaired = false
    private static let interval = Duration.seconds(30)

    private func plan(_ number: Int, _ flags: String..., change: (inout PointPlan) -> Void = { _ in }) -> PointPlan {
        let characteristic = GattCharacteristic(
            path: ObjectPath("/d/\(number)") ?? .root, uuid: BluetoothUUID(UInt16(0x2A00 + number)),
            service: BluetoothUUID(0x181A), flags: flags, descriptors: [:])
        var plan = PointPlan(characteristic: characteristic, interval: Self.interval, throttle: .zero)
        change(&plan)
        return plan
    }

    private var tick: DueTick {
        DueTick(
            number: 1, reason: .timer, deadline: now, intervals: [Self.interval], budget: .seconds(10), skipped: 0)
    }

    private func begin(_ tick: DueTick? = nil, isHeld: Bool = true) -> PollMachine.Round {
        machine.begin(tick ?? self.tick, isHeld: isHeld, at: now)
    }

    private func next(_ round: PollMachine.Round, hasWrites: Bool = false) -> PollAction {
        machine.next(in: round, hasWrites: hasWrites, isPaired: isPaired, at: now)
    }

    private func bind(_ round: PollMachine.Round, _ plans: PointPlan...) {
        #expect(next(round) == .bind)
        machine.bound(plans, missing: [], in: round)
    }

    private func answer(_ round: PollMachine.Round, _ place: Int, _ bytes: [UInt8]) {
        machine.read(
            place, plan: machine.points[place].plan, bytes: bytes, misfit: nil, in: round, isPaired: isPaired)
    }

    private func fail(
        _ round: PollMachine.Round, _ place: Int, _ error: BusError, _ request: PointMemory.Request = .read,
        isUp: Bool = true
    ) {
        machine.failed(request, of: place, error: error, isUp: isUp, in: round, isPaired: isPaired, at: now)
    }

    private func remote(_ name: String, _ message: String = "") -> BusError {
        .remote(name: "org.bluez.Error.\(name)", message: message)
    }

    /// Returns the indices of the points read, the reports, and the end. All reads succeed.
    private func run(
        _ round: PollMachine.Round, rebinding plans: [PointPlan] = [], missing: [CharacteristicConfiguration] = []
    ) -> (reads: [Int], reports: [String], result: PollResult) {
        var (reads, reports): ([Int], [String]) = ([], [])
        while true {
            switch next(round) {
            case .read(let place, _):
                reads.append(place)
                answer(round, place, [UInt8(place)])
            case .report(let report): reports.append("\(report.failure.code)")
            case .end(let result): return (reads, reports, result)
            case .listen(let end): now = end
            case .bind: machine.bound(plans, missing: missing, in: round)
            case .readBattery: machine.batteryMissing(in: round)
            case .follow, .subscribe, .converse, .write: break
            }
        }
    }

    @Test func readsEveryPointOnceAndEnds() {
        let round = begin()
        bind(round, plan(1, "read"), plan(2, "notify"), plan(3, "read"))
        let (reads, reports, result) = run(round)
        #expect(reads == [0, 2] && reports == [])
        #expect(result == PollResult(values: 2, isNew: true))
        let again = begin()
        #expect(run(again).result == PollResult(values: 2, isNew: false))
    }

    @Test func writesBeforeItReadsAndAlsoBetweenReads() {
        let round = begin()
        #expect(next(round, hasWrites: true) == .bind)
        machine.bound([plan(1, "read"), plan(2, "read")], missing: [], in: round)
        #expect(next(round, hasWrites: true) == .write)
        guard case .read(let first, _) = next(round) else { return #expect(Bool(false)) }
        answer(round, first, [1])
        #expect(next(round, hasWrites: true) == .write && machine.mayWrite(in: round, at: now))
        _ = machine.pairingWanted(for: machine.points[1].plan, in: round, isPaired: false, at: now)
        #expect(!machine.mayWrite(in: round, at: now))
        guard case .end = next(round, hasWrites: true) else { return #expect(Bool(false)) }
    }

    @Test func readsOnlyWhatTheTickMeans() {
        let round = begin()
        bind(
            round, plan(1, "read") { $0.interval = .seconds(60) }, plan(2, "read") { $0.isConstant = true },
            plan(3, "read"))
        #expect(run(round).reads == [1, 2])
        let again = begin()
        #expect(run(again).reads == [2])
    }

    @Test func looksForThePointsAgainWhenTheyChangedUnderTheReads() {
        let round = begin()
        bind(round, plan(1, "read"), plan(2, "read"), plan(3, "read"))
        #expect(next(round) == .read(0, mayNeedPairing: true))
        answer(round, 0, [1])
        machine.objectsChanged()
        bind(round, plan(1, "read"), plan(3, "read"))
        #expect(run(round).reads == [1])
    }

    @Test func aLinkThatWentEndsThePollWithWhatWasRead() {
        let round = begin()
        bind(round, plan(1, "read"), plan(2, "read"))
        _ = next(round)
        answer(round, 0, [1])
        #expect(next(round) == .read(1, mayNeedPairing: true))
        let plan = machine.points[1].plan
        machine.unbind()
        fail(round, 1, .timedOut)
        #expect(next(round) == .end(PollResult(values: 1, isNew: true, ending: .relink)))
        // A late reply doesn't belong to the newer poll.
        #expect(machine.memory(of: plan).restUntil == .start && !machine.memory(of: plan).isDoubtful)
    }

    @Test func aValueThatComesAfterTheLinkWentCounts() {
        let round = begin()
        bind(round, plan(1, "read"), plan(2, "read"))
        _ = next(round)
        let plan = machine.points[0].plan
        machine.unbind()
        machine.read(0, plan: plan, bytes: [1], misfit: nil, in: round, isPaired: false)
        #expect(next(round) == .end(PollResult(values: 1, isNew: true, ending: .relink)))
    }

    @Test func ignoresASubscriptionThatFailsAfterTheConnectionEnded() {
        let round = begin()
        bind(round, plan(1, "notify") { $0.subscribes = true })
        _ = (next(round), next(round))
        machine.unbind()
        fail(round, 0, remote("Failed", "Operation failed with ATT error: 0x0e"), .subscribe, isUp: false)
        #expect(next(round) == .end(PollResult(ending: .relink)))
    }

    @Test func anOlderPollDoesNotGoOnBesideANewerOne() {
        let older = begin()
        bind(older, plan(1, "read"))
        let newer = begin()
        #expect(next(older) == .end(PollResult(ending: .relink)))
        #expect(next(newer) == .read(0, mayNeedPairing: true))
    }

    @Test func startsNoReadAfterTheBudget() {
        let round = begin()
        bind(round, plan(1, "read"), plan(2, "read"), plan(3, "read"))
        _ = next(round)
        answer(round, 0, [1])
        now = .start + .seconds(10)
        let (reads, reports, result) = run(round)
        #expect(reads == [] && reports == ["budget"])
        #expect(result.values == 1 && result.failures == 1)
        #expect(round.end == .start + .seconds(15))
    }

    @Test(arguments: [("NotConnected", Remedy?.some(.relink)), ("NotSupported", nil), ("NotPermitted", nil)])
    func anErrorEndsThePollOrOnlyTheRead(name: String, ending: Remedy?) {
        let round = begin()
        bind(round, plan(1, "read"), plan(2, "read"))
        _ = next(round)
        fail(round, 0, remote(name))
        let (reads, reports, result) = run(round)
        #expect(reads == (ending == nil ? [1] : []) && reports == [name])
        #expect(result.ending == ending && result.failures == 1)
    }

    @Test func anErrorOnALinkThatIsDownEndsThePoll() {
        let round = begin()
        bind(round, plan(1, "read"), plan(2, "read"))
        _ = next(round)
        fail(round, 0, remote("Failed"), isUp: false)
        #expect(run(round).result.ending == .relink)
    }

    @Test(arguments: [
        (PointMemory.Request.read, true, nil as Remedy?), (.read, false, .rediscover), (.subscribe, true, .rediscover),
    ])
    func endsWhenMoreThanACharacteristicWent(request: PointMemory.Request, isUp: Bool, ending: Remedy?) {
        let round = begin()
        bind(round, plan(1, "read", "notify") { $0.subscribes = request == .subscribe })
        if request == .subscribe { _ = next(round) }
        _ = next(round)
        fail(round, 0, .vanished, request, isUp: isUp)
        if ending == nil { #expect(machine.isOld) }
        #expect(run(round, rebinding: [plan(1, "read")]).result.ending == ending)
    }

    @Test func aCharacteristicThatWentIsLookedForAgain() {
        let round = begin()
        bind(round, plan(1, "read"), plan(2, "read"))
        _ = next(round)
        fail(round, 0, .remote(name: "org.freedesktop.DBus.Error.UnknownObject", message: "gone"))
        #expect(
            next(round)
                == .report(
                    .init(
                        subject: .point(0),
                        failure: ReadingFailure(code: .other("UnknownObject"), message: "the object went away"))))
        bind(round, plan(2, "read"))
        #expect(run(round).reads == [0])
    }

    @Test func readsAnUnansweredCharacteristicLastNextTime() {
        let round = begin()
        bind(round, plan(1, "read"), plan(2, "read"))
        _ = next(round)
        fail(round, 0, .timedOut)
        let result = run(round).result
        #expect(result.silences == 1 && result.ending == .relink)
        let second = begin()
        #expect(run(second).reads == [1, 0])
        let third = begin()
        #expect(run(third).reads == [0, 1])
    }

    @Test func reportsMissingPairingOnceAndPausesUntilPaired() {
        let round = begin()
        bind(round, plan(1, "read"), plan(2, "read") { $0.security = .authenticated })
        let first = run(round)
        #expect(first.reads == [0] && first.reports == ["needs_pairing"])
        let second = begin()
        #expect(run(second).reports == [])
        isPaired = true
        let third = begin()
        #expect(run(third).reads == [0, 1])
    }

    @Test func aPollOfWhatOnlyAUserCanHelpWithSaysSo() {
        for _ in 0..<2 {
            let round = begin()
            if case .bind = next(round) {
                machine.bound(
                    [plan(1, "read") { $0.security = .encrypted }], missing: [], in: round)
            }
            #expect(run(round).result.failure?.code == .known(.needsPairing))
        }
    }

    @Test func aQuestionForAPairingEndsThePoll() {
        let round = begin()
        bind(round, plan(1, "read"), plan(2, "read"))
        _ = next(round)
        let failure = machine.pairingWanted(for: machine.points[0].plan, in: round, isPaired: false, at: now)
        #expect(failure.code == .known(.needsPairing))
        let (reads, _, result) = run(round)
        #expect(reads == [] && result.ending == .relink)
        let second = begin()
        #expect(run(second).reads == [1])
        now = .start + Timing.waitForUser
        let third = begin()
        #expect(run(third).reads == [0, 1])
    }

    // MARK: Subscriptions

    @Test func subscribesBeforeItReadsAndReadsWhatItMayNot() {
        let round = begin()
        bind(round, plan(1, "read", "notify") { $0.subscribes = true }, plan(2, "read"))
        #expect(next(round) == .follow([0]))
        #expect(machine.points.map(\.isFollowed) == [true, false])
        #expect(next(round) == .subscribe(0, mayNeedPairing: true))
        #expect(machine.subscriber(of: "/d/1") == 0)
        fail(round, 0, remote("NotSupported"), .subscribe)
        let (reads, reports, _) = run(round)
        #expect(reads == [0, 1] && reports == ["NotSupported"])
        // It isn't read again soon.
        let second = begin()
        #expect(next(second) == .read(0, mayNeedPairing: false))
    }

    @Test func subscribesOnlyWithAMatchRule() {
        let round = begin()
        bind(round, plan(1, "notify") { $0.subscribes = true }, plan(2, "read"))
        #expect(next(round) == .follow([0]))
        machine.followRefused(
            [0], error: .remote(name: "org.freedesktop.DBus.Error.LimitsExceeded", message: ""), in: round, at: now)
        let (reads, reports, _) = run(round)
        #expect(reads == [1] && reports == ["LimitsExceeded"])
        #expect(machine.points.map(\.isFollowed) == [false, false])
        let second = begin()
        #expect(next(second) == .read(1, mayNeedPairing: false))
        now = .start + .seconds(60)
        let third = begin()
        #expect(next(third) == .follow([0]))
    }

    @Test func countsNotifiedValuesWithTheNextTick() {
        let round = begin()
        bind(round, plan(1, "notify") { $0.subscribes = true }, plan(2, "read"))
        #expect(run(round).result.values == 1)
        machine.notified(0, bytes: [7], misfit: nil)
        let second = begin()
        #expect(run(second).result == PollResult(values: 2, isNew: true, isSubscribed: true))
        let third = begin()
        #expect(run(third).result == PollResult(values: 1, isNew: false, isSubscribed: true))
    }

    @Test func listensBeforeTheLinkGoes() {
        let round = begin(isHeld: false)
        bind(round, plan(1, "notify") { $0.subscribes = true })
        _ = (next(round), next(round))
        #expect(next(round) == .listen(until: .start + Timing.firstValue))
        machine.notified(0, bytes: [7], misfit: nil)
        #expect(next(round) == .end(PollResult(values: 1, isNew: true, isSubscribed: true)))
    }

    @Test func aPollThatOnlySubscribesDoesNotRead() {
        let round = begin(.subscribing(at: now))
        bind(round, plan(1, "notify") { $0.subscribes = true }, plan(2, "read"))
        #expect(run(round).reads == [])
    }

    // MARK: What isn't there

    private static let missing = [BluetoothUUID(0x2A19), BluetoothUUID(0x2A6E)].map {
        CharacteristicConfiguration(characteristic: $0)
    }

    /// At each tick, also when the points aren't searched again, and after what is there was read.
    @Test func readsWhatIsThereAndReportsWhatIsMissingOnceATick() {
        machine = PollMachine(readsBattery: true, isOneOff: false)
        for tick in 0..<3 {
            let round = begin()
            if tick == 2 { machine.objectsChanged() }
            let (reads, reports, result) = run(round, rebinding: [plan(1, "read")], missing: Self.missing)
            #expect(reads == [0] && reports == ["no_point", "no_point"])
            #expect(result.values == 1 && result.failures == 2)
        }
    }

    @Test func takesTheBatteryLevelThatComesLate() {
        machine = PollMachine(readsBattery: true, isOneOff: false)
        let round = begin()
        _ = next(round)
        machine.bound([], missing: [Self.missing[0]], in: round)
        #expect(next(round) == .readBattery)
        machine.batteryRead(87, in: round)
        let (_, reports, result) = run(round)
        #expect(reports == [] && result.values == 1)
    }

    @Test func saysWhenItKnowsNothingOfADevice() {
        machine = PollMachine(readsBattery: true, isOneOff: false)
        let round = begin()
        _ = next(round)
        machine.bound([], missing: [], in: round)
        #expect(run(round).reports == ["nothing"])
    }

    @Test(arguments: [(FoundServices.none, Remedy.relink), (.classic, .bearer)])
    func endsAConnectionWithoutServices(services: FoundServices, ending: Remedy) {
        let round = begin()
        _ = next(round)
        machine.bound([], missing: Self.missing, services: services, in: round)
        let (_, reports, result) = run(round)
        #expect(reports == ["services"] && result.ending == ending && result.failures == 1)
    }

    /// Whatever happens, a tick goes on to its end at its deadline.
    @Test func searchesNoLongerThanTheTickLasts() {
        let round = begin()
        var searches = 0
        while case .bind = next(round) {
            searches += 1
            now = now + .seconds(2)
            machine.bound([plan(1, "read")], missing: Self.missing, in: round)
            machine.objectsChanged()
        }
        #expect(searches == 5 && now == round.deadline)
        let (reads, _, result) = run(round)
        #expect(reads == [] && result.failures > 0 && result.ending == nil)
    }

    /// Each phase ends at the deadline: nothing begins after it, but the failures are reported.
    @Test(arguments: ["binding", "subscribing", "reading", "finishing", "listening"])
    func everyPhaseEndsAtTheDeadline(phase: String) {
        machine = PollMachine(readsBattery: false, isOneOff: false, conversesEvery: Self.interval)
        let round = begin(isHeld: false)
        func bind() {
            self.bind(round, plan(1, "notify") { $0.subscribes = true }, plan(2, "read"))
        }
        switch phase {
        case "binding": break
        case "subscribing":
            bind()
            #expect(next(round) == .follow([0]))
        case "reading":
            bind()
            _ = (next(round), next(round))
        case "finishing":
            bind()
            _ = (next(round), next(round), next(round))
        default:
            bind()
            _ = (next(round), next(round), next(round), next(round))
            machine.conversed(Conversation.Outcome(), isUp: true, in: round)
            #expect(next(round) == .listen(until: .start + .seconds(5)))
        }
        now = round.deadline
        #expect(!machine.mayWrite(in: round, at: now))
        while true {
            switch next(round, hasWrites: true) {
            case .report: continue
            case .end(let result):
                #expect(!result.isEmpty || result.failure != nil || result.skipped != nil)
                return
            case let action: return #expect(Bool(false), "\(action)")
            }
        }
    }

    @Test func aTickWithoutAnythingToReadSaysSo() {
        for (flags, isForWrites, report, skipped) in [
            ("write", false, ["nothing"], nil), ("write", true, [], "this tick had nothing to read"),
        ] as [(String, Bool, [String], String?)] {
            machine = PollMachine(readsBattery: false, isOneOff: false)
            let round = begin()
            bind(round, plan(1, flags) { $0.isForWrites = isForWrites })
            let (_, reports, result) = run(round)
            #expect(reports == report && result.skipped?.message == skipped)
        }
        machine = PollMachine(readsBattery: false, isOneOff: false)
        let round = begin()
        bind(round, plan(1, "read"))
        _ = next(round)
        fail(round, 0, remote("NotSupported"))
        #expect(run(round).result.failures == 1)
        let second = begin()
        #expect(run(second).result.skipped?.code == .known(.nothing))
    }

    @Test(arguments: [false, true])
    func aSilentSubscriptionIsACause(isOneOff: Bool) {
        machine = PollMachine(readsBattery: false, isOneOff: isOneOff)
        let round = begin()
        bind(round, plan(1, "notify") { $0.subscribes = true })
        let result = run(round).result
        let cause = isOneOff ? result.failure : result.skipped
        #expect(cause?.code == .known(.silent) && (isOneOff ? result.skipped : result.failure) == nil)
    }

    /// BlueZ shows 0 % in the first seconds of some connections.
    @Test func anEmptyBatteryIsBelievedOnlyLater() {
        #expect(
            PollMachine.level(0, afterLinkOf: .zero) == nil && PollMachine.level(0, afterLinkOf: .seconds(9)) == nil)
        #expect(PollMachine.level(0, afterLinkOf: .seconds(10)) == 0)
        #expect(PollMachine.level(1, afterLinkOf: .zero) == 1 && PollMachine.level(87, afterLinkOf: .zero) == 87)
    }

    // MARK: Recipes

    /// The device isn't at fault when blekeep ends its connection during a conversation.
    @Test func aConversationThatBlekeepEndedReportsNoFailure() {
        machine = PollMachine(readsBattery: false, isOneOff: false, conversesEvery: Self.interval)
        for isEnded in [false, true] {
            let round = begin()
            bind(round)
            #expect(next(round) == .converse)
            if isEnded { machine.unbind() }
            var outcome = Conversation.Outcome()
            outcome.failure = ReadingFailure(.dropped, "")
            machine.conversed(outcome, isUp: true, in: round)
            let (_, reports, result) = run(round)
            #expect(reports == (isEnded ? [] : ["dropped"]))
            #expect(result.ending == (isEnded ? .relink : nil))
            machine.unbind()
        }
    }

    // MARK: What comes during a request

    private enum Meanwhile: CaseIterable { case notification, unbind, wake, newerTick, changedObjects }

    /// A request is on its way when something else happens. Its result changes nothing that isn't its own.
    @Test(arguments: Meanwhile.allCases, [true, false])
    private func nothingThatComesDuringARequestIsLost(meanwhile: Meanwhile, isGood: Bool) {
        let round = begin()
        bind(round, plan(1, "read"), plan(2, "notify") { $0.subscribes = true }, plan(3, "read"))
        _ = (next(round), next(round))
        #expect(next(round) == .read(0, mayNeedPairing: true))
        let asked = machine.points[0].plan
        var newer: PollMachine.Round?
        switch meanwhile {
        case .notification: machine.notified(1, bytes: [9], misfit: nil)
        case .unbind: machine.unbind()
        case .wake: now = now + .seconds(60)
        case .newerTick: newer = begin()
        case .changedObjects: machine.objectsChanged()
        }
        if isGood {
            machine.read(0, plan: asked, bytes: [1], misfit: nil, in: round, isPaired: false)
        } else {
            fail(round, 0, remote("NotSupported"))
        }
        let (reads, reports, result) = run(round, rebinding: [plan(3, "read"), plan(1, "read")])
        switch meanwhile {
        case .notification:
            #expect(reads == [2] && result.values == (isGood ? 3 : 1) && result.isSubscribed)
        case .unbind:
            #expect(reads == [] && reports == [] && result.ending == .relink && result.values == (isGood ? 1 : 0))
        case .wake: #expect(reads == [] && reports.last == "budget" && result.values == (isGood ? 1 : 0))
        case .newerTick:
            #expect(reads == [] && result == PollResult(ending: .relink))
            #expect(newer.map { run($0).reads } == [0, 2])
        case .changedObjects: #expect(reads == [0] && result.values == (isGood ? 2 : 1))
        }
        // The newer tick read it again.
        let last: [UInt8]? = meanwhile == .newerTick ? [0] : isGood ? [1] : nil
        #expect(machine.memory(of: asked).last == last)
    }
}
