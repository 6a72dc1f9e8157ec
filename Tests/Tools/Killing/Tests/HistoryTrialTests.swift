import BusBench
import Foundation
import Killing
import Testing

/// A sample of `blekeep-killing history`.
@Suite(.serialized) struct HistoryTrialTests {
    private static let images = TestLength.of(20, atNight: 40)

    @Test func aHistoryThatIsKilledHoldsAllThatItAcknowledged() async throws {
        let program = try Program.path
        let tally = try await onThread { try HistoryKills.run(80, seed: 1, program: program) }
        #expect(tally.problems == [])
        #expect(tally.kills == 80)
        #expect(tally.trimmed > 0)
        #expect(tally.moments.keys.contains("commit"))
    }

    @Test func aHistoryThatLosesPowerHoldsAllThatWasDurable() async throws {
        let tally = try await onThread { try TornImages.run(Self.images, seed: 1) }
        #expect(tally.problems == [])
        #expect(tally.images == Self.images)
        #expect(tally.shortened > 0)
    }

    @Test func readingsOfSoundPagesComeBackAndNoneIsMadeUp() async throws {
        let batches = TestLength.of(300, atNight: 600)
        let tallies = try await onThread { try SalvageTrial.run(18, seed: 1, batches: batches) }
        for (place, tally) in tallies {
            // At most two pages of readings are lost, of some 70.
            let least = place == .readingsLeaf ? 0.95 : 1
            #expect(tally.worst >= least && tally.wrong == 0, "\(place): \(tally)")
        }
        #expect(tallies.count == SalvageTrial.Place.allCases.count)
    }
}
