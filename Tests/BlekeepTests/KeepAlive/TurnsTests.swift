import DBus
import RunLoop
import Testing

@testable import Blekeep

/// Whose turn it is: one that keeps failing gives way to one that can be relied on, also if that is to be found first.
@Suite struct TurnsTests {
    /// Device 1 has failed before and its Connect is under way; device 0 was read, and BlueZ has forgotten it.
    private func scene(failures: Int = 4) -> Scene {
        var keeper = Scene(devices: 2)
        keeper.send(.bluez([keeper.adapter], [0: keeper.facts(0)]))
        keeper.finishConnect(0)
        keeper.send(.polled(0, link: 1, PollResult(values: 1)))
        for _ in 0..<failures { _ = keeper.state.devices[1].backoff.fail() }
        keeper.send(.device(0, nil))
        return keeper
    }

    @Test(arguments: [
        // How long the attempt has lasted, how often it failed before; whether it gives way.
        (4.9, 4, false), (5, 4, true), (5, 0, true), (4.9, 0, false),
    ])
    func givesWayToWhomIsToBeFound(seconds: Double, failures: Int, givesWay: Bool) {
        var keeper = scene(failures: failures)
        keeper.state.devices[1].facts = keeper.facts(1)
        keeper.state.devices[1].link.connect(within: .seconds(12), isAhead: false, at: keeper.now)
        keeper.state.devices[0].begin(
            DueTick(
                number: 2, reason: .timer, deadline: keeper.now, intervals: [.seconds(30)], budget: .seconds(25),
                skipped: 0))
        let now = keeper.now + .milliseconds(Int(seconds * 1000))
        #expect(keeper.state.devices[1].link.hasHadItsTurn(at: now) == givesWay)
        #expect(keeper.state.isWaitedFor(by: [], [0]))
        #expect(!keeper.state.isWaitedFor(by: [], []))
    }

    @Test func isSoughtBeforeThoseThatFailAreConnected() {
        var keeper = scene()
        keeper.state.devices[0].begin(
            DueTick(
                number: 2, reason: .timer, deadline: keeper.now, intervals: [.seconds(30)], budget: .seconds(25),
                skipped: 0))
        keeper.state.devices[1].link.connect(within: .seconds(12), isAhead: false, at: keeper.now)
        #expect(keeper.state.isSoughtFirst([0], [1], keeper.now))
        #expect(keeper.state.isSoughtFirst([0], [], keeper.now))
        #expect(!keeper.state.isSoughtFirst([], [1], keeper.now))
        // Nor before one that has had no turn for long, or that can be relied on.
        #expect(!keeper.state.isSoughtFirst([0], [1], keeper.now + .seconds(61)))
        keeper.state.devices[1].backoff.succeed()
        keeper.state.devices[1].begin(
            DueTick(
                number: 2, reason: .timer, deadline: keeper.now, intervals: [.seconds(30)], budget: .seconds(25),
                skipped: 0))
        #expect(!keeper.state.isSoughtFirst([0], [1], keeper.now))
    }
}
