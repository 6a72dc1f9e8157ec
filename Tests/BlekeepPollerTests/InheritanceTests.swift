import DBus
import RunLoop
import Testing

@testable import BlekeepBluetooth
@testable import BlekeepPoller
@testable import BlekeepRecords

/// Connections that an earlier run made.
@Suite struct InheritanceTests {
    private let adapter = AdapterFacts(path: "/org/bluez/hci0", address: nil, isPowered: true)

    private func facts(connected: Bool, resolved: Bool = true) -> DeviceFacts {
        DeviceFacts(
            path: "/org/bluez/hci0/dev_0", adapter: adapter.path, isConnected: connected,
            isResolved: connected && resolved)
    }

    private func state(_ claim: InheritedLink? = nil, mode: LinkMode = .release) -> PollerState {
        let plan = DevicePlan(
            name: "device", address: BluetoothAddress(bits: 0), adapter: nil, mode: mode, intervals: [.seconds(30)],
            subscribes: false, count: nil)
        var state = PollerState(plans: [plan], adapter: nil, maxLinks: 5, at: .start)
        state.devices[0].claim = claim.map { LinkClaim(link: $0) }
        return state
    }

    /// Starts with a device's connection, reads, and returns whether the poller then disconnected.
    private func isLetGo(_ state: inout PollerState) -> Bool {
        _ = state.step(.bluez([adapter], [0: facts(connected: true)]), at: .start)
        let effects = state.step(
            .device(0, .polled(link: state.devices[0].link.number, PollResult(values: 1))), at: .start + .seconds(1))
        return effects.contains { if case .disconnect = $0 { true } else { false } }
    }

    @Test func ownsAndEndsAnEarlierRunsConnection() {
        var state = state(.link)
        #expect(state.devices[0].linkStatus == .held)
        #expect(isLetGo(&state))
    }

    @Test func neverEndsAnotherProgramsConnection() {
        var state = state()
        #expect(!isLetGo(&state))
        #expect(state.devices[0].linkStatus == .foreign)
    }

    /// The last run's subscriptions ended with its connection to the bus.
    @Test func leavesALinkThatAnotherProgramUses() {
        var state = state(.link)
        state.devices[0].claim = LinkClaim(link: .link, isInherited: true)
        var facts = facts(connected: true)
        facts.isSubscribed = true
        _ = state.step(.bluez([adapter], [0: facts]), at: .start)
        #expect(state.devices[0].linkStatus == .foreign)
        // But after a loss of the bus the subscription may be blekeep's own.
        state = self.state()
        _ = state.step(.bluez([adapter], [0: self.facts(connected: false)]), at: .start)
        _ = state.step(.device(0, .reported(self.facts(connected: true))), at: .start)
        _ = state.step(.lost(.bus("closed")), at: .start)
        _ = state.step(.bluez([adapter], [0: facts]), at: .start)
        #expect(state.devices[0].linkStatus == .reading)
    }

    private static let inheritance = {
        var inheritance = Inheritance()
        inheritance[0].claim = .link
        inheritance.switchedOff = ["/org/bluez/hci0"]
        inheritance[0].condition = lost(7)
        return inheritance
    }()

    private static func lost(_ attempts: Int64) -> DeviceCondition {
        .lost(.init(attempts: attempts, phase: .search, failure: .notHeard, remedy: .wait))
    }

    /// Also after a restart of the machine: that says nothing about the device.
    @Test func continuesTheHealthThatTheLastRunEndedWith() throws {
        let address = BluetoothAddress(bits: 1)
        var status = DeviceStatus(address: address, name: "device", since: 0)
        let configuration = PollConfiguration(devices: [DeviceConfiguration(alias: "device", address: address)])
        for condition in [.new, .good(.init(ticks: 3)), Self.lost(7)] as [DeviceCondition] {
            status.record(condition, at: 0)
            let inheritance = Inheritance([status], of: [0: configuration.devices[0]], from: 0)
            #expect(inheritance[0].condition == condition)
        }
        var state = state()
        state.inherit(Self.inheritance, at: .start)
        #expect(state.devices[0].health.condition == Self.lost(7))
        state.devices[0].health.record(Attempt(phase: .search, failure: .notHeard, remedy: .wait), at: .start)
        #expect(state.devices[0].health.condition == Self.lost(8))
    }

    /// It has the ID of the one that it replaces, whose pause was the user's wish.
    @Test func aSuccessorHasAStateOfItsOwn() {
        var status = DeviceStatus(address: BluetoothAddress(bits: 1), name: "device", condition: Self.lost(7), since: 0)
        status.pause = .untilResumed
        var device = DeviceConfiguration(alias: "device", address: BluetoothAddress(bits: 2))
        device.ownID = status.id
        let inheritance = Inheritance([status], of: [0: device], from: 0)
        let left = inheritance[0]
        #expect(left.condition == nil && left.identity == nil && left.pause == .untilResumed)
    }

