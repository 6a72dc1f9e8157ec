import DBus
import RunLoop
import Testing

@testable import BlekeepBluetooth
@testable import BlekeepPoller
@testable import BlekeepRecords

/// The decider alone: events in, effects out, on plain values.
@Suite struct PollerStateTests {
    @Test func aKnownDeviceIsConnectedAndReadAtOnce() throws {
        var poller = Scene(devices: 1)
        poller.appear(0)
        #expect(poller.effects.connects == [0])
        poller.send(.device(0, .reported(poller.facts(0, connected: true))))
        poller.send(.device(0, .connected(link: 1, nil)))
        #expect(poller.effects.polls.isEmpty)
        poller.send(.device(0, .reported(poller.facts(0, connected: true, resolved: true))))
        #expect(poller.effects.polls == [0])
        poller.send(.device(0, .polled(link: 1, PollResult(values: 4, isNew: true))))
        #expect(poller.effects.settles == 1)
        #expect(poller.state.devices[0].health.goodTicks == 1)
    }

    @Test func theLogAndWhySayWhatAdvertisementsTellOnce() {
        var poller = Scene(devices: 1)
        poller.send(.device(0, .remark(ReadingFailure(.notEncrypted, "blekeep refused a packet"))))
        let name = poller.state.devices[0].plan.name
        let notices = poller.effects.compactMap { if case .notice(let notice) = $0 { notice } else { nil } }
        #expect(notices == [Notice(level: .warning, device: 0, text: "blekeep refused a packet")])
        let attempts = poller.effects.compactMap { if case .commonAttempt(let attempt) = $0 { attempt } else { nil } }
        #expect(attempts.map(\.failure) == [ReadingFailure(.notEncrypted, "\(name): blekeep refused a packet")])
        #expect(attempts.map(\.phase) == [.recovery])
    }

    @Test func oneConnectAtATimeOnAnAdapterAndNoneDuringDiscovery() {
        var poller = Scene(devices: 3)
        poller.send(.bluez([poller.adapter], [0: poller.facts(0), 1: poller.facts(1)]))
        #expect(poller.effects.connects == [0])
        poller.finishConnect(0)
        #expect(poller.effects.connects == [0, 1])
        #expect(poller.effects.discoveries == 0)
        poller.finishConnect(1)
        // Only device 2 is missing now.
        #expect(poller.effects.discoveries == 1)
        poller.send(.discovering(poller.adapter.path, nil))
        poller.advance(.seconds(3))
        poller.send(.device(2, .reported(poller.facts(2))))
        #expect(poller.effects.connects == [0, 1])
        #expect(poller.effects.stops == 1)
        poller.send(.discoveryEnded(poller.adapter.path))
        #expect(poller.effects.connects == [0, 1, 2])
    }

    @Test func anAbsentDeviceDelaysNoOther() {
        var poller = Scene(devices: 2)
        poller.send(.bluez([poller.adapter], [:]))
        poller.send(.discovering(poller.adapter.path, nil))
        poller.advance(.seconds(1))
        poller.send(.device(0, .reported(poller.facts(0))))
        #expect(poller.effects.stops == 0)
        // Device 1 stays away. The search soon pauses to connect device 0.
        poller.advance(.milliseconds(1600))
        #expect(poller.effects.stops == 1)
        poller.send(.discoveryEnded(poller.adapter.path))
        #expect(poller.effects.connects == [0])
        poller.finishConnect(0)
        #expect(poller.effects.discoveries == 2)
    }

    @Test func neverMoreLinksThanSlots() {
        var poller = Scene(devices: 4, maxLinks: 2)
        poller.send(.bluez([poller.adapter], Dictionary(uniqueKeysWithValues: (0..<4).map { ($0, poller.facts($0)) })))
        poller.finishConnect(0)
        poller.finishConnect(1)
        #expect(poller.effects.connects == [0, 1])
        // With more devices than slots, blekeep disconnects after the poll.
        poller.send(.device(0, .polled(link: 1, PollResult(values: 1))))
        #expect(poller.effects.disconnects == [0])
        #expect(poller.effects.connects == [0, 1])
        poller.send(.device(0, .reported(poller.facts(0))))
        #expect(poller.effects.connects == [0, 1, 2])
    }

