import BlekeepRecords
import RunLoop
import Testing

@testable import BlekeepOutputs

/// Whether `attic` claims a device and gives it back. The user prefers `cellar`, and lets each gateway read it.
@Suite struct OwnershipTests {
    private var ownership = Ownership(of: ["cellar", "attic", "any"], own: "attic", at: .start)
    private var answer = OwnershipAnswer.Device(device: "f00000000001")

    private func at(_ seconds: Int) -> Uptime { .start + .seconds(seconds) }

    private let waiting = Standby.Own(report: .hears, isInCharge: false)
    private let reading = Standby.Own(report: .reads, isInCharge: true)

    /// Takes an answer, in which the device is free, another gateway's or this one's.
    private mutating func say(
        _ owner: String?, isFree: Bool = false, _ own: Standby.Own, at seconds: Int
    )
        -> Standby.Decision?
    {
        (answer.owner, answer.isFree) = (owner, isFree)
        return ownership.answered(answer, own: own, at: at(seconds))
    }

    private mutating func hear(_ rssi: Int, at seconds: Int) { ownership.heard(rssi, at: at(seconds)) }

    /// The seconds of the first answer by which the device is claimed, of one each 10 s.
    private mutating func claimed(_ own: Standby.Own) -> Int? {
        for second in stride(from: 0, to: 100, by: 10) {
            #expect(say(nil, isFree: true, own, at: second) == nil)
            if ownership.request(own, at: at(second)) == .claim { return second }
        }
        return nil
    }

    // MARK: Claims

    @Test(arguments: [(-50, 0), (-65, 0), (-66, 10), (-80, 10), (-81, 20), (-92, 20), (-93, nil)] as [(Int, Int?)])
    mutating func theNearestGatewayIsTheFirstToClaim(rssi: Int, second: Int?) {
        ownership = Ownership(of: ["any"], own: "attic", at: .start)
        hear(rssi, at: 0)
        #expect(claimed(waiting) == second)
    }

    @Test mutating func thoseThatTheUserPrefersComeFirst() {
        hear(-50, at: 0)
        #expect(claimed(waiting) == 10)
    }

    /// Another device may have been urgent.
    @Test mutating func answersInQuickSuccessionDoNotCountTwice() {
        hear(-75, at: 0)
        for second in 0..<9 {
            _ = say(nil, isFree: true, waiting, at: second)
            #expect(ownership.request(waiting, at: at(second)) == nil)
        }
    }

    @Test mutating func theFirstOfTheUsersOrderClaimsAtOnce() {
        ownership = Ownership(of: ["attic", "any"], own: "attic", at: .start)
        hear(-90, at: 0)
        #expect(claimed(waiting) == 0)
    }

    @Test mutating func whoDoesNotHearTheDeviceDoesNotClaimIt() {
        #expect(claimed(Standby.Own(report: .silent, isInCharge: false)) == nil)
    }

    @Test mutating func whatIsOwnedElsewhereIsNotClaimed() {
        hear(-50, at: 0)
        #expect(say("cellar", waiting, at: 0) == nil)
        #expect(ownership.request(waiting, at: at(0)) == nil)
    }

    /// A gateway that hasn't heard of the database for longer knows too little.
    @Test mutating func anOldAnswerDoesNotCount() {
        hear(-50, at: 0)
        _ = say(nil, isFree: true, waiting, at: 0)
        #expect(ownership.request(waiting, at: at(8)) == nil)
        #expect(ownership.request(waiting, at: at(29)) == .claim)
        #expect(ownership.request(waiting, at: at(30)) == nil)
    }

    @Test mutating func theOwnerBeginsAndAnotherEnds() {
        #expect(say("attic", waiting, at: 0) == .takeOver(because: "no other gateway has it"))
        #expect(say("attic", reading, at: 10) == nil)
        #expect(say("cellar", reading, at: 20) == .standBy(because: "cellar reads it", atLinkEnd: false))
    }

    /// Any gateway writes its own name there.
    @Test mutating func aNameWithControlCharactersDoesNotReachTheLog() {
        guard case .standBy(let reason, _)? = say("a\nb", reading, at: 0) else {
            Issue.record("it goes on")
            return
        }
        #expect(!reason.contains { $0.isNewline })
    }

