import BlekeepRecords
import RunLoop
import SampleReadings
import Testing

@testable import BlekeepOutputs

/// Which of three gateways reads a device: `cellar` should, then `attic`, then `shed`.
@Suite struct StandbyTests {
    private static let order = ["cellar", "attic", "shed"]
    private var standby = Standby(order: order, own: "attic", at: .start)

    private func at(_ seconds: Int) -> Uptime { .start + .seconds(seconds) }

    private mutating func hear(_ gateway: String, _ report: Standby.Report?, isOnline: Bool = true, at seconds: Int) {
        standby.heard(of: gateway, isOnline: isOnline, at: at(seconds))
        standby.heard(of: gateway, report, isBonded: false, at: at(seconds))
    }

    private func waiting(_ report: Standby.Report = .hears) -> Standby.Own { .init(report: report, isInCharge: false) }
    private func reading(_ report: Standby.Report = .reads, isHeld: Bool = false) -> Standby.Own {
        .init(report: report, isInCharge: true, isHeld: isHeld)
    }

    @Test(arguments: [nil, .reads, .lost, .silent] as [Standby.Report?])
    mutating func theNextOneTakesOverWhenTheFirstHasBeenGoneForHalfAMinute(before: Standby.Report?) {
        hear("cellar", .reads, at: 0)
        standby.looked(at: .start)
        #expect(standby.decide(waiting(), at: at(1000)) == nil)
        hear("cellar", before, isOnline: false, at: 1000)
        #expect(standby.decide(waiting(), at: at(1029)) == nil)
        #expect(standby.nextDecision(waiting(), after: at(1029)) == at(1030))
        #expect(standby.decide(waiting(), at: at(1030)) == .takeOver(because: "cellar is gone"))
        // Once, until it is carried out.
        #expect(standby.decide(waiting(), at: at(1031)) == nil)
    }

    @Test(
        arguments: [
            (.lost, "cellar can't read it"), (.silent, "cellar doesn't hear it"), (nil, "cellar doesn't read it"),
        ] as [(Standby.Report?, String)])
    mutating func theNextOneTakesOverWhenTheFirstCantReadIt(report: Standby.Report?, reason: String) {
        standby.looked(at: .start)
        hear("cellar", .reads, at: 0)
        hear("cellar", report, at: 100)
        #expect(standby.decide(waiting(), at: at(129)) == nil)
        #expect(standby.decide(waiting(), at: at(130)) == .takeOver(because: reason))
    }

    @Test mutating func onlyAGatewayThatHearsTheDeviceTakesItOver() {
        standby.looked(at: .start)
        hear("cellar", .reads, isOnline: false, at: 0)
        #expect(standby.decide(waiting(.silent), at: at(1000)) == nil)
        #expect(standby.decide(waiting(.hears), at: at(1000)) != nil)
    }

    @Test mutating func aGatewayThatStandsByStartsNothingWithoutTheBroker() {
        standby.looked(at: .start)
        hear("cellar", .reads, isOnline: false, at: 0)
        standby.disconnected(at: at(10))
        #expect(standby.decide(waiting(), at: at(1000)) == nil)
        #expect(standby.decide(reading(), at: at(1000)) == nil)
    }

    /// A broker that loses its power together with a gateway keeps the gateway's `online`.
    @Test mutating func whoIsOnlineOnlyInTheBrokersMemoryIsGone() {
        hear("cellar", .reads, at: 0)
        standby.heard(of: "cellar", isLive: false, at: .start)
        standby.looked(at: .start)
        #expect(standby.decide(waiting(), at: at(89)) == nil)
        #expect(standby.nextDecision(waiting(), after: at(89)) == at(90))
        #expect(standby.decide(waiting(), at: at(90)) == nil)
        #expect(standby.decide(waiting(), at: at(120)) == .takeOver(because: "cellar is gone"))
        // It was only slow.
        hear("cellar", .reads, at: 130)
        standby.heard(of: "cellar", isLive: true, at: at(130))
        #expect(standby.decide(reading(), at: at(130)) == .standBy(because: "cellar reads it", atLinkEnd: false))
        #expect(standby.decide(waiting(), at: at(10_000)) == nil)
    }

