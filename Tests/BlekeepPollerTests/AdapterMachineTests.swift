import DBus
import RunLoop
import Testing

@testable import BlekeepBluetooth
@testable import BlekeepPoller
@testable import BlekeepReadings
@testable import BlekeepRecords

/// One adapter: no reliable device waits for an unreliable one, and all others take turns.
@Suite struct AdapterMachineTests {
    private static let facts = AdapterFacts(path: "/org/bluez/hci0", address: nil, isPowered: true)
    private let now = Uptime.start + .seconds(1000)

    /// A device that waits for its tick's connection.
    private func waiting(
        _ id: DeviceNumber, due: Duration = .zero, failures: Int = 0, hasTick: Bool = true, subscribes: Bool = false,
        wish: Contender.Wish = .connection
    ) -> Contender {
        let worth = LinkWorth(
            number: id, place: id.value, subscribes: subscribes, failures: failures, interval: .seconds(30))
        var contender = Contender(
            turn: Turn(hasTick: hasTick, due: now + due, isNear: true, worth: worth),
            contact: Contact(lastHeardAt: now))
        contender.wish = wish
        return contender
    }

    /// A device that is connected for its next tick.
    private func spare(_ id: DeviceNumber, until next: Duration, subscribes: Bool = false) -> Contender {
        var contender = waiting(id, subscribes: subscribes, wish: .none)
        contender.connection = .spare
        contender.nextTick = now + next
        return contender
    }

    private func attempt(_ id: DeviceNumber, hasHadItsTurn: Bool) -> Contender {
        var contender = waiting(id, failures: 4, wish: .none)
        contender.connection = .attempt(hasHadItsTurn: hasHadItsTurn)
        return contender
    }

    private func decide(
        _ contenders: [Contender], maxLinks: Int = 5, external: Int = 0
    ) -> [AdapterMachine.Action] {
        var machine = AdapterMachine(Self.facts, maxLinks: maxLinks)
        return machine.decide(contenders, external: external, maxSearch: .seconds(15), at: now)
    }

    // MARK: Turns

    @Test func connectsTheOneWhoseTurnWasDueFirst() {
        let actions = decide([waiting(0, due: .seconds(-1)), waiting(1, due: .seconds(-3)), waiting(2)])
        #expect(actions == [.connect(1, within: Timing.connectHeard)])
    }

    @Test func aTickComesBeforeAConnectionToHold() {
        let held = waiting(0, due: .seconds(-100), hasTick: false)
        #expect(decide([held, waiting(1)]).first == .connect(1, within: Timing.connectHeard))
        // Of connections to hold, the connection of most worth comes first.
        let subscribed = waiting(2, hasTick: false, subscribes: true)
        #expect(decide([held, subscribed]).first == .connect(2, within: Timing.connectHeard))
    }

    /// Twenty devices with an interval of 20 s. Each takes 1.2 s.
    @Test(arguments: [1.2, 2.5, 0.5])
    func devicesThatWantMoreThanThereIsAreReadEquallyOften(seconds: Double) {
        let length = Duration.milliseconds(Int(seconds * 1000))
        var lastTurns = (0..<20).map { _ in Uptime.start }
        var turns = (0..<20).map { _ in 0 }
        var moment = Uptime.start + .seconds(1)
        while moment < .start + .seconds(201) {
            let waiting = (0..<20).filter { lastTurns[$0] == .start || moment >= lastTurns[$0] + .seconds(10) }
            let next = waiting.map {
                Turn(
                    hasTick: true, due: lastTurns[$0] + .seconds(20), isNear: $0 < 10,
                    worth: LinkWorth(
                        number: DeviceNumber($0), place: $0, subscribes: $0 < 3, failures: 0, interval: .seconds(20)))
            }.min()
            if let next {
                lastTurns[next.place] = moment
                turns[next.place] += 1
            }
            moment = moment + length
        }
        #expect((turns.max() ?? 0) - (turns.min() ?? 0) <= 1)
    }

