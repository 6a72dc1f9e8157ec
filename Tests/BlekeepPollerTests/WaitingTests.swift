import DBus
import RunLoop
import Testing

@testable import BlekeepPoller
@testable import BlekeepReadings
@testable import BlekeepRecords

/// Each wait is listed once, for the alarm clock and for what is done then.
@Suite struct WaitingTests {
    /// A wait that isn't done when it is over would keep the machine busy, or let the device sleep until something else
    /// happens.
    @Test(arguments: [LinkMode.auto, .hold, .release, .passive, .heard], [nil, 40])
    func nothingThatIsOverIsLeftAtAnyWakeUp(mode: LinkMode, count: Int?) {
        var scene = Scene(devices: 3, mode: mode, maxLinks: 1, isShared: count == nil, count: count)
        scene.state.recovery.allowed = Set(RecoveryStep.allCases)
        var (answered, wakeUps) = (0, 0)
        for turn in 0..<600 {
            if let event = disturbances[turn] { scene.send(event) }
            if turn % 40 == 39 { scene.send(.bluez([scene.adapter], [0: scene.facts(0), 1: scene.facts(1)])) }
            // Most calls get an answer, and some none.
            while answered < scene.effects.count {
                if (answered + turn) % 5 > 0 { scene.answer(scene.effects[answered]) }
                answered += 1
            }
            let isWaiting = scene.state.wake < .never
            scene.now = isWaiting ? max(scene.now, scene.state.wake) : scene.now + .seconds(1)
            scene.send(.time)
            if isWaiting { wakeUps += 1 }
            // Before a sleep, nothing that waits is done.
            let isDone = scene.overdue.isEmpty && scene.state.wake > scene.now
            #expect(isDone || scene.state.run.isSleeping, "turn \(turn): \(scene.overdue)")
        }
        #expect(wakeUps > 500 || count != nil, "\(wakeUps)")
    }

    private let disturbances: [Int: Event] = [
        1: .device(0, .command(.takeOver(because: ""))),
        60: .device(0, .command(.pause(.time(.seconds(90))))),
        100: .lost(.hung), 120: .alive(true), 150: .lost(.bluez), 200: .lost(.bus("it ended")),
        230: .power(PowerStatus(mode: .critical, reason: "", supply: .unknown)),
        280: .power(PowerStatus(mode: .normal, reason: "", supply: .unknown)),
        300: .device(1, .command(.takeOver(because: ""))), 301: .device(2, .command(.takeOver(because: ""))),
        380: .device(1, .command(.standBy(because: "", atLinkEnd: false))), 381: .device(1, .heard()),
        400: .sleep(.sleep), 401: .awake(""),
    ]
}

extension Scene {
    /// The waits that are over.
    fileprivate var overdue: [String] {
        state.devices.indices.flatMap { id in
            over(state.devices[id], in: state.surroundings(of: id, at: now))
        } + over(state.bluez, in: state.recovery.allowed)
            + state.adapters.flatMap { over($0, in: (now, state.maxSearch)) }
            + (state.outage == nil && !state.bluez.isBlind
                ? state.adapters.paths.compactMap { state.escalation($0) }.flatMap {
                    over($0, in: (now, state.bluez.noRestartBefore))
                } : [])
    }

    private func over<Machine: Waiting>(_ machine: Machine, in around: Machine.Around) -> [String] {
        Machine.Wait.allCases.filter { machine.end(of: $0, in: around) <= now }.map { "\($0)" }
    }

    /// Lets BlueZ answer a call: every third attempt to connect fails.
    fileprivate mutating func answer(_ effect: Effect) {
        switch effect {
        case .startDiscovery(let path): send(.discovering(path, nil))
        case .stopDiscovery(let path): send(.discoveryEnded(path))
        case .connect(let number, let link, _, _):
            if link % 3 == 0 { return send(.device(number, .connected(link: link, .timedOut))) }
            finishConnect(number.value)
        case .disconnect(let number, _, _): send(.device(number, .reported(facts(number.value))))
        case .poll(let number, let link, _, _, _):
            send(.device(number, .polled(link: link, PollResult(values: link % 2, failures: 1 - link % 2))))
        default: break
        }
    }
}
