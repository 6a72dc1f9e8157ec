import Blekeep
import DBus
import RunLoop
import Testing

@testable import Swarming

/// The rules that the swarm's witness holds calls to, each with what it allows and what it doesn't.
@Suite struct WitnessRulesTests {
    private let adapter: ObjectPath = "/org/bluez/hci0"
    private let path: ObjectPath = "/org/bluez/hci0/dev_F0_00_09_00_00_01"
    private let other: ObjectPath = "/org/bluez/hci0/dev_F0_00_09_00_00_02"

    private func after(_ seconds: Double) -> Uptime { .start + .seconds(seconds) }

    // MARK: S1, S2

    @Test func discoveriesAndConnectsDoNotOverlap() {
        var discoveries = Discoveries()
        #expect(discoveries.flaws(connecting: path, through: adapter, beside: nil).isEmpty)
        #expect(discoveries.flaws(connecting: path, through: adapter, beside: other).count == 1)
        let (alone, beside) = (
            discoveries.begins(on: adapter, connecting: nil), discoveries.begins(on: adapter, connecting: path)
        )
        #expect(alone == nil && beside != nil)
        #expect(discoveries.flaws(connecting: path, through: adapter, beside: nil).count == 1)
        discoveries.over(on: adapter)
        #expect(discoveries.flaws(connecting: path, through: adapter, beside: nil).isEmpty)
    }

    @Test func aLinkHasOneReadAtATime() throws {
        let device = try #require(BluetoothAddress(device: path))
        var reads = OneRead()
        let (first, second) = (reads.begins(device), reads.begins(device))
        reads.over(device)
        let third = reads.begins(device)
        #expect(first == nil && second != nil && third == nil)
    }

    // MARK: S3, S4

    @Test func servicesThatNeverComeAreReportedOnce() {
        var services = UnresolvedServices()
        services.began(path, at: after(0))
        let early = services.endless(since: .start, at: after(60)) { _ in true }
        let notKept = services.endless(since: .start, at: after(61)) { _ in false }
        let disturbed = services.endless(since: after(30), at: after(61)) { _ in true }
        #expect(early.isEmpty && notKept.isEmpty && disturbed.isEmpty)
        let (late, again) = (
            services.endless(since: .start, at: after(61)) { _ in true },
            services.endless(since: .start, at: after(62)) { _ in true }
        )
        #expect(late.count == 1 && again.isEmpty)
    }

    @Test func allowsNoCallToAnObjectThatIsGoneForASecond() {
        var gone = GoneObjects()
        gone.removed(path, at: after(0))
        #expect(gone.flaws(of: "Connect", on: path, at: after(1)).isEmpty)
        #expect(gone.flaws(of: "Connect", on: path, at: after(1.1)).count == 1)
        #expect(gone.flaws(of: "Connect", on: other, at: after(1.1)).isEmpty)
        // On a new connection, the poller can't know it before its snapshot.
        gone.connected()
        #expect(gone.flaws(of: "Connect", on: path, at: after(2)).isEmpty)
        gone.sawSnapshot([])
        #expect(gone.flaws(of: "Connect", on: path, at: after(2)).count == 1)
        gone.added(path)
        #expect(gone.flaws(of: "Connect", on: path, at: after(2)).isEmpty)
        // The signal about its return was lost.
        gone.removed(path, at: after(0))
        gone.sawSnapshot([[path: [:] as ManagedObject].value])
        #expect(gone.flaws(of: "Connect", on: path, at: after(2)).isEmpty)
        gone.service(isThere: false, at: after(2))
        #expect(gone.flaws(of: "Connect", on: path, at: after(3.1)).count == 1)
    }

    // MARK: S8, S9

    @Test func allowsEndingOnlyOwnConnections() {
        var links = LinkOwners()
        links.up(path, isTried: false, at: after(0))
        #expect(links.disconnects(path, isServiceThere: true, at: after(0)).count == 1)
        #expect(links.disconnects(path, isServiceThere: true, at: after(2)).count == 2)
        _ = links.connects(other, isReallyUp: false, at: after(0))
        links.up(other, isTried: true, at: after(1))
        #expect(links.isOurs(other) && !links.isOurs(path))
        #expect(links.disconnects(other, isServiceThere: true, at: after(3)).isEmpty)
    }

    /// Nobody hears the end of a connection of a device that the poller didn't have meanwhile.
    @Test func aConnectionAfterOneWhoseEndNobodyHeardIsOwned() {
        var links = LinkOwners()
        links.up(path, isTried: false, at: after(0))
        _ = links.connects(path, isReallyUp: false, at: after(100))
        links.up(path, isTried: true, at: after(101))
        #expect(links.isOurs(path) && links.disconnects(path, isServiceThere: true, at: after(103)).isEmpty)
    }

    @Test func aLateConnectionIsOwned() {
        for (seconds, isOurs) in [(29.0, true), (31, false)] {
            var links = LinkOwners()
            _ = links.connects(path, isReallyUp: false, at: after(0))
            links.up(path, isTried: false, at: after(seconds))
            // It may also be another program's.
            #expect(links.isOurs(path) == isOurs && !links.isSurelyOurs(path))
        }
    }

