import DBus
import RunLoop
import Testing

@testable import BlekeepBluetooth
@testable import BlekeepPoller
@testable import BlekeepRecords

/// New configurations and their effects. Two held devices are connected, and were read at the start.
@Suite struct PollerConfigurationTests {
    private var scene: Scene
    private var configured: ConfiguredDevices
    private var configuration: PollConfiguration

    init() {
        configuration = PollConfiguration(devices: [Self.device(0), Self.device(1)])
        configured = ConfiguredDevices(Self.settings(configuration))
        scene = Scene(devices: 2, mode: .hold)
        for id in 0...1 { scene.state.devices[id].claim = LinkClaim(link: .link) }
        let facts = [
            0: scene.facts(0, connected: true, resolved: true), 1: scene.facts(1, connected: true, resolved: true),
        ]
        scene.send(.bluez([scene.adapter], facts))
        scene.advance(.seconds(1))
        end(0)
        end(1)
        scene.effects = []
    }

    private static func device(_ number: UInt64, every seconds: Int = 30) -> DeviceConfiguration {
        DeviceConfiguration(
            alias: "device \(number)", address: BluetoothAddress(bits: number), interval: .seconds(seconds),
            mode: .hold)
    }

    private static func settings(_ configuration: PollConfiguration) -> [DeviceSetting] {
        configuration.devices.map { DeviceSetting($0, in: configuration) }
    }

    private mutating func end(_ id: Int) {
        scene.send(.device(id, .polled(link: scene.state.devices[id].link.number, PollResult(values: 1))))
    }

    private mutating func configure(_ devices: [DeviceConfiguration], pausing: [DeviceNumber] = []) {
        configuration.devices = devices
        let changes = configured.apply(Self.settings(configuration))
        var earlier = EarlierRun.Legacy()
        for id in pausing { earlier.inheritance[id].pause = .untilResumed }
        scene.send(.configured(Reconfiguration(configuration: configuration, changes: changes, earlier: earlier)))
    }

    @Test mutating func aNewDeviceIsReadAtOnceAndOthersAreNotTouched() {
        let before = scene.state.devices[0]
        configure([Self.device(0), Self.device(1), Self.device(2)])
        #expect(scene.effects.disconnects.isEmpty && scene.effects.abandons.isEmpty && scene.effects.polls.isEmpty)
        #expect(scene.state.devices[0].nextTick == before.nextTick && scene.state.devices[0].link == before.link)
        #expect(scene.state.devices[2].hasTick && scene.effects.discoveries == 1)
    }

    @Test mutating func aRemovedDeviceIsDisconnectedAndHasNoTicks() {
        configure([Self.device(1)])
        #expect(scene.effects.disconnects == [0])
        scene.send(.device(0, .reported(scene.facts(0))))
        scene.effects = []
        scene.advance(.seconds(300))
        #expect(scene.effects.polls == [1])
        #expect(scene.state.devices[0].nextTick == .never && scene.state.devices[0].isGone)
        #expect(!scene.effects.contains { if case .device(0, _) = $0 { true } else { false } })
    }

    @Test mutating func betweenEqualTurnsTheOrderOfTheConfigurationDecidesWhateverTheNumbers() {
        configure([Self.device(1)])
        scene.send(.device(0, .reported(scene.facts(0))))
        // The newcomer gets the higher number.
        configure([Self.device(7), Self.device(1)])
        #expect(scene.state.devices.map(\.plan.name) == ["device 1", "device 7"])
        func turns() -> [String] {
            scene.state.devices.map { ($0.turn(at: .start), $0.plan.name) }.sorted { $0.0 < $1.0 }.map(\.1)
        }
        for id in 0...1 { scene.state.devices[id].contact = Contact() }
        for id in 0...1 { scene.state.devices[id].link = LinkMachine() }
        for id in 0...1 where !scene.state.devices[id].hasTick {
            scene.state.devices[id].ticks.timer.request(at: scene.now)
            scene.state.devices[id].ticks.begin(scene.state.devices[id].ticks.takeDue(at: scene.now)!)
        }
        #expect(turns() == ["device 7", "device 1"])
        configure([Self.device(1), Self.device(7)])
        #expect(turns() == ["device 1", "device 7"])
    }

