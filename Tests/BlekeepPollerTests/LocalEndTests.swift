import DBus
import RunLoop
import Testing

@testable import BlekeepPoller
@testable import BlekeepRecords

/// Connections that a program on this machine ended: which program, and how long blekeep then pauses the device.
@Suite struct LocalEndTests {
    private func scene() -> Scene {
        var poller = Scene(devices: 1)
        poller.appear(0)
        poller.finishConnect(0)
        poller.send(.device(0, .polled(link: 1, PollResult(values: 1))))
        return poller
    }

    private func end(_ poller: inout Scene) {
        poller.send(.device(0, .ended(.local)))
        poller.send(.device(0, .reported(poller.facts(0))))
    }

    private func power(_ poller: inout Scene, on isOn: Bool) {
        var adapter = poller.adapter
        adapter.isPowered = isOn
        poller.send(.bluez([adapter], [0: poller.facts(0)]))
    }

    @Test func anotherProgramIsLeftTheDeviceForAMinute() {
        var poller = scene()
        end(&poller)
        poller.advance(.seconds(59))
        #expect(poller.effects.connects == [0])
        poller.advance(.seconds(1))
        #expect(poller.effects.connects == [0, 0])
    }

    /// BlueZ reports the connection first, or the adapter.
    @Test(arguments: [true, false])
    func anAdapterThatGoesOffIsNoOtherProgram(isLinkFirst: Bool) {
        var poller = scene()
        if isLinkFirst { end(&poller) }
        poller.advance(.milliseconds(200))
        power(&poller, on: false)
        if !isLinkFirst { end(&poller) }
        poller.advance(.seconds(5))
        #expect(poller.effects.connects == [0])
        power(&poller, on: true)
        #expect(poller.effects.connects == [0, 0])
    }

    @Test func norIsABluetoothdThatEnds() {
        var poller = scene()
        end(&poller)
        poller.send(.lost(.bluez))
        poller.advance(.seconds(3))
        poller.appear(0)
        #expect(poller.effects.connects == [0, 0])
    }

    @Test func norAnAdapterThatIsPulledOut() {
        var poller = scene()
        end(&poller)
        poller.send(.bluez([], [:]))
        poller.advance(.seconds(3))
        poller.appear(0)
        #expect(poller.effects.connects == [0, 0])
    }

    @Test func anAdapterThatGoesOffLaterHasNotEndedTheLink() {
        var poller = scene()
        end(&poller)
        poller.advance(.seconds(20))
        power(&poller, on: false)
        poller.advance(.seconds(2))
        power(&poller, on: true)
        poller.advance(.seconds(30))
        #expect(poller.effects.connects == [0])
        poller.advance(.seconds(10))
        #expect(poller.effects.connects == [0, 0])
    }

    /// A bluetoothd that hung handles the call of Disconnect later.
    @Test func aDisconnectOfOwnThatComesLateIsNoContention() {
        var poller = scene()
        for _ in 0..<5 {
            poller.state.devices[0].endConnection(at: poller.now)
            poller.effects += poller.state.devices[0].collectActions().effects
            poller.advance(Timing.disconnect)
            #expect(poller.state.devices[0].link.phase.isOwn)
            end(&poller)
            #expect(poller.state.devices[0].link.phase.isConnecting)
            poller.finishConnect(0)
            poller.send(.device(0, .polled(link: poller.state.devices[0].link.number, PollResult(values: 1))))
        }
        #expect(poller.state.devices[0].retry.userActionNeeded == nil)
        end(&poller)
        #expect(poller.state.devices[0].retry.notBefore == poller.now + .seconds(60))
    }

    @Test func anAdapterThatIsSwitchedOffAgainAndAgainIsNoContention() {
        var poller = scene()
        for _ in 0..<5 {
            end(&poller)
            power(&poller, on: false)
            poller.advance(.seconds(5))
            power(&poller, on: true)
            poller.finishConnect(0)
            poller.send(.device(0, .polled(link: poller.state.devices[0].link.number, PollResult(values: 1))))
        }
        #expect(poller.state.devices[0].retry.userActionNeeded == nil)
        #expect(poller.effects.connects.count == 6)
    }
}
