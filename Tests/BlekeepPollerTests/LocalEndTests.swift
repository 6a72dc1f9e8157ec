import DBus
import RunLoop
import Testing

@testable import BlekeepPoller
@testable import BlekeepRecords

/// Connections that a program on this machine ended: which program, and how long blekeep then pauses the device.
@Suite struct LocalEndTests {
    private func scene() -> Scene {
        var keeper = Scene(devices: 1)
        keeper.appear(0)
        keeper.finishConnect(0)
        keeper.send(.device(0, .polled(link: 1, PollResult(values: 1))))
        return keeper
    }

    private func end(_ keeper: inout Scene) {
        keeper.send(.device(0, .ended(.local)))
        keeper.send(.device(0, .reported(keeper.facts(0))))
    }

    private func power(_ keeper: inout Scene, on isOn: Bool) {
        var adapter = keeper.adapter
        adapter.isPowered = isOn
        keeper.send(.bluez([adapter], [0: keeper.facts(0)]))
    }

    @Test func anotherProgramIsLeftTheDeviceForAMinute() {
        var keeper = scene()
        end(&keeper)
        keeper.advance(.seconds(59))
        #expect(keeper.effects.connects == [0])
        keeper.advance(.seconds(1))
        #expect(keeper.effects.connects == [0, 0])
    }

    /// BlueZ reports the connection first, or the adapter.
    @Test(arguments: [true, false])
    func anAdapterThatGoesOffIsNoOtherProgram(isLinkFirst: Bool) {
        var keeper = scene()
        if isLinkFirst { end(&keeper) }
        keeper.advance(.milliseconds(200))
        power(&keeper, on: false)
        if !isLinkFirst { end(&keeper) }
        keeper.advance(.seconds(5))
        #expect(keeper.effects.connects == [0])
        power(&keeper, on: true)
        #expect(keeper.effects.connects == [0, 0])
    }

    @Test func norIsABluetoothdThatEnds() {
        var keeper = scene()
        end(&keeper)
        keeper.send(.lost(.bluez))
        keeper.advance(.seconds(3))
        keeper.appear(0)
        #expect(keeper.effects.connects == [0, 0])
    }

    @Test func norAnAdapterThatIsPulledOut() {
        var keeper = scene()
        end(&keeper)
        keeper.send(.bluez([], [:]))
        keeper.advance(.seconds(3))
        keeper.appear(0)
        #expect(keeper.effects.connects == [0, 0])
    }

    @Test func anAdapterThatGoesOffLaterHasNotEndedTheLink() {
        var keeper = scene()
        end(&keeper)
        keeper.advance(.seconds(20))
        power(&keeper, on: false)
        keeper.advance(.seconds(2))
        power(&keeper, on: true)
        keeper.advance(.seconds(30))
        #expect(keeper.effects.connects == [0])
        keeper.advance(.seconds(10))
        #expect(keeper.effects.connects == [0, 0])
    }

    /// A bluetoothd that hung handles the call of Disconnect later.
    @Test func aDisconnectOfOwnThatComesLateIsNoContention() {
        var keeper = scene()
        for _ in 0..<5 {
            keeper.effects += keeper.state.devices[0].connectionUnneeded(at: keeper.now).effects
            keeper.advance(Timing.disconnect)
            #expect(keeper.state.devices[0].link.phase.isOwn)
            end(&keeper)
            #expect(keeper.state.devices[0].link.phase.isConnecting)
            keeper.finishConnect(0)
            keeper.send(.device(0, .polled(link: keeper.state.devices[0].link.number, PollResult(values: 1))))
        }
        #expect(keeper.state.devices[0].retry.userActionNeeded == nil)
        end(&keeper)
        #expect(keeper.state.devices[0].retry.notBefore == keeper.now + .seconds(60))
    }

    @Test func anAdapterThatIsSwitchedOffAgainAndAgainIsNoContention() {
        var keeper = scene()
        for _ in 0..<5 {
            end(&keeper)
            power(&keeper, on: false)
            keeper.advance(.seconds(5))
            power(&keeper, on: true)
            keeper.finishConnect(0)
            keeper.send(.device(0, .polled(link: keeper.state.devices[0].link.number, PollResult(values: 1))))
        }
        #expect(keeper.state.devices[0].retry.userActionNeeded == nil)
        #expect(keeper.effects.connects.count == 6)
    }
}
