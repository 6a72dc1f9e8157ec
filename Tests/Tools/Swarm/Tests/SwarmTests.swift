import BusBench
import Testing

@testable import Swarming

/// A few seeds of the swarm, for part of their time. `.ci/run` and `.ci/night` have `blekeep-swarm` run more of them whole.
@Suite struct SwarmTests {
    /// Once, after the database had been away, the first gateway that came back took what the others read. And once, the
    /// first of many gateways that went silent lost theirs before the others counted as silent.
    @Test(arguments: TestLength.of([5], atNight: [4, 5, 7] as [UInt64]))
    func manyGatewaysShareTheirSensors(seed: UInt64) throws {
        let outcome = try FleetCrowd.run(seed: seed, .init(gateways: 12, sensors: 8, hours: 2))
        #expect(outcome.violations == [])
        #expect(outcome.reads > 10_000 && outcome.moves > 20)
    }

    /// A signal that varies by 6 dB moves next to nothing.
    @Test func sensorsStayWhereTheyAreReadWell() throws {
        let hours = TestLength.of(3, atNight: 6.0)
        let outcome = try FleetCrowd.run(seed: 1, .init(gateways: 6, sensors: 4, hours: hours, hasFaults: false))
        #expect(outcome.violations == [])
        #expect(Double(outcome.laterMoves) < 0.02 * outcome.sensorHours, "\(outcome.laterMoves)")
    }

    /// 7 and 17 have a thermometer that only advertises.
    @Test(arguments: TestLength.of([1, 17], atNight: [1, 4, 7, 9, 16, 17, 25] as [UInt64]))
    func keepsAllGuaranteesAndRecovers(seed: UInt64) async throws {
        let outcome = try await Swarm.run(seed: seed, faulty: .seconds(1200))
        #expect(outcome.violations == [], "seed \(seed): \(outcome.faults)")
        #expect(outcome.readings > 1000)
    }

    /// Ten devices with held connections share four slots. The poller searches for a device that BlueZ forgot.
    @Test func searchesForAForgottenDeviceWhileConnectionsAreHeld() async throws {
        #expect(try await Swarm.run(seed: 52, [], .seconds(600)).violations == [])
    }

    /// Once, a stuck connection stayed stuck if the peripheral's behavior changed before its cure.
    @Test func aStuckConnectionEndsAfterItsCure() async throws {
        #expect(try await Swarm.run(seed: 108, faulty: .seconds(3000)).violations == [])
    }

    /// The poller repairs stuck adapters only when configured, and harms no other program.
    @Test(
        arguments: TestLength.of(
            [(6, true), (5, false)], atNight: [(6, true), (34, true), (5, false)] as [(UInt64, Bool)]))
    func stuckRadiosAreRepairedWhereThatIsAllowed(seed: UInt64, isAllowed: Bool) async throws {
        let outcome = try await Swarm.run(seed: seed, faulty: .seconds(3600))
        #expect(outcome.violations == [], "seed \(seed): \(outcome.faults)")
        #expect(outcome.faults.contains { $0.contains("wedge") })
        #expect((outcome.repairs > 0) == isAllowed)
    }

    @Test func theSameSeedHasTheSameDigest() async throws {
        let first = try await Swarm.run(seed: 3, faulty: .seconds(300))
        let second = try await Swarm.run(seed: 3, faulty: .seconds(300))
        #expect(first.digest == second.digest)
        #expect(first.digest != Digest())
    }
}