    @Test mutating func whoSaysSomethingInTimeStaysOnline() {
        hear("cellar", .reads, at: 0)
        standby.heard(of: "cellar", isLive: false, at: .start)
        standby.looked(at: .start)
        standby.heard(of: "cellar", isLive: true, at: at(60))
        #expect(standby.decide(waiting(), at: at(10_000)) == nil)
    }

    /// After an outage of the broker that took all that it retained.
    @Test(arguments: ["cellar", "attic"])
    mutating func nobodyRushesAtABrokerThatForgotAll(own: String) {
        standby = Standby(order: Self.order, own: own, at: .start)
        for gateway in Self.order where gateway != own { hear(gateway, gateway == "shed" ? .reads : .hears, at: 0) }
        standby.looked(at: .start)
        #expect(standby.decide(waiting(), at: at(1)) == nil)
        standby.disconnected(at: at(10))
        standby.looked(at: at(1000))
        #expect(standby.decide(waiting(), at: at(1089)) == nil)
        #expect(standby.nextDecision(waiting(), after: at(1089)) == at(1090))
        // Nobody came back.
        #expect(standby.decide(waiting(), at: at(1090)) != nil)
    }

    @Test mutating func aRefusalIsNoSilence() {
        standby = Standby(order: Self.order, own: "cellar", at: .start)
        standby.refused()
        #expect(standby.decide(waiting(), at: at(10_000)) == nil)
        standby.looked(at: at(10_000))
        #expect(standby.decide(waiting(), at: at(10_090)) != nil)
    }

    @Test mutating func knowsWhoLetsGo() {
        func tell(_ report: Standby.Report?) -> Bool {
            standby.heard(of: "cellar", report, isBonded: false, at: .start)
        }
        #expect(!tell(.hears) && !tell(.reads) && tell(.silent) && !tell(.silent) && !tell(.lost) && tell(nil))
    }

    /// A broker that lost what it retained hears of a gateway again within a minute.
    @Test mutating func aGatewayThatTheBrokerDoesntKnowYetHasMoreTime() {
        standby.looked(at: .start)
        #expect(standby.decide(waiting(), at: at(89)) == nil)
        #expect(standby.decide(waiting(), at: at(90)) != nil)
    }

    @Test mutating func theSecondGatewayOnStandbyWaitsForTheFirst() {
        standby = Standby(order: Self.order, own: "shed", at: .start)
        standby.looked(at: .start)
        hear("cellar", .reads, isOnline: false, at: 0)
        hear("attic", .hears, at: 0)
        #expect(standby.decide(waiting(), at: at(1000)) == nil)
        hear("attic", .silent, at: 1000)
        #expect(standby.decide(waiting(), at: at(1030)) == .takeOver(because: "cellar is gone, attic doesn't hear it"))
    }

    @Test mutating func aGatewayLetsGoWhenAnEarlierOneReads() {
        standby.looked(at: .start)
        hear("shed", .reads, at: 0)
        #expect(standby.decide(reading(), at: at(1)) == nil)
        hear("cellar", .reads, at: 2)
        #expect(standby.decide(reading(), at: at(2)) == .standBy(because: "cellar reads it", atLinkEnd: false))
    }

    @Test mutating func aGatewayThatLostTheDeviceLeavesItToWhoeverReadsIt() {
        standby.looked(at: .start)
        hear("shed", .reads, at: 0)
        #expect(standby.decide(reading(.lost), at: at(1)) == .standBy(because: "shed reads it", atLinkEnd: false))
    }

    @Test mutating func anEarlierGatewayGetsTheDeviceBackAfterTenMinutes() {
        standby.looked(at: .start)
        hear("cellar", .silent, at: 0)
        hear("cellar", .hears, at: 100)
        #expect(standby.decide(reading(), at: at(699)) == nil)
        #expect(standby.nextDecision(reading(), after: at(699)) == at(700))
        #expect(standby.decide(reading(), at: at(700)) == .standBy(because: "cellar hears it again", atLinkEnd: true))
    }

    @Test mutating func tenMinutesBeginAgainWhenItHearsNothing() {
        standby.looked(at: .start)
        hear("cellar", .hears, at: 0)
        hear("cellar", .silent, at: 599)
        hear("cellar", .hears, at: 600)
        #expect(standby.decide(reading(), at: at(1199)) == nil)
        #expect(standby.decide(reading(), at: at(1200)) != nil)
    }

