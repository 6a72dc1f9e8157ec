import DBus
import RunLoop
import Testing

@testable import BlekeepBluetooth
@testable import BlekeepPoller
@testable import BlekeepRecords

/// Commands of users, and their effect on one device that has just been read.
@Suite struct PollerCommandTests {
    private let adapter = AdapterFacts(path: "/org/bluez/hci0", address: nil, isPowered: true)
    private var state: PollerState

    init() { state = Self.state() }

    private static func state(mode: LinkMode = .hold, count: Int? = nil) -> PollerState {
        let plan = DevicePlan(
            name: "attic", address: BluetoothAddress(bits: 0), adapter: nil, mode: mode, intervals: [.seconds(30)],
            subscribes: false, count: count)
        return PollerState(plans: [plan], adapter: nil, maxLinks: 5, at: .start)
    }

    private func moment(_ seconds: Int) -> Uptime { .start + .seconds(seconds) }

    private func facts(connected: Bool = true) -> DeviceFacts {
        DeviceFacts(
            path: "/org/bluez/hci0/dev_0", adapter: adapter.path, isConnected: connected, isResolved: connected)
    }

    /// Connects and reads the device at the start.
    private mutating func readOnce() {
        state.devices[0].claim = LinkClaim(link: .link)
        _ = state.step(.bluez([adapter], [0: facts()]), at: .start)
        end(at: 1)
    }

    private mutating func end(at seconds: Int) {
        _ = state.step(
            .device(0, .polled(link: state.devices[0].link.number, PollResult(values: 1))), at: moment(seconds))
    }

    @Test mutating func pollReadsAtOnceAndLaterTicksStay() throws {
        readOnce()
        let effects = state.step(.device(0, .command(.poll)), at: moment(10))
        let tick = try #require(
            effects.lazy.compactMap { if case .poll(_, _, _, let tick, _) = $0 { tick } else { nil } }.first)
        #expect(tick.reason == .request && tick.intervals == [.seconds(30)])
        end(at: 11)
        #expect(state.devices[0].nextTick == moment(30) && state.devices[0].health.goodTicks == 2)
    }

    @Test mutating func pollShortensThePauseAfterAFailure() {
        readOnce()
        state.devices[0].retry.notBefore = moment(500)
        _ = state.step(.device(0, .command(.poll)), at: moment(10))
        #expect(state.devices[0].retry.notBefore == moment(11) && state.wake <= moment(11))
    }

    @Test mutating func pauseEndsTheConnectionAndStopsTicks() {
        readOnce()
        let effects = state.step(.device(0, .command(.pause(.untilResumed))), at: moment(10))
        #expect(effects.disconnects == [0])
        _ = state.step(.device(0, .reported(facts(connected: false))), at: moment(12))
        #expect(state.wake == .never || state.wake > moment(100_000))
        for seconds in [30, 60, 3600] {
            let effects = state.step(.time, at: moment(seconds))
            #expect(effects.connects.isEmpty)
        }
        #expect(
            state.devices[0].shortestInterval == nil && state.devices[0].snapshot(in: .normal).intervalReason == .paused
        )
        // A paused device isn't read by hand, either.
        #expect(
            !state.step(.device(0, .command(.poll)), at: moment(3601)).contains {
                if case .connect = $0 { true } else { false }
            }
        )
        let resumed = state.step(.device(0, .command(.resume)), at: moment(4000))
        #expect(resumed.connects == [0])
        #expect(state.devices[0].tick?.skipped == 0)
    }

    @Test mutating func aPauseWithAnEndEndsByItself() {
        readOnce()
        _ = state.step(.device(0, .command(.pause(.time(.seconds(3600))))), at: moment(10))
        _ = state.step(.device(0, .reported(facts(connected: false))), at: moment(12))
        #expect(state.devices[0].isPaused && state.wake == moment(3610))
        let effects = state.step(.time, at: moment(3610))
        #expect(!state.devices[0].isPaused)
        #expect(effects.connects == [0])
    }

    @Test mutating func pauseEndsAPollInProgressWithoutAFailure() {
        state.devices[0].claim = LinkClaim(link: .link)
        _ = state.step(.bluez([adapter], [0: facts()]), at: .start)
        #expect(state.devices[0].link.phase.isPolling)
        _ = state.step(.device(0, .command(.pause(.untilResumed))), at: moment(1))
        end(at: 2)
        #expect(state.devices[0].health.failedTicks == 0 && state.devices[0].health.goodTicks == 0)
        #expect(!state.devices[0].hasTick && state.devices[0].link.phase.isDisconnecting)
    }

    @Test mutating func aRunOfOneTickReadsAPausedDevice() {
        state = Self.state(count: 1)
        var inheritance = Inheritance()
        inheritance[0].pause = .untilResumed
        state.inherit(inheritance, at: .start)
        #expect(!state.devices[0].isPaused && state.devices[0].nextTick == .start)
    }

    @Test mutating func aPauseSurvivesARestart() {
        var inheritance = Inheritance()
        inheritance[0].pause = .time(.seconds(50))
        inheritance[7].pause = .untilResumed
        state.inherit(inheritance, at: .start)
        #expect(state.devices[0].isPaused && state.devices[0].nextTick == .never)
        _ = state.step(.bluez([adapter], [0: facts(connected: false)]), at: .start)
        #expect(state.devices[0].nextWait(in: state.surroundings(of: 0, at: .start)) == moment(50))
    }

    @Test mutating func commandsForUnknownDevicesAreIgnored() {
        readOnce()
        for (id, action) in [(7, DeviceCommand.Action.poll), (-1, .pause(.untilResumed)), (9, .resume)] {
            #expect(state.step(.device(id, .command(action)), at: moment(5)).isEmpty)
        }
    }

    @Test func aPauseEndsWithTheLaterOfTwoClocks() {
        let until = UserPause.until(1_000_000)
        #expect(until.length(from: 400_000) == .time(.seconds(600)))
        #expect(until.length(from: 2_000_000) == .time(.zero))
        // A clock that isn't set yet.
        #expect(UserPause.until(.max).length(from: .min) == .time(UserPause.longest))
        #expect(UserPause.untilResumed.length(from: 0) == .untilResumed)
    }
}