    /// The database was new, or lost what it had.
    @Test mutating func aReaderOfWhatNobodyOwnsGoesOnAndClaimsIt() {
        #expect(say(nil, isFree: true, reading, at: 0) == nil)
        #expect(ownership.request(reading, at: at(0)) == .claim)
    }

    @Test mutating func withoutTheDatabaseOnlyTheFirstBegins() {
        #expect(ownership.reasonToBegin(waiting, at: at(1000)) == nil)
        ownership = Ownership(of: ["attic", "any"], own: "attic", at: .start)
        #expect(ownership.reasonToBegin(waiting, at: at(299)) == nil)
        #expect(ownership.reasonToBegin(waiting, at: at(300)) != nil)
        #expect(ownership.reasonToBegin(Standby.Own(report: .silent, isInCharge: false), at: at(300)) == nil)
        _ = say("cellar", waiting, at: 301)
        #expect(ownership.reasonToBegin(waiting, at: at(1000)) == nil)
    }

    // MARK: Giving back

    /// Owns the device since second 0, hears it with this strength, and another gateway with that.
    private mutating func own(_ rssi: Int, _ other: (name: String, rssi: Int?)) {
        hear(rssi, at: 0)
        answer.hearers = [.init(gateway: other.name, rssi: other.rssi)]
        _ = say("attic", reading, at: 0)
    }

    /// The seconds of the first answer by which the device is given back, of one each 10 s from a second on.
    private mutating func given(from second: Int = 0, _ own: Standby.Own, rssi: Int) -> Int? {
        for second in stride(from: second + 10, through: 1500, by: 10) {
            hear(rssi, at: second)
            if case .standBy? = say("attic", own, at: second) { return second }
        }
        return nil
    }

    /// Ten minutes, and three answers.
    @Test(
        arguments: [(-88, -55, 620), (-88, -72, 620), (-88, -73, nil), (-80, -40, nil), (-81, -65, 620)]
            as [(Int, Int, Int?)])
    mutating func aMuchStrongerSignalElsewhereCountsWhenItIsWeakHere(own rssi: Int, other: Int, second: Int?) {
        own(rssi, ("shed", other))
        #expect(given(reading, rssi: rssi) == second)
        guard second != nil else { return }
        #expect(ownership.request(reading, at: at(620)) == nil, "it still reads the device")
        #expect(ownership.request(waiting, at: at(620)) == .give(to: "shed"))
    }

    @Test mutating func afterAMoveMoreIsNeededForTheNext() {
        own(-88, ("shed", -55))
        #expect(given(reading, rssi: -88) == 620)
        answer.hearers = []
        _ = say("shed", waiting, at: 630)
        answer.hearers = [.init(gateway: "shed", rssi: -70)]
        _ = say("attic", waiting, at: 640)
        #expect(given(from: 640, reading, rssi: -88) == nil)
        answer.hearers = [.init(gateway: "shed", rssi: -66)]
        #expect(given(from: 1400, reading, rssi: -88) == 1430)
    }

    @Test mutating func oneWeakAnswerIsNone() {
        own(-88, ("shed", -55))
        _ = say("attic", reading, at: 590)
        for second in stride(from: 600, to: 1400, by: 10) {
            hear(-88, at: second)
            answer.hearers = second.isMultiple(of: 30) ? [] : [.init(gateway: "shed", rssi: -55)]
            #expect(say("attic", reading, at: second) == nil)
        }
    }

    /// A device that is connected doesn't advertise, so that what others hear is old.
    @Test mutating func aHeldConnectionStays() {
        own(-88, ("shed", -40))
        #expect(given(Standby.Own(report: .reads, isInCharge: true, isHeld: true), rssi: -88) == nil)
    }

    @Test mutating func anEarlierGatewayGetsItBackAfterTenMinutes() {
        own(-50, ("cellar", -80))
        #expect(given(Standby.Own(report: .reads, isInCharge: true, isHeld: true), rssi: -50) == 600)
        ownership = Ownership(of: ["cellar", "attic", "any"], own: "attic", at: .start)
        own(-50, ("cellar", -81))
        #expect(given(reading, rssi: -50) == nil)
    }

    @Test mutating func aLostDeviceGoesAtOnceToWhoHearsIt() {
        own(-50, ("shed", nil))
        let lost = Standby.Own(report: .lost, isInCharge: true)
        #expect(say("attic", lost, at: 10) == .standBy(because: "shed hears it", atLinkEnd: false))
        ownership = Ownership(of: ["cellar", "attic", "any"], own: "attic", at: .start)
        answer.hearers = []
        _ = say("attic", reading, at: 0)
        #expect(say("attic", lost, at: 10) == nil, "nobody hears it")
    }