    /// A connected device doesn't advertise.
    @Test mutating func aHeldConnectionIsGivenUpAtItsEndOnceAnHour() {
        standby.looked(at: .start)
        hear("cellar", .silent, at: 0)
        #expect(standby.decide(reading(isHeld: true), at: at(599)) == nil)
        let offer = Standby.Decision.standBy(because: "cellar may hear it again", atLinkEnd: true)
        #expect(standby.decide(reading(isHeld: true), at: at(600)) == offer)
        // The earlier gateway doesn't hear the device even then.
        #expect(standby.decide(waiting(), at: at(700)) == nil)
        #expect(standby.decide(waiting(), at: at(729)) == nil)
        #expect(standby.decide(waiting(), at: at(730)) != nil)
        #expect(standby.decide(reading(isHeld: true), at: at(4329)) == nil)
        #expect(standby.decide(reading(isHeld: true), at: at(4330)) == offer)
        #expect(standby.decide(reading(), at: at(9999)) == nil)
    }

    @Test mutating func aBondedDeviceStaysWhereItsKeysAre() {
        standby.looked(at: .start)
        standby.heard(of: "cellar", .reads, isBonded: true, at: .start)
        standby.heard(of: "cellar", isOnline: false, at: at(10))
        #expect(standby.decide(waiting(), at: at(1000)) == nil)
        hear("cellar", .hears, at: 1000)
        var own = reading()
        own.isBonded = true
        #expect(standby.decide(own, at: at(9000)) == nil)
    }

    // MARK: The first

    @Test mutating func theFirstBeginsAtOnceUnlessAnotherReadsOrHearsIt() {
        for (report, own, begins) in [
            (nil, .silent, true), (.silent, .silent, true), (.hears, .silent, false), (.hears, .hears, true),
            (.reads, .hears, false), (.lost, .silent, true),
        ] as [(Standby.Report?, Standby.Report, Bool)] {
            standby = Standby(order: Self.order, own: "cellar", at: .start)
            hear("attic", report, at: 0)
            standby.looked(at: .start)
            #expect((standby.decide(waiting(own), at: at(1)) != nil) == begins, "\(String(describing: report))")
        }
    }

    @Test mutating func theFirstBeginsWithoutABrokerAndGoesOnWithoutIt() {
        standby = Standby(order: Self.order, own: "cellar", at: .start)
        #expect(standby.decide(waiting(.silent), at: at(29)) == nil)
        #expect(standby.nextDecision(waiting(), after: at(29)) == at(30))
        let reason = "the broker doesn't answer, and it is the first of its gateways"
        #expect(standby.decide(waiting(.silent), at: at(30)) == .takeOver(because: reason))
        hear("attic", .reads, at: 40)
        standby.looked(at: .start)
        #expect(standby.decide(reading(), at: at(50)) == nil)
    }

    // MARK: Moves

    @Test mutating func aUserMovesTheDevice() {
        standby.looked(at: .start)
        hear("cellar", .silent, at: 0)
        standby.moved(to: "cellar", at: at(100))
        #expect(
            standby.decide(reading(), at: at(100)) == .standBy(because: "a user moved it to cellar", atLinkEnd: false))
        hear("cellar", .lost, at: 100)
        // Only the one that the user named may begin.
        #expect(standby.decide(waiting(), at: at(120)) == nil)
        #expect(standby.decide(waiting(), at: at(159)) == nil)
        // Unless it is gone.
        hear("cellar", .lost, isOnline: false, at: 159)
        #expect(standby.decide(waiting(), at: at(159)) != nil)
        standby = Standby(order: Self.order, own: "shed", at: .start)
        standby.looked(at: .start)
        hear("cellar", .reads, at: 0)
        standby.moved(to: "shed", at: at(1))
        #expect(standby.decide(waiting(), at: at(1)) == nil)
        hear("cellar", .hears, at: 2)
        #expect(standby.decide(waiting(.silent), at: at(2)) == .takeOver(because: "a user moved it here"))
    }

    @Test mutating func nobodyLetsGoForAGatewayThatIsGone() {
        standby.looked(at: .start)
        hear("cellar", .silent, isOnline: false, at: 0)
        standby.moved(to: "cellar", at: at(1))
        standby.moved(to: "nowhere", at: at(2))
        #expect(standby.decide(reading(), at: at(2)) == nil)
        hear("cellar", .hears, at: 3)
        #expect(standby.decide(waiting(), at: at(4)) == nil)
    }
}
