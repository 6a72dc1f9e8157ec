import DBus
import RunLoop
import Testing

@testable import BlekeepPoller
@testable import BlekeepRecords

/// When the connection to the message bus is replaced.
@Suite struct RenewalTests {
    /// A device with an own, held connection, which was read at the start.
    private func scene() -> Scene {
        var scene = Scene(devices: 1, mode: .hold)
        scene.appear(0)
        scene.finishConnect(0)
        scene.send(.device(0, .polled(link: scene.state.devices[0].link.number, PollResult(values: 1))))
        return scene
    }

    private func reconnect(_ scene: inout Scene, connected: Bool = true) {
        scene.send(.bluez([scene.adapter], [0: scene.facts(0, connected: connected, resolved: connected)]))
    }

    @Test func waitsUntilNoCallIsInProgress() {
        var scene = scene()
        scene.advance(.seconds(29))
        scene.send(.pressure(.high))
        // A tick is about to begin.
        #expect(scene.effects.renewals == 0)
        scene.advance(.seconds(1))
        #expect(scene.effects.polls == [0, 0])
        #expect(scene.effects.renewals == 0)
        scene.send(.device(0, .polled(link: scene.state.devices[0].link.number, PollResult(values: 1))))
        #expect(scene.effects.renewals == 1)
        #expect(scene.effects.disconnects.isEmpty && scene.effects.abandons.isEmpty)
    }

    @Test func doesNotWaitWhenTheBusRefusesCalls() {
        var scene = scene()
        scene.advance(.seconds(30))
        let link = scene.state.devices[0].link.number
        scene.send(.pressure(.critical))
        #expect(scene.effects.renewals == 1)
        #expect(scene.effects.abandons == [0])
        #expect(scene.effects.disconnects.isEmpty)
        // Late replies on the old connection don't count. The tick continues when the connection is known again.
        scene.send(.device(0, .polled(link: link, PollResult(ending: .wait))))
        reconnect(&scene)
        #expect(scene.effects.polls == [0, 0, 0])
        #expect(scene.state.devices[0].link.phase.isOwn)
    }

    @Test func anAttemptToConnectGoesOn() {
        var scene = Scene(devices: 1)
        scene.appear(0)
        #expect(scene.effects.connects == [0])
        scene.send(.pressure(.critical))
        scene.send(.device(0, .connected(link: scene.state.devices[0].link.number, .disconnected)))
        #expect(scene.effects.renewals == 1)
        reconnect(&scene, connected: false)
        scene.advance(.seconds(1))
        #expect(scene.effects.connects == [0])
        reconnect(&scene)
        #expect(scene.effects.polls == [0])
        #expect(scene.state.devices[0].link.phase.isOwn)
        #expect(scene.effects.disconnects.isEmpty)
    }

    @Test func aWaitForServicesGoesOn() {
        var scene = Scene(devices: 1)
        scene.appear(0)
        scene.send(.device(0, .reported(scene.facts(0, connected: true))))
        for _ in 0..<3 {
            scene.advance(.seconds(10))
            scene.send(.pressure(.critical))
            scene.send(.bluez([scene.adapter], [0: scene.facts(0, connected: true)]))
        }
        #expect(scene.effects.renewals == 3)
        #expect(scene.effects.disconnects == [0])
    }

    @Test func aNewConnectionLastsForAWhile() {
        var scene = scene()
        scene.send(.pressure(.critical))
        // Calls abandoned with the old connection don't count for the new one.
        scene.send(.pressure(.critical))
        reconnect(&scene)
        scene.advance(.seconds(20))
        #expect(scene.effects.renewals == 1)
        scene.send(.pressure(.critical))
        #expect(scene.effects.renewals == 2)
        reconnect(&scene)
        scene.send(.pressure(.critical))
        #expect(scene.effects.renewals == 2)
    }

    @Test func aLinkThatEndedMeanwhileIsMadeAgain() {
        var scene = scene()
        scene.send(.pressure(.high))
        #expect(scene.effects.renewals == 1)
        reconnect(&scene, connected: false)
        scene.advance(.seconds(1))
        #expect(scene.effects.connects == [0, 0])
    }

    @Test func subscribesAgainAtOnceWithoutATick() {
        var scene = scene()
        scene.send(.pressure(.high))
        #expect(scene.effects.polls == [0])
        reconnect(&scene)
        #expect(scene.effects.polls == [0, 0])
        scene.send(.device(0, .polled(link: scene.state.devices[0].link.number, PollResult())))
        #expect(scene.state.devices[0].ticks.timer.taken == 1 && scene.state.devices[0].health.goodTicks == 1)
    }

    /// A hanging bluetoothd gets a ping a minute, and each loses a slot.
    @Test func goesOnWhileBluetoothdHangs() {
        var scene = scene()
        scene.send(.lost(.hung))
        scene.send(.pressure(.high))
        #expect(scene.effects.renewals == 0)
        scene.send(.pressure(.critical))
        #expect(scene.effects.renewals == 1)
        #expect(scene.state.outage == .hung)
        #expect(scene.state.devices[0].claim == LinkClaim(link: .link))
        reconnect(&scene)
        #expect(scene.state.devices[0].link.phase.isOwn)
    }
}

extension [Effect] {
    fileprivate var renewals: Int { count { if case .renew = $0 { true } else { false } } }
}
