import DBus
import RunLoop
import Testing

@testable import BlekeepPoller
@testable import BlekeepRecords

/// An adapter whose slots hold blekeep's or other programs' connections.
@Suite struct FullRadioTests {
    private static let refusal = BusError.remote(
        name: "org.bluez.Error.Failed", message: "le-connection-abort-by-local")

    /// Devices 0 and 1 are connected; device 2, which has failed for long, is being connected.
    private func scene() -> Scene {
        var keeper = Scene(devices: 3, mode: .hold)
        for _ in 1...9 { _ = keeper.state.devices[2].retry.backoff.fail() }
        keeper.send(.bluez([keeper.adapter], known(in: keeper)))
        for id in 0...1 {
            keeper.finishConnect(id)
            keeper.send(.device(id, .polled(link: 1, PollResult(values: 1))))
        }
        return keeper
    }

    private func known(in keeper: Scene) -> [Int: DeviceFacts] {
        Dictionary(uniqueKeysWithValues: (0...2).map { ($0, keeper.facts($0)) })
    }

    private func connecting(in keeper: Scene) -> Int? {
        keeper.state.devices.firstIndex { $0.link.phase.isConnecting }
    }

    private func refuse(_ keeper: inout Scene, _ id: Int) {
        keeper.now = keeper.now + .milliseconds(100)
        keeper.send(.device(id, .connected(link: keeper.state.devices[id].link.number, Self.refusal)))
    }

    /// Earlier, blekeep learned the limit only after three pauses of 300 s, and had forgotten the first refusal by
    /// then.
    @Test func aDeviceThatFailedDoesNotWaitLongerAsTheRadioIsFull() {
        var keeper = scene()
        #expect(keeper.effects.connects == [0, 1, 2])
        for _ in 1...3 {
            refuse(&keeper, 2)
            keeper.advance(.seconds(1))
        }
        #expect(keeper.state.devices[2].retry.backoff.failures == 9)
        #expect(keeper.state.slots(on: 0, at: keeper.now).areFull)
        #expect(keeper.now < .start + .seconds(10))
        // A device that is refused even with free slots counts as the cause.
        for _ in 0..<SlotBudget.proof { _ = keeper.state.devices[2].health.count(.refused) }
        keeper.now = keeper.now + SlotBudget.memory
        keeper.send(.time)
        refuse(&keeper, 2)
        #expect(keeper.state.devices[2].retry.backoff.failures == 10)
    }

    /// Other programs hold all slots, and no own connection shows the limit.
    @Test func triesNothingOnAnAdapterFullOfExternalLinks() {
        var keeper = Scene(devices: 3)
        let known = known(in: keeper)
        keeper.send(.bluez([keeper.adapter], known))
        let first = keeper.effects.connects.first ?? 0
        refuse(&keeper, first)
        #expect(keeper.effects.contains { if case .countExternalLinks = $0 { true } else { false } })
        var adapter = keeper.adapter
        adapter.externalLinks = 3
        keeper.send(.bluez([adapter], known))
        for _ in 1...20 {
            keeper.advance(.milliseconds(500))
            if let id = connecting(in: keeper) { refuse(&keeper, id) }
        }
        let learned = keeper.effects.connects.count
        #expect(learned <= 5)
        for _ in 1...150 {
            keeper.advance(.seconds(1))
            if let id = connecting(in: keeper) { refuse(&keeper, id) }
        }
        #expect(keeper.effects.connects.count == learned)
        // One of them ends.
        adapter.externalLinks = 2
        keeper.send(.bluez([adapter], known))
        #expect(keeper.effects.connects.count == learned + 1)
    }
}