    @Test func oneThatFailsGivesWayUntilItsTurnIsOverdue() {
        let failing = waiting(0, due: .seconds(1), failures: 4)
        #expect(decide([failing, waiting(1)]).first == .connect(1, within: Timing.connectHeard))
        let overdue = waiting(0, due: .seconds(-1), failures: 4)
        #expect(decide([overdue, waiting(1)]).first == .connect(0, within: Timing.connectHeard))
        // Where devices take turns, its attempt is short.
        #expect(decide([overdue, waiting(1)], maxLinks: 1).first == .connect(0, within: Timing.connectDoubtful))
    }

    @Test func oneThatFailsIsntTriedJustBeforeAnotherOnesTick() {
        let failing = waiting(0, due: .seconds(1), failures: 1)
        var expected = spare(1, until: .seconds(3))
        expected.connection = .none
        expected.isExpected = true
        #expect(decide([failing, expected]).isEmpty)
        expected.nextTick = now + Timing.minimumAttempt
        #expect(decide([failing, expected]) == [.connect(0, within: Timing.connectHeard)])
    }

    // MARK: Attempts

    @Test(arguments: [(true, true), (false, false)])
    func anAttemptThatHasHadItsTurnGivesWay(hasHadItsTurn: Bool, givesWay: Bool) {
        let attempt = attempt(0, hasHadItsTurn: hasHadItsTurn)
        #expect(decide([attempt, waiting(1)]).contains(.giveWay(0)) == givesWay)
        // It gives way to a device that must be found first, too, but not to a device that failed.
        #expect(decide([attempt, waiting(1, wish: .search(isAllowed: true))]).contains(.giveWay(0)) == givesWay)
        #expect(decide([attempt, waiting(1, failures: 1)]).isEmpty)
        #expect(decide([attempt]).isEmpty)
    }

    /// Once, attempts ended each second for a search that BlueZ had just refused.
    @Test func anAttemptGivesWayToASearchOnlyWhenTheSearchMayBegin() {
        var machine = AdapterMachine(Self.facts, maxLinks: 5)
        _ = machine.discoveryAnswered(.timedOut, refused: nil, at: now)
        let contenders = [attempt(0, hasHadItsTurn: true), waiting(1, wish: .search(isAllowed: true))]
        func decide(after pause: Duration) -> [AdapterMachine.Action] {
            machine.decide(contenders, external: 0, maxSearch: .seconds(15), at: now + pause)
        }
        #expect(decide(after: .zero).isEmpty)
        #expect(decide(after: Timing.afterRefusedDiscovery) == [.giveWay(0), .startDiscovery])
    }

    @Test func connectsTheNextDeviceWhileAnotherOnesServicesAreResolved() {
        var resolving = waiting(0, wish: .none)
        resolving.connection = .up
        #expect(decide([resolving, waiting(1)]) == [.connect(1, within: Timing.connectHeard)])
    }

    // MARK: Searches

    @Test func searchesFirstForOneThatCanBeReliedOn() {
        let missing = waiting(0, wish: .search(isAllowed: true))
        let failing = waiting(1, due: .seconds(1), failures: 4)
        #expect(decide([missing]) == [.startDiscovery])
        #expect(decide([missing, failing]) == [.startDiscovery])
        #expect(decide([failing]) == [.connect(1, within: Timing.connectHeard)])
        // But not before an overdue or a reliable device.
        let overdue = waiting(1, due: .seconds(-1), failures: 4)
        #expect(decide([missing, overdue]) == [.connect(1, within: Timing.connectHeard)])
        #expect(decide([missing, waiting(1)]) == [.connect(1, within: Timing.connectHeard)])
        #expect(decide([waiting(0, wish: .search(isAllowed: false))]).isEmpty)
    }

