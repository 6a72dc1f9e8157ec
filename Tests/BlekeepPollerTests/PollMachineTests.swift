import DBus
import RunLoop
import Testing

@testable import BlekeepBluetooth
@testable import BlekeepPoller
@testable import BlekeepRecords

/// One tick's work with a device, decided from plain values.
@Suite final class PollMachineTests {
    private var device = DevicePoints(BluetoothAddress(bits: 1), readsBattery: false)
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

    private func tick(isAlone: Bool = false) -> DueTick {
        DueTick(
            number: 1, reason: .timer, deadline: now, intervals: [Self.interval], budget: .seconds(10), skipped: 0,
            isAlone: isAlone)
    }

    private func begin(_ tick: DueTick? = nil, isFinite: Bool = false) -> PollMachine {
        PollMachine(tick ?? self.tick(), with: &device, isFinite: isFinite, at: now)
    }

    private func next(_ machine: inout PollMachine) -> PollAction {
        machine.next(&device, isPaired: isPaired, at: now)
    }

    private func bind(_ machine: inout PollMachine, _ plans: PointPlan...) {
        #expect(next(&machine) == .bind)
        machine.bound(&device, plans, missing: [], isBatteryServed: false)
    }

    private func answer(_ machine: inout PollMachine, _ place: Int, _ bytes: [UInt8]) {
        machine.outcome.read(&device, place, device[place].plan, bytes, nil, isPaired: isPaired)
    }

    private func fail(
        _ machine: inout PollMachine, _ place: Int, _ error: BusError, _ request: PointMemory.Request = .read,
        isUp: Bool = true
    ) {
        machine.outcome.failed(request, &device, place, error, isUp: isUp, isPaired: isPaired, at: now)
    }

    private func remote(_ name: String, _ message: String = "") -> BusError {
        .remote(name: "org.bluez.Error.\(name)", message: message)
    }

    /// Returns the indices of the points read, the reports, and the end. All reads succeed.
    private func run(_ machine: inout PollMachine) -> (reads: [Int], reports: [String], result: PollResult) {
        var (reads, reports): ([Int], [String]) = ([], [])
        while true {
            switch next(&machine) {
            case .read(let place, _):
                reads.append(place)
                answer(&machine, place, [UInt8(place)])
            case .report(let report): reports.append("\(report.failure.code)")
            case .end(let result): return (reads, reports, result)
            case .listen(let end): now = end
            case .bind, .follow, .subscribe, .readBattery, .write: break
            }
        }
    }

    @Test func readsEveryPointOnceAndEnds() {
        var machine = begin()
        bind(&machine, plan(1, "read"), plan(2, "notify"), plan(3, "read"))
        let (reads, reports, result) = run(&machine)
        #expect(reads == [0, 2] && reports == [])
        #expect(result == PollResult(values: 2, isNew: true))
        var again = begin()
        #expect(run(&again).result == PollResult(values: 2, isNew: false))
    }

