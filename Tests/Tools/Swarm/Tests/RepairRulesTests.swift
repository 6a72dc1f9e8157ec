import Blekeep
import DBus
import RunLoop
import Testing

@testable import Swarming

/// The checker of repairs, which may disturb other programs.
@Suite struct RepairRulesTests {
    private static let adapter: ObjectPath = "/org/bluez/hci0"
    private static let device: ObjectPath = "/org/bluez/hci0/dev_F0_00_00_00_00_01"
    private static let elsewhere: ObjectPath = "/org/bluez/hci1/dev_F0_00_00_00_00_02"

    private func isFine(
        _ act: RepairRules.Act, _ steps: [RecoveryStep], links: [ObjectPath] = [], isPaired: Bool = false,
        isHung: Bool = false
    ) -> Bool {
        var rules = RepairRules(Set(steps))
        return rules.take(act, at: .start, links: links, isPaired: isPaired, isHung: isHung) == nil
    }

    @Test func allowsOnlyConfiguredRepairs() {
        let acts: [(RepairRules.Act, RecoveryStep)] = [
            (.switchOff(Self.adapter), .powerCycle), (.restart, .restartBluetooth),
            (.remove(Self.device), .forgetStale), (.preferLowEnergy(Self.device), .preferLowEnergy),
        ]
        for (act, step) in acts {
            #expect(isFine(act, [step]))
            #expect(!isFine(act, RecoveryStep.allCases.filter { $0 != step }))
        }
        #expect(!isFine(.set("Trusted"), RecoveryStep.allCases))
        #expect(!isFine(.switchOn(Self.adapter), RecoveryStep.allCases))
    }

    @Test func neverRepairsDuringAnExternalConnection() {
        #expect(!isFine(.switchOff(Self.adapter), [.powerCycle], links: [Self.device]))
        #expect(isFine(.switchOff(Self.adapter), [.powerCycle], links: [Self.elsewhere]))
        #expect(!isFine(.restart, [.restartBluetooth], links: [Self.elsewhere]))
        // While bluetoothd hangs, the poller can't know the connections.
        #expect(isFine(.restart, [.restartBluetooth], links: [Self.elsewhere], isHung: true))
        #expect(!isFine(.remove(Self.device), [.forgetStale], links: [Self.device]))
        #expect(!isFine(.remove(Self.device), [.forgetStale], isPaired: true))
    }

    @Test(arguments: [
        (RepairRules.Act.switchOff(Self.adapter), 600.0), (.restart, 1800), (.remove(Self.device), 86_400),
    ])
    func limitsTheRateOfRepairs(act: RepairRules.Act, pause: Double) {
        var rules = RepairRules(Set(RecoveryStep.allCases))
        let first = rules.take(act, at: .start, links: [])
        let tooSoon = rules.take(act, at: .start + .seconds(pause - 1), links: [])
        let soonEnough = rules.take(act, at: .start + .seconds(2 * pause), links: [])
        #expect(first == nil)
        #expect(tooSoon != nil)
        #expect(soonEnough == nil)
        #expect(rules.acts == 3)
    }

    @Test func anAdapterThatThePollerTurnedOffMayBeTurnedOnRepeatedly() {
        var rules = RepairRules([.powerCycle])
        _ = rules.take(.switchOff(Self.adapter), at: .start, links: [])
        for second in 1...3 {
            let flaw = rules.take(.switchOn(Self.adapter), at: .start + .seconds(second), links: [])
            #expect(flaw == nil)
        }
    }
}