    /// Otherwise a gateway that ends before it reads anything would keep its devices, however often it starts.
    @Test func aValueFromBeforeTheStartIsAsOldAsItIs() throws {
        var device = DeviceConfiguration(alias: "roof", address: try #require(BluetoothAddress("F0:00:00:00:00:01")))
        device.gateways = ["any"]
        var claims = FleetClaims(fleet: "home", gateway: "attic", [device], at: .start)
        func age(_ lastValue: Int64?, time: Int64) -> Int? {
            var changes = LedgerChanges()
            changes.statuses = [DeviceStatus(device, since: 0)]
            changes.statuses[0].lastValue = lastValue
            _ = claims.apply(changes, time: time, at: at(10))
            return claims.tick(at: at(15)).devices.first?.valueAge
        }
        #expect(age(nil, time: 900_000) == 100_000_000)
        #expect(age(600_000, time: 900_000) == 305)
        #expect(age(900_000, time: 900_000) == 5)
        #expect(age(.min, time: .max) == 5, "a new value is new, whatever its clock says")
        claims = FleetClaims(fleet: "home", gateway: "attic", [device], at: .start)
        #expect(age(900_000, time: 0) == 5, "the clock isn't set")
        claims = FleetClaims(fleet: "home", gateway: "attic", [device], at: .start)
        #expect(age(.min, time: .max).map { $0 >= 0 } == true)
    }

    /// Otherwise nobody else could have it before its time is over.
    @Test func whatAGatewayMayNoLongerReadIsGivenBackAtOnce() throws {
        var roof = DeviceConfiguration(alias: "roof", address: try #require(BluetoothAddress("F0:00:00:00:00:01")))
        roof.gateways = ["cellar", "shed"]
        roof.isElsewhere = true
        var attic = FleetClaims(fleet: "home", gateway: "attic", [roof], owned: [roof.id], at: .start)
        #expect(attic.hasShared && attic.tick(at: at(1)).gives == [roof.id: nil])
        _ = attic.answered(OwnershipAnswer(), at: at(2))
        #expect(!attic.hasShared && attic.tick(at: at(11)).gives.isEmpty)
        roof.isElsewhere = false
        var cellar = FleetClaims(fleet: "home", gateway: "cellar", [roof], owned: [roof.id], at: .start)
        #expect(cellar.tick(at: at(1)).gives.isEmpty)
        // Another machine has its name.
        var status = DeviceStatus(roof, since: 0)
        _ = cellar.apply(LedgerChanges(statuses: [status]), time: 0, at: at(1))
        #expect(cellar.refused().map(\.device) == [roof.id])
        status.intervalReason = .standby
        _ = cellar.apply(LedgerChanges(statuses: [status]), time: 0, at: at(2))
        #expect(cellar.refused().isEmpty)
    }

    @Test mutating func onlyAUserMovesWhatHasKeysHere() {
        own(-88, ("cellar", -40))
        #expect(given(Standby.Own(report: .lost, isInCharge: true, isBonded: true), rssi: -88) == nil)
        answer.heir = "shed"
        let bonded = Standby.Own(report: .reads, isInCharge: true, isBonded: true)
        #expect(say("attic", bonded, at: 1600) == .standBy(because: "a user moved it to shed", atLinkEnd: false))
    }

    // MARK: Equal shares

    @Test(
        arguments: [
            (-70, -76, 4, 2, true), (-70, -77, 4, 2, false), (-75, -80, 4, 2, true), (-75, -81, 4, 2, false),
            (-85, -84, 4, 2, true), (-85, -86, 4, 2, false), (-65, -40, 4, 2, false), (-70, -60, 4, 3, false),
        ] as [(Int, Int, Int, Int, Bool)])
    mutating func oneWithFewerDevicesThatHearsItWellMayHaveIt(
        rssi: Int, other: Int, load: Int, otherLoad: Int, isGiven: Bool
    ) {
        ownership = Ownership(of: ["any"], own: "attic", at: .start)
        own(rssi, ("shed", other))
        #expect(ownership.relief(["attic": load, "shed": otherLoad], own: reading, at: at(590)) == nil)
        hear(rssi, at: 600)
        let relief = ownership.relief(["attic": load, "shed": otherLoad], own: reading, at: at(600))
        #expect(relief?.to == (isGiven ? "shed" : nil))
    }

    /// Else all would give to the one that has just come, at once.
    @Test mutating func onlyTheGatewayWithMostDevicesGivesAny() {
        ownership = Ownership(of: ["any"], own: "attic", at: .start)
        own(-70, ("shed", -60))
        answer.hearers.append(.init(gateway: "barn", rssi: -60))
        hear(-70, at: 600)
        _ = say("attic", reading, at: 600)
        #expect(ownership.relief(["attic": 4, "barn": 4, "shed": 0], own: reading, at: at(600)) == nil)
        #expect(ownership.relief(["attic": 4, "barn": 3, "shed": 0], own: reading, at: at(600))?.to == "shed")
    }

    @Test mutating func whatAUserWantsHereStays() {
        ownership = Ownership(of: ["attic", "any"], own: "attic", at: .start)
        own(-70, ("shed", -60))
        hear(-70, at: 600)
        #expect(ownership.relief(["attic": 9], own: reading, at: at(600)) == nil, "it is preferred")
        ownership = Ownership(of: ["any"], own: "attic", at: .start)
        answer.heir = "attic"
        _ = say("shed", waiting, at: 0)
        (answer.owner, answer.heir) = (nil, "attic")
        _ = say(nil, isFree: true, waiting, at: 10)
        answer.heir = nil
        own(-70, ("shed", -60))
        hear(-70, at: 700)
        #expect(ownership.relief(["attic": 9], own: reading, at: at(700)) == nil, "a user moved it here")
    }

    /// As after the first roll-out, of which one gateway got all.
    @Test func sharesBecomeEqualOneDeviceAtATimeTheWeakestFirst() throws {
        let devices = (1...4).map { number in
            var device = DeviceConfiguration(alias: "s\(number)", address: BluetoothAddress(bits: UInt64(number)))
            device.gateways = ["any"]
            return device
        }
        var claims = FleetClaims(fleet: "home", gateway: "attic", devices, at: .start)
        _ = claims.apply(LedgerChanges(statuses: devices.map { DeviceStatus($0, since: 0) }), time: 0, at: .start)
        let owned = devices.map { device in
            var answer = OwnershipAnswer.Device(device: device.id.description)
            (answer.owner, answer.isFree) = ("attic", false)
            answer.hearers = [.init(gateway: "shed", rssi: -60)]
            return answer
        }
        _ = claims.answered(OwnershipAnswer(devices: owned, loads: ["attic": 4]), at: .start)
        for (number, device) in devices.enumerated() { claims.heard(device.id, rssi: -70 - number, at: at(600)) }
        let answer = OwnershipAnswer(devices: owned, loads: ["attic": 4])
        #expect(claims.answered(answer, at: at(600)).map(\.device) == [devices[3].id])
        #expect(claims.answered(answer, at: at(610)).isEmpty, "the first has not gone yet")
    }

    // MARK: What other gateways get to know

    @Test mutating func theSignalIsAMeanOfTheLastMinute() {
        #expect(ownership.signal(Standby.Own(report: .silent, isInCharge: false), at: at(0)) == nil)
        #expect(ownership.signal(waiting, at: at(0))?.rssi == nil)
        hear(-60, at: 0)
        hear(-70, at: 5)
        #expect(ownership.signal(reading, at: at(10)).map { "\($0)" } == "(rssi: Optional(-63), age: 5)")
        #expect(ownership.signal(reading, at: at(65)) == nil)
        hear(-90, at: 65)
        #expect(ownership.signal(reading, at: at(65))?.rssi == -90)
    }

    // MARK: Without the database

    @Test mutating func whatItHadBeforeItReadsAgainWithoutTheDatabase() {
        ownership = Ownership(of: ["cellar", "any"], own: "attic", wasOwned: true, at: .start)
        hear(-50, at: 0)
        #expect(ownership.reasonToBegin(waiting, at: at(29)) == nil)
        #expect(ownership.reasonToBegin(waiting, at: at(30)) == "the database doesn't answer, and it had it before")
        #expect(ownership.reasonToBegin(reading, at: at(30)) == nil)
        _ = say("cellar", waiting, at: 31)
        #expect(ownership.reasonToBegin(waiting, at: at(1000)) == nil, "the database knows better")
    }
}