    /// BlueZ reports the ends of connections before it reports that the adapter is off. Connect in between crashes some
    /// kernels.
    @Test func reconnectsOnlyAfterTheEndOfTheConnectionIsKnown() {
        var poller = Scene(devices: 1)
        poller.appear(0)
        poller.finishConnect(0)
        poller.send(.device(0, .polled(link: 1, PollResult(values: 1))))
        poller.send(.device(0, .reported(poller.facts(0))))
        poller.advance(.milliseconds(990))
        #expect(poller.effects.connects == [0])
        poller.advance(.milliseconds(10))
        #expect(poller.effects.connects == [0, 0])
    }

    @Test func threeQuickTriesThenTheTickFails() {
        var poller = Scene(devices: 1)
        poller.appear(0)
        let abort = BusError.remote(name: "org.bluez.Error.Failed", message: "le-connection-abort-by-local")
        for link in 1...4 {
            #expect(poller.effects.connects.count == link)
            poller.send(.device(0, .connected(link: poller.state.devices[0].link.number, abort)))
            poller.advance(.seconds(1))
        }
        #expect(poller.effects.failures == ["connect"])
        #expect(poller.state.devices[0].health.failedTicks == 1)
    }

    /// Device 0 is to be held, and its attempts get no reply. A user asks for device 1 again and again.
    @Test func anAttemptBeforeItsTickThatGivesWayComesAgainAfterGrowingPausesAndInTimeForItsTick() throws {
        var poller = Scene(devices: 2)
        poller.state = PollerState(
            plans: [(0 as UInt64, LinkMode.hold), (1, .release)].map {
                DevicePlan(
                    name: "device \($0)", address: BluetoothAddress(bits: $0), adapter: nil, mode: $1,
                    intervals: [.seconds(100)], subscribes: false, count: nil)
            }, adapter: nil, maxLinks: 5, at: .start)
        poller.send(.bluez([poller.adapter], [0: poller.facts(0), 1: poller.facts(1)]))
        poller.finishConnect(0)
        poller.send(.device(0, .polled(link: 1, PollResult(values: 1))))
        poller.send(.device(0, .reported(poller.facts(0))))
        for tenth in 1...700 {
            poller.advance(.milliseconds(100))
            if tenth.isMultiple(of: 20) { poller.send(.device(1, .command(.poll))) }
            guard poller.state.devices[1].link.phase.isConnecting else { continue }
            poller.finishConnect(1)
            poller.send(.device(1, .polled(link: poller.state.devices[1].link.number, PollResult(values: 1))))
            poller.send(.device(1, .reported(poller.facts(1))))
        }
        let (early, asked) = (poller.effects.connects.count { $0 == 0 } - 1, poller.effects.polls.count { $0 == 1 })
        #expect(asked > 20)
        #expect((4...10).contains(early), "\(early) attempts")
        // The device itself isn't to blame, and its tick comes in time.
        #expect(poller.state.devices[0].retry.isReliable)
        let tick = poller.state.devices[0].nextTick
        while poller.now < tick { poller.advance(.milliseconds(100)) }
        #expect(poller.state.devices[0].hasTick && poller.state.devices[0].link.phase.isConnecting)
    }

    /// An attempt that blekeep gave up ends with an error of its own. Once, it counted as a reply, and blekeep didn't notice
    /// that bluetoothd hung.
    @Test func attemptsThatBlekeepGaveUpDoNotShowThatBluetoothdReplies() {
        var poller = Scene(devices: 1)
        poller.appear(0)
        for _ in 1...3 {
            poller.send(.answered(false))
            poller.send(.device(0, .connected(link: 0, .vanished)))
        }
        #expect(poller.effects.pings == 1)
        // A late reply to it does, even an error.
        poller = Scene(devices: 1)
        poller.appear(0)
        for _ in 1...3 {
            poller.send(.answered(false))
            poller.send(.device(0, .connected(link: 0, .remote(name: "org.bluez.Error.Failed", message: "canceled"))))
        }
        #expect(poller.effects.pings == 0)
    }

    @Test func aFailureThatEndsATickIsFollowedByTheNextTick() throws {
        var poller = Scene(devices: 1)
        poller.appear(0)
        poller.finishConnect(0)
        poller.advance(.seconds(2))
        var result = PollResult()
        result.fail(.needsUser("this needs pairing"))
        poller.send(.device(0, .polled(link: 1, result)))
        #expect(poller.effects.failedAttempts.map(\.nextTry) == [.seconds(28)])
        let attempt = try #require(poller.effects.failedAttempts.first)
        #expect(AttemptMessages.sentence(attempt).hasSuffix("next attempt in 28s"))
    }

