#if DEBUG
import DBus
import RunLoop

@testable import BlekeepBluetooth
@testable import BlekeepPoller
@testable import BlekeepRecords

/// Ticks of a device with two characteristics, of which the second may be missing or fail in each way. Meanwhile the
/// connection may end, and objects may change.
package struct PollExploration: Explored {
    package enum Event: Equatable {
        /// A tick: for the characteristics, for others, or only to subscribe.
        case begin(for: Duration?)
        case found(Found)
        case value(isNew: Bool, isMisfit: Bool)
        case fails(Failure, isUp: Bool)
        case asksForPairing
        case goesOn
        case notified
        case endsConnection, changesObjects, pairs
        case wait(Duration)
    }

    /// `moved`: BlueZ gave the objects other paths.
    package enum Found: CaseIterable { case all, moved, one, none, classic }

    /// An error for each way of going on after a request.
    package enum Failure: CaseIterable {
        case silence, refused, unsupported, vanished, needsPairing, stale, wait

        var error: BusError {
            switch self {
            case .silence: .timedOut
            case .refused: .remote(name: "org.bluez.Error.Failed", message: "Operation failed with ATT error: 0x0e")
            case .unsupported: .remote(name: "org.bluez.Error.NotSupported", message: "")
            case .vanished: .vanished
            case .needsPairing:
                .remote(name: "org.bluez.Error.Failed", message: "Operation failed with ATT error: 0x05")
            case .stale: .remote(name: "org.bluez.Error.Failed", message: "Operation failed with ATT error: 0x01")
            case .wait: .disconnected
            }
        }
    }

    /// What a device is asked for. Each is a start of its own.
    private struct Setup {
        var isHeld = true
        var isOneOff = false
        var hasRecipe = false
        var subscribes = false
        var readsBattery = false
    }

    private let setup: Setup
    private var machine: PollMachine
    private var now = Uptime.start + .seconds(86_400)
    private var isPaired = false
    private var ticks = 0
    private var round: PollMachine.Round?
    private var pending: PollAction?
    /// The characteristic that a pending request is about, also after the end of the connection.
    private var asked: PointPlan?
    /// What this tick has asked for on this connection.
    private var hasRead: Set<ObjectPath> = []
    private var (reports, searches) = (0, 0)

    private static let interval = Duration.seconds(30)
    private static let budget = Duration.seconds(10)
    private static let missing = CharacteristicConfiguration(characteristic: BluetoothUUID(0x2A37))

    private init(_ setup: Setup) {
        self.setup = setup
        machine = PollMachine(
            readsBattery: setup.readsBattery, isOneOff: setup.isOneOff,
            conversesEvery: setup.hasRecipe ? Self.interval : nil)
    }

    package static var starts: [PollExploration] {
        [
            Setup(), Setup(isHeld: false, subscribes: true), Setup(isOneOff: true, subscribes: true),
            Setup(hasRecipe: true), Setup(subscribes: true, readsBattery: true),
        ].map { PollExploration($0) }
    }
    package static var projection: Projection {
        Projection([
            "number": .count("link"), "ticks": .count("tick"), "reportedNothingIn": .count("tick"),
            "answers": .count("answers"), "answersBefore": .count("answers"), "misfits": .most(4), "refusals": .most(2),
            "restUntil": .deadline, "subscribeAfter": .deadline, "until": .deadline, "deadline": .deadline,
        ])
    }
    package var state: [Any] { [now, machine, Own(self)] }

    /// The surroundings, as far as they matter to what follows.
    private struct Own {
        let setup: Setup
        let isPaired: Bool
        let ticks: Int
        let isCurrent: Bool?
        let pending: String
        let hasRead: [String]

        init(_ exploration: PollExploration) {
            setup = exploration.setup
            isPaired = exploration.isPaired
            ticks = exploration.ticks
            isCurrent = exploration.round.map(exploration.machine.isCurrent)
            pending = exploration.pending.map { if case .listen = $0 { "listen" } else { "\($0)" } } ?? ""
            hasRead = exploration.hasRead.map { "\($0)" }.sorted()
        }
    }

    private func plan(_ number: Int, in folder: String = "d") -> PointPlan {
        let flags = number == 1 && setup.subscribes ? ["read", "notify"] : ["read"]
        let characteristic = GattCharacteristic(
            path: ObjectPath("/\(folder)/\(number)") ?? .root, uuid: BluetoothUUID(UInt16(0x2A6E + number)),
            service: BluetoothUUID(0x181A), flags: flags, descriptors: [:])
        var plan = PointPlan(characteristic: characteristic, interval: Self.interval, throttle: .zero)
        plan.subscribes = flags.contains("notify")
        return plan
    }

    // MARK: What may come

    package var events: [Event] {
        var events: [Event] = [.changesObjects, .endsConnection]
        if machine.points.contains(where: \.isSubscribed) { events.append(.notified) }
        guard let round else {
            // A pause of a characteristic ends, or doesn't.
            return events + [
                .begin(for: Self.interval), .begin(for: .seconds(7)), .begin(for: nil), .wait(.seconds(7200)), .pairs,
            ]
        }
        let failures = Failure.allCases.map { Event.fails($0, isUp: true) } + [.fails(.refused, isUp: false)]
        switch pending {
        case .bind?: events += Found.allCases.map(Event.found)
        case .follow?, .converse?: events += [.goesOn, .fails(.refused, isUp: true), .fails(.wait, isUp: false)]
        case .subscribe?: events += [.goesOn] + failures
        case .read(0, _)?: events.append(.value(isNew: true, isMisfit: false))
        case .read?:
            events += failures + [.asksForPairing]
            events += [.value(isNew: true, isMisfit: false), .value(isNew: false, isMisfit: true)]
        case .readBattery?, .listen?: events.append(.goesOn)
        case .report?, .write?, .end?, nil: break
        }
        // Each request ends by itself soon after the tick's budget, and a search with it.
        if now < round.deadline { events.append(.wait(round.deadline - now)) }
        return events
    }

    package mutating func take(_ event: Event) -> String? {
        switch event {
        case .begin(let interval):
            ticks += 1
            (hasRead, reports, searches) = ([], 0, 0)
            let tick = DueTick(
                number: ticks, reason: .timer, deadline: now, intervals: Set([interval].compactMap(\.self)),
                budget: Self.budget, skipped: 0)
            round = machine.begin(tick, isHeld: setup.isHeld, at: now)
            return goOn()
        case .endsConnection:
            machine.unbind()
            hasRead = []
            // Waiting for a value ends with it.
            if case .listen? = pending { return goOn() }
        case .changesObjects: machine.objectsChanged()
        case .pairs: isPaired.toggle()
        case .notified:
            guard let index = machine.points.firstIndex(where: \.isSubscribed) else { return nil }
            machine.notified(index, bytes: [7], misfit: nil)
            if case .listen? = pending { return goOn() }
        case .wait(let length): now = now + length
        default:
            guard let round else { return nil }
            finish(event, in: round)
            return goOn()
        }
        return nil
    }

    /// Takes the end of what is pending.
    private mutating func finish(_ event: Event, in round: PollMachine.Round) {
        switch (pending, event) {
        case (.bind?, .found(let found)):
            // The search itself sees that the tick is over.
            guard machine.isCurrent(round) else { return }
            switch found {
            case .all: machine.bound([plan(0), plan(1)], missing: [], in: round)
            case .moved: machine.bound([plan(0, in: "e"), plan(1, in: "e")], missing: [], in: round)
            case .one: machine.bound([plan(0)], missing: [Self.missing], in: round)
            case .none: machine.bound([], missing: [], services: .none, in: round)
            case .classic: machine.bound([], missing: [], services: .classic, in: round)
            }
        case (.follow(let indices)?, .fails(let failure, _)):
            machine.followRefused(indices, error: failure.error, in: round, at: now)
        case (.subscribe?, .goesOn): if let asked { machine.subscribed(to: asked, isPaired: isPaired) }
        case (.subscribe(let index, _)?, .fails(let failure, let isUp)):
            machine.failed(
                .subscribe, of: index, error: failure.error, isUp: isUp, in: round, isPaired: isPaired, at: now)
        case (.read(let index, _)?, .value(let isNew, let isMisfit)):
            guard let asked else { return }
            machine.read(
                index, plan: asked, bytes: isNew ? [UInt8(ticks & 1)] : [3],
                misfit: isMisfit ? .noCharacteristic : nil, in: round, isPaired: isPaired)
        case (.read(let index, _)?, .fails(let failure, let isUp)):
            machine.failed(
                .read, of: index, error: failure.error, isUp: isUp, in: round, isPaired: isPaired, at: now)
        case (.read?, .asksForPairing):
            guard let asked else { return }
            _ = machine.pairingWanted(for: asked, in: round, isPaired: isPaired, at: now)
        case (.converse?, .fails):
            var outcome = Conversation.Outcome()
            outcome.failure = .usedUp
            machine.conversed(outcome, isUp: machine.isCurrent(round), in: round)
        case (.converse?, .goesOn): machine.conversed(Conversation.Outcome(), isUp: true, in: round)
        case (.readBattery?, _): machine.batteryMissing(in: round)
        case (.listen(let end)?, _): now = max(now, end)
        default: break
        }
    }

    // MARK: What must hold

    /// Goes on with the tick until something outside must answer.
    private mutating func goOn() -> String? {
        guard let round else { return nil }
        pending = nil
        for _ in 0..<20 {
            let action = machine.next(in: round, isPaired: isPaired, at: now)
            let isLate = now >= round.deadline
            switch action {
            case .report: reports += 1
            case .end(let result): return end(result, of: round)
            case .bind, .follow, .subscribe, .converse, .write, .listen:
                pending = action
                if action == .bind { searches += 1 }
                if case .subscribe(let index, _) = action { asked = machine.points[index].plan }
                return isLate ? "\(action) begins after the deadline" : nil
            case .read(let index, _):
                pending = action
                if !machine.points.indices.contains(index) { return "a characteristic is read that isn't there" }
                asked = machine.points[index].plan
                if !hasRead.insert(machine.points[index].plan.path).inserted { return "a characteristic is read twice" }
                return isLate ? "\(action) begins after the deadline" : nil
            case .readBattery:
                pending = action
                return nil
            }
        }
        return "the tick goes on without an end"
    }

    private mutating func end(_ result: PollResult, of round: PollMachine.Round) -> String? {
        self.round = nil
        // Values of subscriptions are in the result of the tick that waits for them, a search for a subscription has none.
        if result.isEmpty, result.failure == nil, result.ending == nil, result.skipped == nil,
            !round.tick.isOnlySubscribing
        {
            return "the tick has neither a result nor a cause"
        }
        if reports > 2 + 3 * searches { return "\(reports) failures of two characteristics are reported" }
        if now > round.end { return "the tick ends \(now - round.end) late" }
        if machine.remembered > 2 { return "\(machine.remembered) characteristics are remembered" }
        return nil
    }
}
#endif
