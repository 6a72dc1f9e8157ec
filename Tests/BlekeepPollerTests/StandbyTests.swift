import RunLoop
import Testing

@testable import BlekeepBluetooth
@testable import BlekeepPoller
@testable import BlekeepRecords

/// A device that several gateways may read.
@Suite struct StandbyTests {
    private var scene: Scene

    init() {
        scene = Scene(devices: 1)
        var plan = scene.state.devices[0].plan
        plan.isShared = true
        scene.state.devices[0] = DeviceMachine(number: 0, place: 0, plan: plan, at: .start)
    }

    private var snapshot: DeviceSnapshot { scene.state.devices[0].snapshot(in: .normal) }

    private mutating func read() {
        scene.appear(0)
        scene.send(.discovering(scene.adapter.path, nil))
        scene.send(.device(0, .command(.takeOver(because: "it is the first"))))
        scene.send(.discoveryEnded(scene.adapter.path))
        scene.finishConnect(0)
        scene.send(.device(0, .polled(link: scene.state.devices[0].link.number, PollResult(values: 1))))
    }

    @Test mutating func beforeItIsDecidedTheDeviceIsHeardAndNotRead() {
        scene.send(.bluez([scene.adapter], [:]))
        scene.advance(.seconds(60))
        #expect(scene.effects.connects.isEmpty && scene.effects.polls.isEmpty && scene.effects.failures.isEmpty)
        #expect(scene.effects.discoveries == 1 && scene.state.listens)
        #expect(snapshot.link == .searching && snapshot.intervalReason == .standby && snapshot.interval == nil)
        scene.send(.device(0, .reported(scene.facts(0))))
        #expect(snapshot.link == .listening)
        #expect(scene.effects.connects.isEmpty)
    }

    /// A device that isn't heard for a minute can't be taken over.
    @Test mutating func aDeviceOnStandbyIsHeardForAMinute() {
        scene.appear(0)
        scene.now = scene.now + .seconds(50)
        scene.send(.device(0, .heard()))
        #expect(snapshot.link == .listening && scene.state.wake <= .start + .seconds(110))
        scene.now = .start + .seconds(109)
        scene.send(.time)
        #expect(snapshot.link == .listening)
        scene.advance(.seconds(1))
        #expect(snapshot.link == .searching)
    }

    @Test mutating func takingOverReadsAtOnce() {
        read()
        #expect(scene.effects.connects == [0] && scene.effects.polls == [0])
        #expect(snapshot.intervalReason == .configured && snapshot.goodTicks == 1)
    }

    @Test mutating func standingByEndsTheConnectionAndTheTick() {
        read()
        scene.effects = []
        scene.send(.device(0, .command(.standBy(because: "cellar reads it", atLinkEnd: false))))
        #expect(scene.effects.disconnects == [0] && snapshot.intervalReason == .standby)
        scene.send(.device(0, .reported(scene.facts(0))))
        scene.effects = []
        scene.advance(.seconds(3600))
        #expect(scene.effects.connects.isEmpty && scene.effects.failures.isEmpty)
        #expect(snapshot.failedTicks == 0)
    }

    @Test mutating func aConnectionMayGoOnUntilItEnds() {
        scene.state.devices[0] = DeviceMachine(
            number: 0, place: 0,
            plan: {
                var plan = $0; plan.mode = .hold; return plan
            }(scene.state.devices[0].plan), at: .start)
        read()
        scene.send(.device(0, .command(.standBy(because: "cellar may hear it", atLinkEnd: true))))
        scene.effects = []
        scene.advance(.seconds(30))
        #expect(scene.effects.polls == [0] && scene.effects.disconnects.isEmpty)
        scene.send(.device(0, .polled(link: scene.state.devices[0].link.number, PollResult(values: 1))))
        scene.effects = []
        scene.send(.device(0, .reported(scene.facts(0))))
        scene.advance(.seconds(60))
        #expect(scene.effects.connects.isEmpty && snapshot.intervalReason == .standby)
    }

    /// Such a decision doesn't outlive the next one.
    @Test mutating func takingOverEndsTheWishToLetGo() {
        read()
        scene.send(.device(0, .command(.standBy(because: "cellar may hear it", atLinkEnd: true))))
        scene.send(.device(0, .command(.takeOver(because: "cellar is gone"))))
        scene.send(.device(0, .reported(scene.facts(0))))
        #expect(snapshot.intervalReason != .standby)
    }

    @Test mutating func aDeviceOfOneGatewayIsNeverLeft() {
        scene = Scene(devices: 1)
        scene.appear(0)
        scene.send(.device(0, .command(.standBy(because: "cellar reads it", atLinkEnd: false))))
        #expect(snapshot.intervalReason == .configured)
    }

    @Test mutating func aBondOutlivesBluetoothd() {
        var facts = scene.facts(0)
        facts.isPaired = true
        scene.send(.bluez([scene.adapter], [0: facts]))
        scene.send(.lost(.bluez))
        #expect(snapshot.isBonded)
    }
}