    @Test func theLastOfTheQuickTriesIsFollowedByTheNextTick() throws {
        var poller = Scene(devices: 1, mode: .release)
        poller.appear(0)
        let abort = BusError.remote(name: "org.bluez.Error.Failed", message: "le-connection-abort-by-local")
        for _ in 1...4 {
            poller.send(.device(0, .connected(link: poller.state.devices[0].link.number, abort)))
            poller.advance(.seconds(1))
        }
        let tries = poller.effects.failedAttempts.compactMap(\.nextTry)
        #expect(tries.count == 4)
        #expect(tries.dropLast().allSatisfy { $0 < .seconds(1) })
        #expect(tries.last == .seconds(27))
    }

    @Test func ignoresEventsOfAnOlderConnection() {
        var poller = Scene(devices: 1)
        poller.appear(0)
        poller.finishConnect(0)
        poller.send(.lost(.bluez))
        poller.send(.device(0, .polled(link: 1, PollResult(values: 4))))
        #expect(poller.state.devices[0].health.goodTicks == 0)
        poller.appear(0)
        #expect(poller.effects.connects == [0, 0])
    }

    @Test func usesAndNeverEndsAnExternalConnection() {
        var poller = Scene(devices: 1, mode: .release)
        poller.send(.bluez([poller.adapter], [0: poller.facts(0, connected: true, resolved: true)]))
        #expect(poller.effects.connects.isEmpty)
        #expect(poller.effects.polls == [0])
        poller.send(.device(0, .polled(link: 0, PollResult(values: 1))))
        poller.send(.stop)
        #expect(poller.effects.disconnects.isEmpty)
    }

    /// While bluetoothd hung, blekeep's connection ended, and another program connected the device.
    /// Once, a device that was only listened to waited for a user to pair it again, though it was heard.
    @Test func aPassiveDeviceNeedsNoKeysWhateverEndsAnExternalConnection() {
        var poller = Scene(devices: 1, mode: .passive)
        var (up, down) = (poller.facts(0, connected: true), poller.facts(0))
        (up.isPaired, down.isPaired) = (true, true)
        poller.send(.bluez([poller.adapter], [0: down]))
        poller.send(.device(0, .reported(up)))
        poller.send(.device(0, .ended(.authentication)))
        poller.send(.device(0, .reported(down)))
        for _ in 0..<3 {
            poller.send(.device(0, .broadcast(.news)))
            poller.advance(.seconds(30))
        }
        #expect(poller.state.devices[0].retry.userActionNeeded == nil)
        #expect(poller.effects.ends.suffix(2) == ["good", "good"])
    }

    @Test func aConnectionThatEndsWhileBluezHangsIsNoLongerOwned() {
        var poller = Scene(devices: 1)
        poller.appear(0)
        poller.finishConnect(0)
        poller.send(.device(0, .polled(link: 1, PollResult(values: 1))))
        poller.send(.lost(.hung))
        poller.send(.device(0, .reported(poller.facts(0))))
        poller.send(.device(0, .reported(poller.facts(0, connected: true, resolved: true))))
        poller.send(.bluez([poller.adapter], [0: poller.facts(0, connected: true, resolved: true)]))
        poller.send(.stop)
        #expect(poller.effects.disconnects.isEmpty)
    }

    /// Without this, a read from before a sleep would overlap the next one.
    @Test func aSleepEndsReadsOnAnExternalConnection() {
        var poller = Scene(devices: 1)
        poller.send(.bluez([poller.adapter], [0: poller.facts(0, connected: true, resolved: true)]))
        #expect(poller.effects.polls == [0])
        poller.send(.sleep(.sleep))
        #expect(poller.effects.disconnects.isEmpty)
        #expect(poller.effects.abandons == [0])
    }

    /// BlueZ may answer a read long after the end of its connection, and the machine would wait for it.
    @Test func aSleepEndsAReadWhoseConnectionHasEnded() {
        var poller = Scene(devices: 1)
        poller.appear(0)
        poller.finishConnect(0)
        #expect(poller.effects.polls == [0])
        poller.send(.device(0, .reported(poller.facts(0))))
        #expect(poller.effects.abandons.isEmpty)
        poller.send(.sleep(.sleep))
        #expect(poller.effects.abandons == [0])
    }