    @Test mutating func aRemovedDeviceWaitsUntilItIsDisconnected() {
        configure([Self.device(1)])
        #expect(!scene.state.devices[0].isGone)
        configure([Self.device(1), Self.device(7)])
        #expect(scene.state.devices.map(\.number) == [0, 1, 2])
        scene.send(.device(0, .reported(scene.facts(0))))
        configure([Self.device(1), Self.device(7), Self.device(8)])
        #expect(scene.state.devices.map(\.number) == [1, 2, 3])
    }

    @Test mutating func whatIsLateForARemovedDeviceReachesNoOther() throws {
        let old = try #require(configured[Self.device(0).id]?.number)
        configure([Self.device(1)])
        scene.send(.device(old, .reported(scene.facts(0))))
        configure([Self.device(1), Self.device(7)])
        let before = try #require(scene.state.devices.first { $0.plan.name == "device 7" })
        scene.send(.device(old, .reported(scene.facts(0, connected: true, resolved: true))))
        scene.send(.device(old, .heard()))
        scene.send(.device(old, .ended(.timeout)))
        scene.send(.device(old, .connected(link: before.link.number, nil)))
        scene.send(.device(old, .polled(link: before.link.number, PollResult(values: 1))))
        scene.send(.device(old, .command(.pause(.untilResumed))))
        var earlier = Inheritance()
        earlier[old].pause = .untilResumed
        earlier[old].claim = .link
        scene.send(.recalled(earlier))
        let after = try #require(scene.state.devices.first { $0.plan.name == "device 7" })
        #expect(after.facts == nil && after.link == before.link && after.contact == before.contact)
        #expect(!after.isPaused && after.claim == nil && after.health.goodTicks == 0)
    }

    @Test mutating func aDeviceThatComesBackKeepsItsConnection() {
        configure([Self.device(1)])
        configure([Self.device(0), Self.device(1)])
        #expect(scene.state.devices.map(\.number) == [1, 2])
        #expect(scene.state.devices[1].link.phase.isDisconnecting && scene.state.devices[1].isConnected)
        scene.send(.device(2, .reported(scene.facts(0))))
        #expect(scene.effects.connects == [2])
    }

    /// It is gone already when it comes back.
    @Test mutating func aDeviceThatComesBackIsKnownAtOnce() {
        configure([Self.device(1)])
        scene.send(.device(0, .reported(scene.facts(0))))
        configure([Self.device(0), Self.device(1)])
        #expect(scene.state.devices.map(\.number) == [1, 2] && scene.effects.connects == [2])
    }

    @Test mutating func devicesDoNotGrowWithEachConfiguration() {
        for number in UInt64(2)...500 {
            configure([Self.device(1), Self.device(number)])
            scene.send(.bluez([scene.adapter], [1: scene.facts(1, connected: true, resolved: true)]))
        }
        #expect(scene.state.devices.count == 3 && scene.state.outlines.count == 3)
    }

    @Test mutating func aNewIntervalCountsFromTheLastTick() {
        scene.advance(.seconds(9))
        configure([Self.device(0, every: 60), Self.device(1)])
        #expect(scene.effects.disconnects.isEmpty)
        #expect(scene.state.devices[0].nextTick == .start + .seconds(60))
        #expect(scene.state.devices[1].nextTick == .start + .seconds(30))
        configure([Self.device(0, every: 5), Self.device(1)])
        #expect(scene.state.devices[0].tick?.number == 2)
    }

    @Test mutating func aPollInProgressBeginsAgainWithTheNewConfiguration() {
        scene.advance(.seconds(29))
        #expect(scene.effects.polls == [0, 1])
        configure([Self.device(0, every: 60), Self.device(1)])
        #expect(scene.effects.abandons == [0] && scene.effects.polls == [0, 1, 0])
        #expect(scene.effects.disconnects.isEmpty)
    }

