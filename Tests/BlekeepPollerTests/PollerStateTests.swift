import DBus
import RunLoop
import Testing

@testable import BlekeepBluetooth
@testable import BlekeepPoller
@testable import BlekeepRecords

/// The decider alone: events in, effects out, on plain values.
@Suite struct PollerStateTests {
    @Test func aKnownDeviceIsConnectedAndReadAtOnce() throws {
        var keeper = Scene(devices: 1)
        keeper.appear(0)
        #expect(keeper.effects.connects == [0])
        keeper.send(.device(0, .reported(keeper.facts(0, connected: true))))
        keeper.send(.device(0, .connected(link: 1, nil)))
        #expect(keeper.effects.polls.isEmpty)
        keeper.send(.device(0, .reported(keeper.facts(0, connected: true, resolved: true))))
        #expect(keeper.effects.polls == [0])
        keeper.send(.device(0, .polled(link: 1, PollResult(values: 4, isNew: true))))
        #expect(keeper.effects.settles == 1)
        #expect(keeper.state.devices[0].health.goodTicks == 1)
    }

    @Test func theLogAndWhySayWhatAdvertisementsTellOnce() {
        var keeper = Scene(devices: 1)
        keeper.send(.device(0, .remark(ReadingFailure(.notEncrypted, "blekeep refused a packet"))))
        let name = keeper.state.devices[0].plan.name
        let notices = keeper.effects.compactMap { if case .notice(let notice) = $0 { notice } else { nil } }
        #expect(notices == [Notice(level: .warning, device: 0, text: "blekeep refused a packet")])
        let attempts = keeper.effects.compactMap { if case .commonAttempt(let attempt) = $0 { attempt } else { nil } }
        #expect(attempts.map(\.failure) == [ReadingFailure(.notEncrypted, "\(name): blekeep refused a packet")])
        #expect(attempts.map(\.phase) == [.recovery])
    }

    @Test func oneConnectAtATimeOnAnAdapterAndNoneDuringDiscovery() {
        var keeper = Scene(devices: 3)
        keeper.send(.bluez([keeper.adapter], [0: keeper.facts(0), 1: keeper.facts(1)]))
        #expect(keeper.effects.connects == [0])
        keeper.finishConnect(0)
        #expect(keeper.effects.connects == [0, 1])
        #expect(keeper.effects.discoveries == 0)
        keeper.finishConnect(1)
        // Only device 2 is missing now.
        #expect(keeper.effects.discoveries == 1)
        keeper.send(.discovering(keeper.adapter.path, nil))
        keeper.advance(.seconds(3))
        keeper.send(.device(2, .reported(keeper.facts(2))))
        #expect(keeper.effects.connects == [0, 1])
        #expect(keeper.effects.stops == 1)
        keeper.send(.discoveryEnded(keeper.adapter.path))
        #expect(keeper.effects.connects == [0, 1, 2])
    }

    @Test func anAbsentDeviceDelaysNoOther() {
        var keeper = Scene(devices: 2)
        keeper.send(.bluez([keeper.adapter], [:]))
        keeper.send(.discovering(keeper.adapter.path, nil))
        keeper.advance(.seconds(1))
        keeper.send(.device(0, .reported(keeper.facts(0))))
        #expect(keeper.effects.stops == 0)
        // Device 1 stays away. The search soon pauses to connect device 0.
        keeper.advance(.milliseconds(1600))
        #expect(keeper.effects.stops == 1)
        keeper.send(.discoveryEnded(keeper.adapter.path))
        #expect(keeper.effects.connects == [0])
        keeper.finishConnect(0)
        #expect(keeper.effects.discoveries == 2)
    }

    @Test func neverMoreLinksThanSlots() {
        var keeper = Scene(devices: 4, maxLinks: 2)
        keeper.send(.bluez([keeper.adapter], Dictionary(uniqueKeysWithValues: (0..<4).map { ($0, keeper.facts($0)) })))
        keeper.finishConnect(0)
        keeper.finishConnect(1)
        #expect(keeper.effects.connects == [0, 1])
        // With more devices than slots, blekeep disconnects after the poll.
        keeper.send(.device(0, .polled(link: 1, PollResult(values: 1))))
        #expect(keeper.effects.disconnects == [0])
        #expect(keeper.effects.connects == [0, 1])
        keeper.send(.device(0, .reported(keeper.facts(0))))
        #expect(keeper.effects.connects == [0, 1, 2])
    }

