import Testing

@testable import Swarming

/// A few seeds of the swarm; `blekeep-swarm` runs many, and for longer.
@Suite struct SwarmTests {
    @Test(arguments: [1, 4, 9, 16, 25] as [UInt64]) func keepsAllGuaranteesAndRecovers(seed: UInt64) async throws {
        let outcome = try await Swarm.run(seed: seed, faulty: .seconds(1200))
        #expect(outcome.violations == [], "seed \(seed): \(outcome.faults)")
        #expect(outcome.readings > 1000)
    }

    /// Who had failed came last for ever, where links to hold took turns on four slots.
    @Test func aFailedDeviceGetsItsTurnAgain() async throws {
        #expect(try await Swarm.run(seed: 52).violations == [])
    }

    /// Ten devices that want their links held share four slots: who was forgotten meanwhile is searched for.
    @Test func searchesForAForgottenDeviceWhileConnectionsAreHeld() async throws {
        #expect(try await Swarm.run(seed: 52, [], .seconds(600)).violations == [])
    }

    /// A connection that was stuck, and behaves in another way before it was healed, was stuck for ever.
    @Test func aStuckConnectionEndsAfterItsCure() async throws {
        #expect(try await Swarm.run(seed: 108, faulty: .seconds(3000)).violations == [])
    }

    /// Radios that are stuck are repaired where that is allowed, and harm nobody; elsewhere nothing is done.
    @Test(arguments: [(6, true), (34, true), (5, false)] as [(UInt64, Bool)])
    func stuckRadiosAreRepairedWhereThatIsAllowed(seed: UInt64, isAllowed: Bool) async throws {
        let outcome = try await Swarm.run(seed: seed, faulty: .seconds(3600))
        #expect(outcome.violations == [], "seed \(seed): \(outcome.faults)")
        #expect(outcome.faults.contains { $0.contains("wedge") })
        #expect((outcome.repairs > 0) == isAllowed)
    }

    /// A read on somebody else's link held the machine's sleep up for as long as it could (1); a link of ours that
    /// outlived a sleep that was not announced was nobody's, and never ended though its services did not come (32).
    @Test(arguments: [1, 32] as [UInt64]) func aSleepEndsOrKeepsItsConnections(seed: UInt64) async throws {
        #expect(try await Swarm.run(seed: seed).violations == [])
    }

    @Test func theSameSeedLeavesTheSameTrace() async throws {
        let first = try await Swarm.run(seed: 3, faulty: .seconds(600))
        let second = try await Swarm.run(seed: 3, faulty: .seconds(600))
        #expect(first.trace == second.trace)
        #expect(try await Swarm.run(seed: 4, faulty: .seconds(600)).trace != first.trace)
    }
}