    /// BlueZ refuses a Connect while it connects the device for another program, or still for the poller itself.
    @Test(arguments: [false, true])
    func aConnectionAfterARefusalIsTheEarlierAttempts(hasTried: Bool) {
        var links = LinkOwners()
        if hasTried { _ = links.connects(path, isReallyUp: false, at: after(0)) }
        _ = links.connects(path, isReallyUp: false, at: after(10))
        links.refused(path, begun: after(10))
        links.up(path, isTried: false, at: after(11))
        #expect(links.isOurs(path) == hasTried)
    }

    @Test func readsRefusals() {
        #expect(LinkOwners.isRefusal(.remote(name: "org.bluez.Error.Failed", message: "Operation already in progress")))
        #expect(LinkOwners.isRefusal(.remote(name: "org.bluez.Error.InProgress", message: "In Progress")))
        #expect(!LinkOwners.isRefusal(.remote(name: "org.bluez.Error.Failed", message: "le-connection-abort-by-local")))
        #expect(!LinkOwners.isRefusal(.timedOut))
    }

    @Test(arguments: [(0.0, true), (29, true), (31, false)])
    func aRunMayEndTheConnectionsThatItsLedgerClaims(seconds: Double, isOurs: Bool) throws {
        let device = try #require(BluetoothAddress(device: path))
        var links = LinkOwners()
        links.newRun(claiming: [device], connected: [other], at: after(0))
        links.sawSnapshot(at: after(0))
        links.up(path, isTried: false, at: after(seconds))
        #expect(links.isOurs(path) == isOurs && !links.isOurs(other))
        var late = LinkOwners()
        late.newRun(claiming: [device], connected: [path], at: after(seconds))
        #expect(late.isOurs(path))
        // An attempt of the run before leads to it.
        var open = LinkOwners()
        _ = open.connects(path, isReallyUp: false, at: after(0))
        open.newRun(claiming: [device], connected: [], at: after(1))
        open.up(path, isTried: false, at: after(2))
        #expect(open.isOurs(path) && open.disconnects(path, isServiceThere: true, at: after(3)).isEmpty)
    }

    /// A run was killed, and its device was removed meanwhile.
    @Test(arguments: [false, true])
    func aRunLeavesAConnectionThatItsLedgerDoesNotClaim(isClaimed: Bool) throws {
        let device = try #require(BluetoothAddress(device: path))
        var links = LinkOwners()
        _ = links.connects(path, isReallyUp: false, at: after(0))
        links.up(path, isTried: true, at: after(1))
        links.newRun(claiming: isClaimed ? [device] : [], connected: [path], at: after(10))
        #expect(links.isOurs(path) == isClaimed)
        #expect(links.disconnects(path, isServiceThere: true, at: after(20)).isEmpty == isClaimed)
        // The ledger claims it, but the run doesn't have the device.
        links.newRun(claiming: [], strays: isClaimed ? [device] : [], connected: [path], at: after(30))
        #expect(!links.isOurs(path))
        #expect(links.disconnects(path, isServiceThere: true, at: after(40)).isEmpty == isClaimed)
    }

    @Test func allowsNoConnectToAConnectedDevice() {
        var links = LinkOwners()
        links.up(path, isTried: true, at: after(0))
        let (soon, wrong, spoofed) = (
            links.connects(path, isReallyUp: true, at: after(1)), links.connects(path, isReallyUp: false, at: after(2)),
            links.connects(path, isReallyUp: true, at: after(2))
        )
        #expect(soon == nil && wrong == nil && spoofed != nil)
    }

    // MARK: S15

    @Test func nothingIsBegunOnALinkThatIsEnding() {
        var endings = EndingLinks()
        endings.began(path, at: after(0))
        #expect(endings.flaw(of: "ReadValue", on: path, at: after(0.3)) != nil)
        #expect(endings.flaw(of: "ReadValue", on: path, at: after(0.4)) == nil)
        endings.over(path)
        #expect(endings.flaw(of: "ReadValue", on: path, at: after(0.3)) == nil)
    }

    // MARK: Signals

    @Test func newsReachTheRules() {
        var rules = WitnessRules(allowing: [])
        rules.take(.connected(true), of: path, at: after(0))
        #expect(rules.links.isUp(path))
        let endless = rules.services.endless(since: .start, at: after(61)) { _ in true }
        #expect(endless.count == 1)
        rules.take(.removed(isLost: false), of: path, at: after(1))
        #expect(rules.links.isUp(path))
        rules.take(.removed(isLost: true), of: path, at: after(1))
        #expect(!rules.links.isUp(path))
    }

    @Test func readsNewsOfSignals() {
        let changed = Signal(
            path, interface: PropertiesInterface.name, member: PropertiesInterface.propertiesChanged.name,
            arguments: [
                Device1.name.text.value,
                (["Connected": Variant(false), "Alias": Variant("x")] as Properties).value, [String]().value,
            ])
        #expect(BluezNews.read(changed).map(\.news) == [.connected(false)])
        for (interface, expected) in [(Device1.name, [BluezNews.removed(isLost: true)]), (Battery1.name, [])] {
            let removed = Signal(
                .root, interface: ObjectManager.name, member: ObjectManager.interfacesRemoved.name,
                arguments: [path.value, [interface.text].value])
            #expect(BluezNews.read(removed).map(\.news) == expected)
        }
    }
}