    /// Three devices share two slots. blekeep disconnects a device that sends no values by itself.
    @Test func aDeviceThatWasFoundToSendByItselfKeepsItsConnection() {
        var poller = Scene(devices: 3, maxLinks: 2)
        poller.send(.bluez([poller.adapter], [0: poller.facts(0), 1: poller.facts(1), 2: poller.facts(2)]))
        for id in [0, 1] {
            poller.finishConnect(id)
            let result = PollResult(values: 1, isSubscribed: id == 1)
            poller.send(.device(id, .polled(link: poller.state.devices[id].link.number, result)))
        }
        #expect(poller.effects.disconnects == [0])
        #expect(poller.state.devices[1].linkWorth < poller.state.devices[0].linkWorth)
    }

    @Test func anOutageCountsNoFailureAndTheTickWaits() {
        var poller = Scene(devices: 1)
        poller.send(.lost(.bluez))
        poller.advance(.seconds(20))
        #expect(poller.state.devices[0].health.failedTicks == 0)
        #expect(poller.effects.activations > 0)
        poller.appear(0)
        #expect(poller.effects.connects == [0])
        #expect(poller.state.devices[0].retry.backoff.failures == 0)
    }

    @Test func aTickThatComesWhileTheLastOneIsReadIsSkipped() {
        var poller = Scene(devices: 1)
        poller.appear(0)
        poller.finishConnect(0)
        poller.advance(.seconds(31))
        #expect(poller.effects.polls == [0])
        poller.send(.device(0, .polled(link: 1, PollResult(values: 1))))
        #expect(poller.effects.polls == [0, 0])
        poller.send(.device(0, .polled(link: 1, PollResult(values: 1))))
        poller.advance(.seconds(28))
        #expect(poller.effects.polls == [0, 0])
        poller.advance(.seconds(2))
        #expect(poller.effects.polls == [0, 0, 0])
    }

    @Test func stoppingLetsOwnLinksGo() {
        var poller = Scene(devices: 2)
        poller.appear(0)
        poller.finishConnect(0)
        poller.send(.device(0, .polled(link: 1, PollResult(values: 1))))
        poller.send(.stop)
        #expect(poller.effects.disconnects == [0])
        #expect(poller.state.isFinished)
    }

    @Test func nothingEverSpins() {
        var poller = Scene(devices: 3)
        poller.send(.bluez([poller.adapter], [0: poller.facts(0)]))
        for _ in 0..<200 {
            let wake = poller.state.wake
            #expect(wake > poller.now)
            poller.advance(poller.now.duration(to: wake))
        }
    }

    /// bluetoothd may hang at that time, and report the connection as if nothing had been requested.
    @Test func aLinkOnItsWayDownIsNotReadWhereBluetoothdWasOutOfSight() {
        var poller = Scene(devices: 1, mode: .release)
        poller.appear(0)
        poller.finishConnect(0)
        poller.advance(.seconds(25))
        poller.send(.device(0, .polled(link: poller.state.devices[0].link.number, PollResult(values: 1))))
        #expect(poller.effects.disconnects == [0])
        poller.effects = []
        poller.advance(.seconds(6))
        poller.send(.lost(.hung))
        poller.send(.bluez([poller.adapter], [0: poller.facts(0, connected: true, resolved: true)]))
        #expect(poller.effects.polls == [])
        poller.send(.device(0, .reported(poller.facts(0))))
        #expect(poller.effects.connects == [0])
    }

    @Test(arguments: [true, false])
    func onlyARadioThatIsThereIsSwitchedOnBeforeASleep(isThere: Bool) {
        var poller = Scene(devices: 1)
        poller.state.recovery.switchedOff = [poller.adapter.path]
        var other = poller.adapter
        other.isPowered = false
        if !isThere { other.path = "/org/bluez/hci1" }
        poller.send(.bluez([other], [:]))
        poller.effects = []
        poller.send(.sleep(.sleep))
        #expect(poller.effects.contains { $0.isSwitchOn } == isThere)
    }
}

extension Effect {
    fileprivate var isSwitchOn: Bool { if case .recover(.switchOn) = self { true } else { false } }
}