    /// As soon as BlueZ is known; also when the store could be read only later.
    @Test(arguments: [false, true]) func endsLinksToDevicesThatAreNotConfiguredAnyMore(isLate: Bool) {
        var inheritance = Inheritance()
        // The second one is the device that is configured.
        inheritance.strays = [BluetoothAddress(bits: 7), BluetoothAddress(bits: 0)]
        var state = state()
        if !isLate { state.inherit(inheritance, at: .start) }
        func ended(_ event: Event) -> [[BluetoothAddress]] {
            state.step(event, at: .start).compactMap { if case .endLinks(let devices) = $0 { devices } else { nil } }
        }
        let first = ended(.bluez([adapter], [:]))
        let second = isLate ? ended(.recalled(inheritance)) : ended(.bluez([adapter], [:]))
        #expect((isLate ? second : first) == [[BluetoothAddress(bits: 7)]])
        #expect((isLate ? first : second) == [])
        // If it is configured again meanwhile, nothing is read on the connection that ends.
        var configured = ConfiguredDevices([])
        let device = DeviceConfiguration(alias: "again", address: BluetoothAddress(bits: 7))
        let configuration = PollConfiguration(devices: [device])
        let joined = configured.apply([DeviceSetting(device, in: configuration)])
            .map { DeviceChange(DeviceNumber(5), $0.kind) }
        _ = state.step(
            .configured(Reconfiguration(configuration: configuration, changes: joined, earlier: .init())), at: .start)
        let index = state.devices.index(of: DeviceNumber(5))
        #expect(index.map { state.devices[$0].link.phase.isDisconnecting } == true)
        _ = state.step(.device(5, .reported(facts(connected: true))), at: .start + .seconds(1))
        #expect(index.map { state.devices[$0].link.phase.isDisconnecting } == true)
    }

    /// The store can't be read at the start.
    @Test func continuesTheHealthAlsoLate() {
        var state = state()
        _ = state.step(.recalled(Self.inheritance), at: .start)
        #expect(state.devices[0].health.condition == Self.lost(7))
    }

    /// As the log has it in each run.
    @Test func pausesDevicesInTheirOrder() {
        var scene = Scene(devices: 20)
        var inheritance = Inheritance()
        for number in 0..<20 { inheritance[DeviceNumber(number)].pause = .untilResumed }
        scene.send(.recalled(inheritance))
        let paused = scene.effects.compactMap { if case .notice(let notice) = $0 { notice.device } else { nil } }
        #expect(paused == (0..<20).map { DeviceNumber($0) })
    }

    /// A history that was tampered with.
    @Test func aStateWithoutItsReasonIsNew() {
        #expect(DeviceCondition(.lost, failure: nil) == .new)
    }

    @Test(arguments: [(Duration.seconds(70), [0 as DeviceNumber: InheritedLink.link]), (.seconds(301), [:])])
    func claimsALinkOnlySoonAfterTheLastSignOfLife(silence: Duration, claims: [DeviceNumber: InheritedLink]) {
        let address = BluetoothAddress(bits: 1)
        var status = DeviceStatus(address: address, name: "device", since: 0)
        status.link = .held
        let device = DeviceConfiguration(alias: "device", address: address)
        let left = Inheritance.claims([status], of: [0: device], after: silence)
        #expect(left.claims == claims && left.strays.isEmpty)
        // Without the device in the configuration, the connection is to be ended.
        #expect(Inheritance.claims([status], of: [:], after: silence).strays == (claims.isEmpty ? [] : [address]))
    }

