import DBus
import RunLoop
import Testing

@testable import BlekeepPoller
@testable import BlekeepRecords

/// Devices that BlueZ doesn't know, and that blekeep searches for.
@Suite struct SoughtDeviceTests {
    @Test func aTickThatEndsDuringTheSearchSaysThatTheDeviceIsNotHeard() {
        var poller = Scene(devices: 1)
        poller.send(.bluez([poller.adapter], [:]))
        #expect(poller.effects.discoveries == 1)
        // The search began so late that it lasts longer than the tick.
        poller.advance(.seconds(20))
        poller.send(.discovering(poller.adapter.path, nil))
        poller.advance(.seconds(10))
        #expect(poller.effects.failures == ["not_found"])
        #expect(poller.effects.failedAttempts.map(\.phase) == [.search])
        #expect(poller.effects.failedAttempts.map(\.remedy) == [.rediscover])
    }

    @Test func aTickWithoutAnAdapterIsNotASearch() {
        var poller = Scene(devices: 1)
        poller.send(.bluez([], [:]))
        poller.advance(.seconds(30))
        #expect(poller.effects.failures == ["no_adapter"])
    }
}