    /// BlueZ reports the ends of connections before it reports that the adapter is off. Connect in between crashes some
    /// kernels.
    @Test func reconnectsOnlyAfterTheEndOfTheConnectionIsKnown() {
        var keeper = Scene(devices: 1)
        keeper.appear(0)
        keeper.finishConnect(0)
        keeper.send(.device(0, .polled(link: 1, PollResult(values: 1))))
        keeper.send(.device(0, .reported(keeper.facts(0))))
        keeper.advance(.milliseconds(990))
        #expect(keeper.effects.connects == [0])
        keeper.advance(.milliseconds(10))
        #expect(keeper.effects.connects == [0, 0])
    }

    @Test func threeQuickTriesThenTheTickFails() {
        var keeper = Scene(devices: 1)
        keeper.appear(0)
        let abort = BusError.remote(name: "org.bluez.Error.Failed", message: "le-connection-abort-by-local")
        for link in 1...4 {
            #expect(keeper.effects.connects.count == link)
            keeper.send(.device(0, .connected(link: keeper.state.devices[0].link.number, abort)))
            keeper.advance(.seconds(1))
        }
        #expect(keeper.effects.failures == ["connect"])
        #expect(keeper.state.devices[0].health.failedTicks == 1)
    }

    /// Device 0 is to be held, and its attempts get no reply. A user asks for device 1 again and again.
    @Test func anAttemptBeforeItsTickThatGivesWayComesAgainAfterGrowingPausesAndInTimeForItsTick() throws {
        var keeper = Scene(devices: 2)
        keeper.state = PollerState(
            plans: [(0 as UInt64, LinkMode.hold), (1, .release)].map {
                DevicePlan(
                    name: "device \($0)", address: BluetoothAddress(bits: $0), adapter: nil, mode: $1,
                    intervals: [.seconds(100)], subscribes: false, count: nil)
            }, adapter: nil, maxLinks: 5, at: .start)
        keeper.send(.bluez([keeper.adapter], [0: keeper.facts(0), 1: keeper.facts(1)]))
        keeper.finishConnect(0)
        keeper.send(.device(0, .polled(link: 1, PollResult(values: 1))))
        keeper.send(.device(0, .reported(keeper.facts(0))))
        for tenth in 1...700 {
            keeper.advance(.milliseconds(100))
            if tenth.isMultiple(of: 20) { keeper.send(.device(1, .command(.poll))) }
            guard keeper.state.devices[1].link.phase.isConnecting else { continue }
            keeper.finishConnect(1)
            keeper.send(.device(1, .polled(link: keeper.state.devices[1].link.number, PollResult(values: 1))))
            keeper.send(.device(1, .reported(keeper.facts(1))))
        }
        let (early, asked) = (keeper.effects.connects.count { $0 == 0 } - 1, keeper.effects.polls.count { $0 == 1 })
        #expect(asked > 20)
        #expect((4...10).contains(early), "\(early) attempts")
        // The device itself isn't to blame, and its tick comes in time.
        #expect(keeper.state.devices[0].retry.isReliable)
        let tick = keeper.state.devices[0].nextTick
        while keeper.now < tick { keeper.advance(.milliseconds(100)) }
        #expect(keeper.state.devices[0].hasTick && keeper.state.devices[0].link.phase.isConnecting)
    }

    /// An attempt that blekeep gave up ends with an error of its own. Once, it counted as a reply, and blekeep didn't notice
    /// that bluetoothd hung.
    @Test func attemptsThatBlekeepGaveUpDoNotShowThatBluetoothdReplies() {
        var keeper = Scene(devices: 1)
        keeper.appear(0)
        for _ in 1...3 {
            keeper.send(.answered(false))
            keeper.send(.device(0, .connected(link: 0, .vanished)))
        }
        #expect(keeper.effects.pings == 1)
        // A late reply to it does, even an error.
        keeper = Scene(devices: 1)
        keeper.appear(0)
        for _ in 1...3 {
            keeper.send(.answered(false))
            keeper.send(.device(0, .connected(link: 0, .remote(name: "org.bluez.Error.Failed", message: "canceled"))))
        }
        #expect(keeper.effects.pings == 0)
    }