    /// The status of its former ID stays in the ledger as it was.
    @Test(arguments: [false, true]) func claimsALinkByTheNewestStatusOfADevice(isConnected: Bool) {
        let device = DeviceConfiguration(alias: "device", address: BluetoothAddress(bits: 1))
        var statuses = [3000, 1000, 2000].map { DeviceStatus(address: device.address, name: "device", since: $0) }
        statuses[1].lastEnd = 4000
        for index in statuses.indices { statuses[index].link = isConnected == (index == 1) ? .held : .released }
        #expect(
            Inheritance.claims(statuses, of: [0: device], after: .zero).claims == (isConnected ? [0: .link] : [:]))
    }

    /// The store can't be read at the start.
    @Test(arguments: [false, true]) func recognizesAnEarlierRunsConnectionAlsoLate(hasGone: Bool) {
        var state = state()
        _ = state.step(.bluez([adapter], [0: facts(connected: true)]), at: .start)
        if hasGone {
            // The next one is another program's.
            _ = state.step(.device(0, .reported(facts(connected: false))), at: .start)
            _ = state.step(.device(0, .reported(facts(connected: true))), at: .start)
        }
        let before = state.devices[0].linkStatus
        _ = state.step(.recalled(Self.inheritance), at: .start + .seconds(1))
        if !hasGone { #expect(before == .foreign) }
        #expect(state.devices[0].linkStatus == (hasGone ? before : .reading))
        // The adapter is on, so the poller needn't turn it on.
        #expect(state.recovery.switchedOff.isEmpty)
    }

    /// Once, a run that began without a bluetoothd took what another program connected after its start for its own.
    @Test(arguments: [[Outage.bluez], [.bluez, .bluez]]) func claimsNothingWhenThereIsNoBluetoothd(news: [Outage]) {
        var state = state(.link)
        state.devices[0].claim = LinkClaim(link: .link, isInherited: true)
        // The first only says that there is a connection to the bus.
        for outage in news { _ = state.step(.lost(outage), at: .start) }
        _ = state.step(.bluez([adapter], [0: facts(connected: true)]), at: .start + .seconds(1))
        #expect(state.devices[0].linkStatus == (news.count == 1 ? .reading : .foreign))
    }

    /// Once, the ledger said "connecting" for as long as a device stayed away that blekeep was connecting when it was killed.
    @Test func forgetsAnAttemptThatBlueZHasGivenUp() {
        var state = state()
        state.devices[0].claim = LinkClaim(link: .attempt(until: .start + .seconds(45)), isInherited: true)
        state.devices[0].expireClaim(at: .start + .seconds(45))
        #expect(state.devices[0].linkStatus == .connecting)
        _ = state.step(.time, at: .start + .seconds(46))
        #expect(state.devices[0].linkStatus == .released)
    }

    /// The store can't be read until bluetoothd hangs.
    @Test(arguments: [false, true]) func claimsALinkThatOutlivesAHang(isUp: Bool) {
        var state = state()
        var adapter = adapter
        _ = state.step(.bluez([adapter], [0: facts(connected: true)]), at: .start)
        _ = state.step(.lost(.hung), at: .start + .seconds(1))
        _ = state.step(.recalled(Self.inheritance), at: .start + .seconds(2))
        adapter.isPowered = isUp
        _ = state.step(.bluez([adapter], [0: facts(connected: isUp)]), at: .start + .seconds(3))
        #expect(state.devices[0].linkStatus == (isUp ? .reading : .released))
    }

    @Test func inheritsRecordsThatLoadBeforeBluetoothdReplies() {
        var state = state()
        _ = state.step(.recalled(Self.inheritance), at: .start)
        #expect(state.recovery.switchedOff == [adapter.path])
        #expect(isLetGo(&state))
    }

    @Test func aLinkThatIsGoneIsClaimedNoLonger() {
        var state = state(.link)
        _ = state.step(.bluez([adapter], [0: facts(connected: false)]), at: .start)
        #expect(state.devices[0].claim == nil)
    }

    @Test(arguments: [(Duration.seconds(5), true), (.seconds(60), false)])
    func aPredecessorsAttemptMayStillSucceed(after time: Duration, isOwn: Bool) {
        var state = state(.attempt(until: .never))
        #expect(state.devices[0].linkStatus == .connecting)
        _ = state.step(.bluez([adapter], [0: facts(connected: false)]), at: .start)
        let link = state.devices[0].link.number
        _ = state.step(
            .device(0, .connected(link: link, .remote(name: "org.bluez.Error.InProgress", message: "In Progress"))),
            at: .start)
        _ = state.step(.device(0, .reported(facts(connected: true))), at: .start + time)
        #expect(state.devices[0].link.phase.isOwn == isOwn)
    }

    @Test func nothingIsLeftOfADeadBluetoothd() {
        var state = state()
        _ = state.step(.bluez([adapter], [0: facts(connected: false)]), at: .start)
        _ = state.step(.device(0, .reported(facts(connected: true))), at: .start)
        #expect(state.devices[0].link.phase.isOwn)
        _ = state.step(.lost(.bluez), at: .start)
        #expect(state.devices[0].claim == nil)
    }

    @Test func aBluetoothdThatHungStillHoldsOurLinks() {
        var state = state()
        _ = state.step(.bluez([adapter], [0: facts(connected: false)]), at: .start)
        _ = state.step(.device(0, .reported(facts(connected: true))), at: .start)
        _ = state.step(.lost(.hung), at: .start)
        #expect(state.devices[0].claim == LinkClaim(link: .link))
        _ = state.step(.bluez([adapter], [0: facts(connected: true)]), at: .start)
        #expect(state.devices[0].link.phase.isOwn)
    }

    @Test(arguments: [(false, LinkMode.hold, 1), (true, .hold, 0), (true, .release, 1)])
    func linksThatAreHeldMayStayAtAStop(keeps: Bool, mode: LinkMode, ends: Int) {
        var state = state(.link, mode: mode)
        state.settings.keepsLinks = keeps
        _ = state.step(.bluez([adapter], [0: facts(connected: true)]), at: .start)
        let effects = state.step(.stop, at: .start)
        #expect(effects.count { if case .disconnect = $0 { true } else { false } } == ends)
    }
}