    @Test func writesBeforeItReadsAndAlsoBetweenReads() {
        var machine = begin()
        device.hasWrites = true
        bind(&machine, plan(1, "read"), plan(2, "read"))
        #expect(next(&machine) == .write)
        device.hasWrites = false
        guard case .read(let first, _) = next(&machine) else { return #expect(Bool(false)) }
        answer(&machine, first, [1])
        device.hasWrites = true
        #expect(next(&machine) == .write)
        machine.outcome.result.ending = .relink
        guard case .end = next(&machine) else { return #expect(Bool(false)) }
    }

    @Test func readsOnlyWhatTheTickMeans() {
        var machine = begin()
        bind(
            &machine, plan(1, "read") { $0.interval = .seconds(60) }, plan(2, "read") { $0.isConstant = true },
            plan(3, "read"))
        #expect(run(&machine).reads == [1, 2])
        var again = begin()
        #expect(run(&again).reads == [2])
    }

    @Test func looksForThePointsAgainWhenTheyChangedUnderTheReads() {
        var machine = begin()
        bind(&machine, plan(1, "read"), plan(2, "read"), plan(3, "read"))
        #expect(next(&machine) == .read(0, mayNeedPairing: true))
        answer(&machine, 0, [1])
        device.isOld = true
        bind(&machine, plan(1, "read"), plan(3, "read"))
        #expect(run(&machine).reads == [1])
    }

    @Test func aLinkThatWentEndsThePollWithWhatWasRead() {
        var machine = begin()
        bind(&machine, plan(1, "read"), plan(2, "read"))
        _ = next(&machine)
        answer(&machine, 0, [1])
        #expect(next(&machine) == .read(1, mayNeedPairing: true))
        let plan = device[1].plan
        device.unbind()
        fail(&machine, 1, .timedOut)
        #expect(next(&machine) == .end(PollResult(values: 1, isNew: true, ending: .relink)))
        // A late reply doesn't belong to the newer poll.
        #expect(device[plan].restUntil == .start && !device[plan].isDoubtful)
    }

    @Test func aValueThatComesAfterTheLinkWentCounts() {
        var machine = begin()
        bind(&machine, plan(1, "read"), plan(2, "read"))
        _ = next(&machine)
        let plan = device[0].plan
        device.unbind()
        machine.outcome.read(&device, 0, plan, [1], nil, isPaired: false)
        #expect(next(&machine) == .end(PollResult(values: 1, isNew: true, ending: .relink)))
    }

    @Test func ignoresASubscriptionThatFailsAfterTheConnectionEnded() {
        var machine = begin()
        bind(&machine, plan(1, "notify") { $0.subscribes = true })
        _ = (next(&machine), next(&machine))
        device.unbind()
        fail(&machine, 0, remote("Failed", "Operation failed with ATT error: 0x0e"), .subscribe, isUp: false)
        #expect(next(&machine) == .end(PollResult(ending: .relink)))
    }

    @Test func anOlderPollDoesNotGoOnBesideANewerOne() {
        var older = begin()
        bind(&older, plan(1, "read"))
        var newer = begin()
        #expect(next(&older) == .end(PollResult(ending: .relink)))
        #expect(next(&newer) == .read(0, mayNeedPairing: true))
    }

    @Test func startsNoReadAfterTheBudget() {
        var machine = begin()
        bind(&machine, plan(1, "read"), plan(2, "read"), plan(3, "read"))
        _ = next(&machine)
        answer(&machine, 0, [1])
        now = .start + .seconds(10)
        let (reads, reports, result) = run(&machine)
        #expect(reads == [] && reports == ["budget"])
        #expect(result.values == 1 && result.failures == 1)
        #expect(machine.end == .start + .seconds(15))
    }

    @Test(arguments: [("NotConnected", Remedy?.some(.relink)), ("NotSupported", nil), ("NotPermitted", nil)])
    func anErrorEndsThePollOrOnlyTheRead(name: String, ending: Remedy?) {
        var machine = begin()
        bind(&machine, plan(1, "read"), plan(2, "read"))
        _ = next(&machine)
        fail(&machine, 0, remote(name))
        let (reads, reports, result) = run(&machine)
        #expect(reads == (ending == nil ? [1] : []) && reports == [name])
        #expect(result.ending == ending && result.failures == 1)
    }

    @Test func anErrorOnALinkThatIsDownEndsThePoll() {
        var machine = begin()
        bind(&machine, plan(1, "read"), plan(2, "read"))
        _ = next(&machine)
        fail(&machine, 0, remote("Failed"), isUp: false)
        #expect(run(&machine).result.ending == .relink)
    }

    @Test func aCharacteristicThatWentIsLookedForAgain() {
        var machine = begin()
        bind(&machine, plan(1, "read"), plan(2, "read"))
        _ = next(&machine)
        fail(&machine, 0, .remote(name: "org.freedesktop.DBus.Error.UnknownObject", message: "gone"))
        #expect(
            next(&machine)
                == .report(
                    .init(subject: .point(0), failure: ReadingFailure(code: .other("UnknownObject"), message: "gone"))))
        bind(&machine, plan(2, "read"))
        #expect(run(&machine).reads == [0])
    }

    @Test func readsAnUnansweredCharacteristicLastNextTime() {
        var machine = begin()
        bind(&machine, plan(1, "read"), plan(2, "read"))
        _ = next(&machine)
        fail(&machine, 0, .timedOut)
        let result = run(&machine).result
        #expect(result.silences == 1 && result.ending == .relink)
        var second = begin()
        #expect(run(&second).reads == [1, 0])
        var third = begin()
        #expect(run(&third).reads == [0, 1])
    }

    @Test func reportsMissingPairingOnceAndPausesUntilPaired() {
        var machine = begin()
        bind(&machine, plan(1, "read"), plan(2, "read") { $0.security = .authenticated })
        let first = run(&machine)
        #expect(first.reads == [0] && first.reports == ["needs_user"])
        var second = begin()
        #expect(run(&second).reports == [])
        isPaired = true
        var third = begin()
        #expect(run(&third).reads == [0, 1])
    }

    @Test func aPollOfWhatOnlyAUserCanHelpWithSaysSo() {
        for _ in 0..<2 {
            var machine = begin()
            if case .bind = next(&machine) {
                machine.bound(
                    &device, [plan(1, "read") { $0.security = .encrypted }], missing: [], isBatteryServed: false)
            }
            #expect(run(&machine).result.failure?.code == .known(.needsUser))
        }
    }

    @Test func aQuestionForAPairingEndsThePoll() {
        var machine = begin()
        bind(&machine, plan(1, "read"), plan(2, "read"))
        _ = next(&machine)
        let failure = machine.outcome.pairingWanted(&device, device[0].plan, isPaired: false, at: now)
        #expect(failure.code == .known(.needsUser))
        let (reads, _, result) = run(&machine)
        #expect(reads == [] && result.ending == .relink)
        var second = begin()
        #expect(run(&second).reads == [1])
        now = .start + Timing.waitForUser
        var third = begin()
        #expect(run(&third).reads == [0, 1])
    }

    // MARK: Subscriptions

    @Test func subscribesBeforeItReadsAndReadsWhatItMayNot() {
        var machine = begin()
        bind(&machine, plan(1, "read", "notify") { $0.subscribes = true }, plan(2, "read"))
        #expect(next(&machine) == .follow([0]))
        #expect(device.points.map(\.isFollowed) == [true, false])
        #expect(next(&machine) == .subscribe(0, mayNeedPairing: true))
        #expect(device.subscriber(of: "/d/1") == 0)
        fail(&machine, 0, remote("NotSupported"), .subscribe)
        let (reads, reports, _) = run(&machine)
        #expect(reads == [0, 1] && reports == ["NotSupported"])
        // It isn't read again soon.
        var second = begin()
        #expect(next(&second) == .read(0, mayNeedPairing: false))
    }

    @Test func subscribesOnlyWithAMatchRule() {
        var machine = begin()
        bind(&machine, plan(1, "notify") { $0.subscribes = true }, plan(2, "read"))
        #expect(next(&machine) == .follow([0]))
        machine.followRefused(
            &device, [0], .remote(name: "org.freedesktop.DBus.Error.LimitsExceeded", message: ""), at: now)
        let (reads, reports, _) = run(&machine)
        #expect(reads == [1] && reports == ["LimitsExceeded"])
        #expect(device.points.map(\.isFollowed) == [false, false])
        var second = begin()
        #expect(next(&second) == .read(1, mayNeedPairing: false))
        now = .start + .seconds(60)
        var third = begin()
        #expect(next(&third) == .follow([0]))
    }

    @Test func countsNotifiedValuesWithTheNextTick() {
        var machine = begin()
        bind(&machine, plan(1, "notify") { $0.subscribes = true }, plan(2, "read"))
        #expect(run(&machine).result.values == 1)
        device.notified(0, [7], nil)
        var second = begin()
        #expect(run(&second).result == PollResult(values: 2, isNew: true, isSubscribed: true))
        var third = begin()
        #expect(run(&third).result == PollResult(values: 1, isNew: false, isSubscribed: true))
    }

    @Test func listensBeforeTheLinkGoes() {
        var machine = begin(tick(isAlone: true))
        bind(&machine, plan(1, "notify") { $0.subscribes = true })
        _ = (next(&machine), next(&machine))
        #expect(next(&machine) == .listen(until: .start + Timing.firstValue))
        device.notified(0, [7], nil)
        #expect(next(&machine) == .end(PollResult(values: 1, isNew: true, isSubscribed: true)))
    }

    @Test func aPollThatOnlySubscribesDoesNotRead() {
        var machine = begin(.subscribing(at: now))
        bind(&machine, plan(1, "notify") { $0.subscribes = true }, plan(2, "read"))
        #expect(run(&machine).reads == [])
    }

    @Test func reportsMissingCharacteristics() {
        var machine = begin()
        _ = next(&machine)
        let missing = [BluetoothUUID(0x2A19), BluetoothUUID(0x2A6E)].map {
            CharacteristicConfiguration(characteristic: $0)
        }
        machine.bound(&device, [], missing: missing, isBatteryServed: true)
        #expect(run(&machine).reports == ["no_point"])
        device.unbind()
        var second = begin()
        _ = next(&second)
        second.bound(&device, [], missing: [], isBatteryServed: false)
        #expect(run(&second).reports == ["nothing"])
    }

    /// BlueZ shows 0 % in the first seconds of some connections.
    @Test func anEmptyBatteryIsBelievedOnlyLater() {
        #expect(
            DevicePoints.level(0, afterLinkOf: .zero) == nil && DevicePoints.level(0, afterLinkOf: .seconds(9)) == nil)
        #expect(DevicePoints.level(0, afterLinkOf: .seconds(10)) == 0)
        #expect(DevicePoints.level(1, afterLinkOf: .zero) == 1 && DevicePoints.level(87, afterLinkOf: .zero) == 87)
    }
}