    @Test func aFailureThatEndsATickIsFollowedByTheNextTick() throws {
        var keeper = Scene(devices: 1)
        keeper.appear(0)
        keeper.finishConnect(0)
        keeper.advance(.seconds(2))
        var result = PollResult()
        result.fail(.needsUser("this needs pairing"))
        keeper.send(.device(0, .polled(link: 1, result)))
        #expect(keeper.effects.failedAttempts.map(\.nextTry) == [.seconds(28)])
        let attempt = try #require(keeper.effects.failedAttempts.first)
        #expect(AttemptMessages.sentence(attempt).hasSuffix("next attempt in 28s"))
    }

    @Test func theLastOfTheQuickTriesIsFollowedByTheNextTick() throws {
        var keeper = Scene(devices: 1, mode: .release)
        keeper.appear(0)
        let abort = BusError.remote(name: "org.bluez.Error.Failed", message: "le-connection-abort-by-local")
        for _ in 1...4 {
            keeper.send(.device(0, .connected(link: keeper.state.devices[0].link.number, abort)))
            keeper.advance(.seconds(1))
        }
        let tries = keeper.effects.failedAttempts.compactMap(\.nextTry)
        #expect(tries.count == 4)
        #expect(tries.dropLast().allSatisfy { $0 < .seconds(1) })
        #expect(tries.last == .seconds(27))
    }

    @Test func ignoresEventsOfAnOlderConnection() {
        var keeper = Scene(devices: 1)
        keeper.appear(0)
        keeper.finishConnect(0)
        keeper.send(.lost(.bluez))
        keeper.send(.device(0, .polled(link: 1, PollResult(values: 4))))
        #expect(keeper.state.devices[0].health.goodTicks == 0)
        keeper.appear(0)
        #expect(keeper.effects.connects == [0, 0])
    }

    @Test func usesAndNeverEndsAnExternalConnection() {
        var keeper = Scene(devices: 1, mode: .release)
        keeper.send(.bluez([keeper.adapter], [0: keeper.facts(0, connected: true, resolved: true)]))
        #expect(keeper.effects.connects.isEmpty)
        #expect(keeper.effects.polls == [0])
        keeper.send(.device(0, .polled(link: 0, PollResult(values: 1))))
        keeper.send(.stop)
        #expect(keeper.effects.disconnects.isEmpty)
    }

    /// While bluetoothd hung, blekeep's connection ended, and another program connected the device.
    @Test func aConnectionThatEndsWhileBluezHangsIsNoLongerOwned() {
        var keeper = Scene(devices: 1)
        keeper.appear(0)
        keeper.finishConnect(0)
        keeper.send(.device(0, .polled(link: 1, PollResult(values: 1))))
        keeper.send(.lost(.hung))
        keeper.send(.device(0, .reported(keeper.facts(0))))
        keeper.send(.device(0, .reported(keeper.facts(0, connected: true, resolved: true))))
        keeper.send(.bluez([keeper.adapter], [0: keeper.facts(0, connected: true, resolved: true)]))
        keeper.send(.stop)
        #expect(keeper.effects.disconnects.isEmpty)
    }

    /// Without this, a read from before a sleep would overlap the next one.
    @Test func aSleepEndsReadsOnAnExternalConnection() {
        var keeper = Scene(devices: 1)
        keeper.send(.bluez([keeper.adapter], [0: keeper.facts(0, connected: true, resolved: true)]))
        #expect(keeper.effects.polls == [0])
        keeper.send(.sleep(.sleep))
        #expect(keeper.effects.disconnects.isEmpty)
        #expect(keeper.effects.abandons == [0])
    }

    /// BlueZ may answer a read long after the end of its connection, and the machine would wait for it.
    @Test func aSleepEndsAReadWhoseConnectionHasEnded() {
        var keeper = Scene(devices: 1)
        keeper.appear(0)
        keeper.finishConnect(0)
        #expect(keeper.effects.polls == [0])
        keeper.send(.device(0, .reported(keeper.facts(0))))
        #expect(keeper.effects.abandons.isEmpty)
        keeper.send(.sleep(.sleep))
        #expect(keeper.effects.abandons == [0])
    }