    @Test mutating func otherCharacteristicsNeedANewConnection() {
        var device = Self.device(0)
        device.characteristics = [CharacteristicConfiguration(characteristic: BluetoothUUID(0x2A6E))]
        configure([device, Self.device(1)])
        #expect(scene.effects.disconnects == [0])
        scene.send(.device(0, .reported(scene.facts(0))))
        #expect(scene.effects.connects == [0])
    }

    @Test mutating func aPauseOfAnEarlierRunHoldsForANewDevice() {
        configure([Self.device(0), Self.device(1), Self.device(2)], pausing: [2])
        #expect(scene.state.devices[2].isPaused && !scene.state.devices[2].hasTick)
    }

    @Test mutating func adaptersHaveTheNewLimitOfConnections() {
        configuration.maxLinks = 1
        configure([Self.device(0), Self.device(1)])
        #expect(scene.state.adapters[0].slots.limit(at: scene.now) == 1)
    }

    @Test mutating func aRemovedDeviceTakesNoSlot() {
        configuration.maxLinks = 2
        configure([Self.device(0), Self.device(1), Self.device(2)])
        configure([Self.device(0), Self.device(1)])
        #expect(scene.state.slotOwners(on: 0, at: scene.now) == .all)
    }

    @Test mutating func aRemovedDeviceDuringAnOutageIsDisconnectedAfterIt() {
        scene.send(.lost(.hung))
        configure([Self.device(1)])
        scene.effects = []
        scene.send(
            .bluez(
                [scene.adapter],
                [
                    0: scene.facts(0, connected: true, resolved: true),
                    1: scene.facts(1, connected: true, resolved: true),
                ]))
        #expect(scene.effects.disconnects == [0])
    }

    private var notices: [String] {
        scene.effects.compactMap { if case .notice(let notice) = $0 { notice.text } else { nil } }
    }

    @Test mutating func manyChangesAreOneLineWithACount() {
        let many = (0..<10_000).map { Self.device(UInt64($0)) }
        configure(many)
        #expect(notices == ["9998 devices: polled from now on"])
        scene.effects = []
        configure(many.map { Self.device($0.address.bits, every: 60) })
        #expect(notices == ["10000 devices: changed in the configuration"])
        scene.effects = []
        configure([Self.device(0, every: 60), Self.device(20_000)])
        #expect(notices == ["9999 devices: removed from the configuration", "polled from now on"])
    }

    @Test mutating func aDisabledDeviceIsNotRemoved() {
        configuration.devices = [Self.device(0), Self.device(1)]
        configuration.devices[1].isEnabled = false
        let changes = configured.apply(Self.settings(configuration).filter { $0.device.isPolled })
        scene.send(
            .configured(Reconfiguration(configuration: configuration, changes: changes, earlier: EarlierRun.Legacy())))
        #expect(notices == ["disabled in the configuration"])
    }

    /// On a new connection to the bus, nobody has seen bluetoothd yet: it may have run all the time.
    @Test mutating func theBusComesBackBeforeBluetoothdIsSeen() {
        scene.send(.lost(.bus("the bus died")))
        scene.send(.lost(.bluez))
        #expect(
            notices == [
                "lost the message bus; waiting for it to come back", "the message bus is back; waiting for bluetoothd",
            ])
    }

    @Test mutating func aModeForManyDevicesIsALineForEachInterval() {
        configure((0..<1000).map { Self.device(UInt64($0), every: $0 % 2 == 0 ? 30 : 45) })
        scene.effects = []
        scene.send(.power(PowerStatus(mode: .low, reason: "low battery 14 %", supply: .battery)))
        #expect(notices.count == 2)
        let haveCounts = notices.allSatisfy { $0.hasPrefix("500 devices: interval ") }
        #expect(haveCounts, "\(notices)")
    }
}