    /// Otherwise, when other devices need all the time, the adapter would never search for the device.
    @Test func searchesForOneThatFailsWhenItsTurnIsOverdueAndNotForLong() {
        var machine = AdapterMachine(Self.facts, maxLinks: 5)
        func decide(_ contenders: [Contender], after seconds: Double) -> [AdapterMachine.Action] {
            machine.decide(
                contenders, external: 0, maxSearch: .seconds(15), at: now + .milliseconds(Int(seconds * 1000)))
        }
        let lost = waiting(0, due: .seconds(-1), failures: 4, wish: .search(isAllowed: true))
        let longer = waiting(1, due: .seconds(-2))
        #expect(decide([lost, longer], after: 0) == [.connect(1, within: Timing.connectHeard)])
        #expect(decide([lost, waiting(1)], after: 0) == [.startDiscovery])
        _ = machine.discoveryAnswered(nil, refused: nil, at: now)
        #expect(decide([lost, waiting(1)], after: 2.4).isEmpty)
        #expect(
            decide([lost, waiting(1)], after: 2.5) == [.stopDiscovery, .searchFailed([0], for: .milliseconds(2500))])
    }

    @Test func endsASearchThatHasFoundAll() {
        var machine = AdapterMachine(Self.facts, maxLinks: 5)
        let missing = waiting(0, wish: .search(isAllowed: true))
        #expect(machine.decide([missing], external: 0, maxSearch: .seconds(15), at: now) == [.startDiscovery])
        _ = machine.discoveryAnswered(nil, refused: nil, at: now)
        #expect(machine.decide([missing], external: 0, maxSearch: .seconds(15), at: now + .seconds(3)).isEmpty)
        machine.found(at: now + .seconds(3))
        #expect(
            machine.decide([waiting(0)], external: 0, maxSearch: .seconds(15), at: now + .seconds(3))
                == [.stopDiscovery, .searchFailed([], for: .seconds(3))])
    }

    @Test func namesThoseThatWereSearchedForInVain() {
        var machine = AdapterMachine(Self.facts, maxLinks: 5)
        _ = machine.discoveryAnswered(nil, refused: nil, at: now)
        let missing = waiting(0, wish: .search(isAllowed: true))
        #expect(
            machine.decide([missing], external: 0, maxSearch: .seconds(15), at: now + .seconds(15))
                == [.stopDiscovery, .searchFailed([0], for: .seconds(15))])
    }

    @Test func waitsAfterARefusedSearch() {
        var machine = AdapterMachine(Self.facts, maxLinks: 5)
        _ = machine.discoveryAnswered(
            .remote(name: "org.bluez.Error.Failed", message: "Failed"), refused: nil, at: now)
        let missing = waiting(0, wish: .search(isAllowed: true))
        #expect(machine.decide([missing], external: 0, maxSearch: .seconds(15), at: now).isEmpty)
        let later = now + Timing.afterRefusedDiscovery
        #expect(machine.nextWait(in: (now, .seconds(15))) == later)
        #expect(machine.decide([missing], external: 0, maxSearch: .seconds(15), at: later) == [.startDiscovery])
    }

    private static let inProgress = BusError.remote(
        name: "org.bluez.Error.InProgress", message: "Operation already in progress")

    private static func hasTrouble(_ effects: [Effect]) -> Bool {
        effects.contains { if case .notice(let notice) = $0 { notice.code == .noDiscovery } else { false } }
    }

    /// A success of StartDiscovery is a promise. After bluetoothd's own pause between rounds, BlueZ is asked; then the device
    /// isn't blamed, and the adapter is.
    @Test func aSearchThatBluezAcceptsAndDoesNotDoIsTheAdaptersTrouble() {
        var facts = Self.facts
        facts.isDiscovering = false
        var machine = AdapterMachine(facts, maxLinks: 5)
        machine.reported(facts)
        let missing = waiting(0, wish: .search(isAllowed: true))
        func decide(after seconds: Double) -> [AdapterMachine.Action] {
            machine.decide(
                [missing], external: 0, maxSearch: .seconds(15), at: now + .milliseconds(Int(seconds * 1000)))
        }
        #expect(decide(after: 0) == [.startDiscovery])
        _ = machine.discoveryAnswered(nil, refused: nil, at: now)
        #expect(decide(after: 11) == [])
        #expect(machine.end(of: .query, in: (now, .seconds(15))) == now + Timing.discoveryGap)
        #expect(decide(after: 12) == [.queryDiscovery] && decide(after: 12.5) == [])
        // A signal that was lost: the search is on.
        var well = machine
        #expect(well.discoveryReported(true, isAsked: true, at: now + .seconds(13)).isEmpty)
        #expect(well.refusal.failure == nil && well.discovery != .stopping)
        let effects = machine.discoveryReported(false, isAsked: true, at: now + .seconds(13))
        #expect(Self.hasTrouble(effects) && machine.refusal.failure?.code == .known(.noDiscovery))
        #expect(machine.discovery == .stopping && machine.watch.deafSearches == 1)
        machine.discoveryEnded()
        #expect(decide(after: 13.5) == [] && decide(after: 14.5) == [.startDiscovery])
        // The next promise ends nothing; a search does.
        #expect(machine.discoveryAnswered(nil, refused: nil, at: now + .seconds(15)).isEmpty)
        #expect(machine.refusal.failure != nil)
        #expect(!machine.discoveryReported(true, isAsked: false, at: now + .seconds(16)).isEmpty)
        #expect(machine.refusal.failure == nil && machine.watch.deafSearches == 0)
    }

    /// The whole search of critical power mode is shorter than the time after which BlueZ is asked.
    @Test func aShortSearchThatWasNoneBlamesNoDevice() {
        var facts = Self.facts
        facts.isDiscovering = false
        var machine = AdapterMachine(facts, maxLinks: 5)
        machine.reported(facts)
        _ = machine.discoveryAnswered(nil, refused: nil, at: now)
        let missing = waiting(0, wish: .search(isAllowed: true))
        #expect(
            machine.decide([missing], external: 0, maxSearch: .seconds(5), at: now + .seconds(5))
                == [.stopDiscovery, .searchFailed([], for: .seconds(5))])
    }

    @Test(arguments: [true, false, nil])
    func aSearchInProgressIsBlekeepsOnlyIfThereIsOne(isDiscovering: Bool?) {
        var facts = Self.facts
        facts.isDiscovering = isDiscovering
        var machine = AdapterMachine(facts, maxLinks: 5)
        machine.reported(facts)
        let effects = machine.discoveryAnswered(Self.inProgress, refused: nil, at: now)
        guard isDiscovering == false else {
            #expect(machine.discovery == .on(since: now, lastFind: now))
            return
        }
        #expect(machine.discovery == .stopping && machine.watch.deafSearches == 1)
        let asks = effects.contains { if case .queryDiscovery = $0 { true } else { false } }
        #expect(asks)
    }

    // MARK: Slots

    /// A device that only advertises keeps discovery on.
    @Test func makesRoomWhileItListens() {
        var machine = AdapterMachine(Self.facts, maxLinks: 1)
        _ = machine.discoveryAnswered(nil, refused: nil, at: now)
        var listenedTo = waiting(0, wish: .none)
        (listenedTo.isListenedTo, listenedTo.isConnectable) = (true, false)
        let waiting = waiting(2, due: .seconds(-60))
        let full = [listenedTo, spare(1, until: .seconds(9)), waiting]
        let later = now + .seconds(5)
        #expect(machine.decide(full, external: 0, maxSearch: .seconds(15), at: later) == [.makeRoom(1)])
        let free = [listenedTo, waiting]
        #expect(machine.decide(free, external: 0, maxSearch: .seconds(15), at: later).first == .stopDiscovery)
    }

    @Test func makesRoomByTheConnectionThatIsntNeededForLongest() {
        let held = [spare(0, until: .seconds(9)), spare(1, until: .seconds(12)), spare(2, until: .seconds(3))]
        #expect(decide(held + [waiting(3)], maxLinks: 3) == [.makeRoom(1)])
        // A device that sends values by itself is disconnected last. Of devices needed at the same time, the one of
        // least worth goes first.
        let subscribed = spare(4, until: .seconds(60), subscribes: true)
        #expect(decide([subscribed] + held + [waiting(3)], maxLinks: 4) == [.makeRoom(1)])
        #expect(decide([held[0], spare(5, until: .seconds(9)), waiting(3)], maxLinks: 2) == [.makeRoom(5)])
        // It makes no room while a connection is ending.
        var ending = spare(1, until: .seconds(12))
        ending.connection = .ending(isUp: true)
        #expect(decide([held[0], ending, held[2], waiting(3)], maxLinks: 3).isEmpty)
        #expect(decide(held + [waiting(3)], maxLinks: 4) == [.connect(3, within: Timing.connectHeard)])
    }
}
