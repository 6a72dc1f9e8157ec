import RunLoop
import Testing

@testable import BlekeepBluetooth
@testable import BlekeepPoller
@testable import BlekeepRecords

/// What the poller measures of its work.
@Suite struct WorkTimeTests {
    private func times(_ effects: [Effect]) -> [WorkTime] {
        effects.compactMap { if case .timed(_, let time) = $0 { time } else { nil } }
    }

    @Test func measuresTheAttemptToConnectAndTheLatenessOfTheTick() {
        var scene = Scene(devices: 1)
        scene.appear(0)
        scene.advance(.seconds(2))
        scene.finishConnect(0)
        #expect(times(scene.effects) == [.connect(.seconds(2)), .lateness(.seconds(2))])
    }

    @Test func anotherProgramsConnectionIsNoAttempt() {
        var scene = Scene(devices: 1)
        scene.send(.bluez([scene.adapter], [0: scene.facts(0, connected: true, resolved: true)]))
        #expect(times(scene.effects) == [.lateness(.zero)])
    }
}
