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
        var poller = Scene(devices: 3, mode: .hold)
        for _ in 1...9 { _ = poller.state.devices[2].retry.backoff.fail() }
        poller.send(.bluez([poller.adapter], known(in: poller)))
        for id in 0...1 {
            poller.finishConnect(id)
            poller.send(.device(id, .polled(link: 1, PollResult(values: 1))))
        }
        return poller
    }

    private func known(in poller: Scene) -> [Int: DeviceFacts] {
        Dictionary(uniqueKeysWithValues: (0...2).map { ($0, poller.facts($0)) })
    }

    private func connecting(in poller: Scene) -> Int? {
        poller.state.devices.firstIndex { $0.link.phase.isConnecting }
    }

    private func refuse(_ poller: inout Scene, _ id: Int) {
        poller.now = poller.now + .milliseconds(100)
        poller.send(.device(id, .connected(link: poller.state.devices[id].link.number, Self.refusal)))
    }

    /// Earlier, blekeep learned the limit only after three pauses of 300 s, and had forgotten the first refusal by
    /// then.
    @Test func aDeviceThatFailedDoesNotWaitLongerAsTheRadioIsFull() {
        var poller = scene()
        #expect(poller.effects.connects == [0, 1, 2])
        for _ in 1...3 {
            refuse(&poller, 2)
            poller.advance(.seconds(1))
        }
        #expect(poller.state.devices[2].retry.backoff.failures == 9)
        #expect(poller.state.slots(on: 0, at: poller.now).areFull)
        #expect(poller.now < .start + .seconds(10))
        // A device that is refused even with free slots counts as the cause.
        for _ in 0..<SlotBudget.proof { _ = poller.state.devices[2].health.count(.refused) }
        poller.now = poller.now + SlotBudget.memory
        poller.send(.time)
        refuse(&poller, 2)
        #expect(poller.state.devices[2].retry.backoff.failures == 10)
    }

    /// Other programs hold all slots, and no own connection shows the limit.
    @Test func triesNothingOnAnAdapterFullOfExternalLinks() {
        var poller = Scene(devices: 3)
        let known = known(in: poller)
        poller.send(.bluez([poller.adapter], known))
        let first = poller.effects.connects.first ?? 0
        refuse(&poller, first)
        #expect(poller.effects.contains { if case .countExternalLinks = $0 { true } else { false } })
        var adapter = poller.adapter
        adapter.externalLinks = 3
        poller.send(.bluez([adapter], known))
        for _ in 1...20 {
            poller.advance(.milliseconds(500))
            if let id = connecting(in: poller) { refuse(&poller, id) }
        }
        let learned = poller.effects.connects.count
        #expect(learned <= 5)
        for _ in 1...150 {
            poller.advance(.seconds(1))
            if let id = connecting(in: poller) { refuse(&poller, id) }
        }
        #expect(poller.effects.connects.count == learned)
        // One of them ends.
        adapter.externalLinks = 2
        poller.send(.bluez([adapter], known))
        #expect(poller.effects.connects.count == learned + 1)
    }
}