    /// Three devices share two slots. blekeep disconnects a device that sends no values by itself.
    @Test func aDeviceThatWasFoundToSendByItselfKeepsItsConnection() {
        var keeper = Scene(devices: 3, maxLinks: 2)
        keeper.send(.bluez([keeper.adapter], [0: keeper.facts(0), 1: keeper.facts(1), 2: keeper.facts(2)]))
        for id in [0, 1] {
            keeper.finishConnect(id)
            let result = PollResult(values: 1, isSubscribed: id == 1)
            keeper.send(.device(id, .polled(link: keeper.state.devices[id].link.number, result)))
        }
        #expect(keeper.effects.disconnects == [0])
        #expect(keeper.state.devices[1].linkWorth < keeper.state.devices[0].linkWorth)
    }

    @Test func anOutageCountsNoFailureAndTheTickWaits() {
        var keeper = Scene(devices: 1)
        keeper.send(.lost(.bluez))
        keeper.advance(.seconds(20))
        #expect(keeper.state.devices[0].health.failedTicks == 0)
        #expect(keeper.effects.activations > 0)
        keeper.appear(0)
        #expect(keeper.effects.connects == [0])
        #expect(keeper.state.devices[0].retry.backoff.failures == 0)
    }

    @Test func aTickThatComesWhileTheLastOneIsReadIsSkipped() {
        var keeper = Scene(devices: 1)
        keeper.appear(0)
        keeper.finishConnect(0)
        keeper.advance(.seconds(31))
        #expect(keeper.effects.polls == [0])
        keeper.send(.device(0, .polled(link: 1, PollResult(values: 1))))
        #expect(keeper.effects.polls == [0, 0])
        keeper.send(.device(0, .polled(link: 1, PollResult(values: 1))))
        keeper.advance(.seconds(28))
        #expect(keeper.effects.polls == [0, 0])
        keeper.advance(.seconds(2))
        #expect(keeper.effects.polls == [0, 0, 0])
    }

    @Test func stoppingLetsOwnLinksGo() {
        var keeper = Scene(devices: 2)
        keeper.appear(0)
        keeper.finishConnect(0)
        keeper.send(.device(0, .polled(link: 1, PollResult(values: 1))))
        keeper.send(.stop)
        #expect(keeper.effects.disconnects == [0])
        #expect(keeper.state.isFinished)
    }

    @Test func nothingEverSpins() {
        var keeper = Scene(devices: 3)
        keeper.send(.bluez([keeper.adapter], [0: keeper.facts(0)]))
        for _ in 0..<200 {
            let wake = keeper.state.wake
            #expect(wake > keeper.now)
            keeper.advance(keeper.now.duration(to: wake))
        }
    }

    /// bluetoothd may hang at that time, and report the connection as if nothing had been requested.
    @Test func aLinkOnItsWayDownIsNotReadWhereBluetoothdWasOutOfSight() {
        var keeper = Scene(devices: 1, mode: .release)
        keeper.appear(0)
        keeper.finishConnect(0)
        keeper.advance(.seconds(25))
        keeper.send(.device(0, .polled(link: keeper.state.devices[0].link.number, PollResult(values: 1))))
        #expect(keeper.effects.disconnects == [0])
        keeper.effects = []
        keeper.advance(.seconds(6))
        keeper.send(.lost(.hung))
        keeper.send(.bluez([keeper.adapter], [0: keeper.facts(0, connected: true, resolved: true)]))
        #expect(keeper.effects.polls == [])
        keeper.send(.device(0, .reported(keeper.facts(0))))
        #expect(keeper.effects.connects == [0])
    }

    @Test(arguments: [true, false])
    func onlyARadioThatIsThereIsSwitchedOnBeforeASleep(isThere: Bool) {
        var keeper = Scene(devices: 1)
        keeper.state.recovery.switchedOff = [keeper.adapter.path]
        var other = keeper.adapter
        other.isPowered = false
        if !isThere { other.path = "/org/bluez/hci1" }
        keeper.send(.bluez([other], [:]))
        keeper.effects = []
        keeper.send(.sleep(.sleep))
        #expect(keeper.effects.contains { $0.isSwitchOn } == isThere)
    }
}

extension Effect {
    fileprivate var isSwitchOn: Bool { if case .recover(.switchOn) = self { true } else { false } }
}
