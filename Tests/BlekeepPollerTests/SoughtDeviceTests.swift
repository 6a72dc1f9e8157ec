import DBus
import RunLoop
import Testing

@testable import BlekeepPoller
@testable import BlekeepRecords

/// Devices that BlueZ doesn't know, and that blekeep searches for.
@Suite struct SoughtDeviceTests {
    @Test func aTickThatEndsDuringTheSearchSaysThatTheDeviceIsNotHeard() {
        var keeper = Scene(devices: 1)
        keeper.send(.bluez([keeper.adapter], [:]))
        #expect(keeper.effects.discoveries == 1)
        // The search began so late that it lasts longer than the tick.
        keeper.advance(.seconds(20))
        keeper.send(.discovering(keeper.adapter.path, nil))
        keeper.advance(.seconds(10))
        #expect(keeper.effects.failures == ["not_found"])
        #expect(keeper.effects.failedAttempts.map(\.phase) == [.search])
        #expect(keeper.effects.failedAttempts.map(\.remedy) == [.rediscover])
    }

    @Test func aTickWithoutAnAdapterIsNotASearch() {
        var keeper = Scene(devices: 1)
        keeper.send(.bluez([], [:]))
        keeper.advance(.seconds(30))
        #expect(keeper.effects.failures == ["no_adapter"])
    }
}
