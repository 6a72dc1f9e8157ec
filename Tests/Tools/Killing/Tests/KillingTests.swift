import Foundation
import Killing
import Testing

/// A sample of `blekeep-killing`.
@Suite(.serialized) struct KillingTests {
    @Test(arguments: Victim.allCases, [9, 40]) func nothingIsLost(_ victim: Victim, step: Int) async throws {
        let program = try Program.path
        let outcome = try await onThread { try Trial.run(victim, at: step, program: program) }
        #expect(try #require(outcome).problems == [])
    }

    @Test func aFileHoldsEachReadingOnceWhateverIsKilled() async throws {
        let program = try Program.path
        let outcome = try await onThread { try SinkTrial.run(kills: 8, seed: 1, program: program) }
        #expect(outcome.problems == [])
        #expect(outcome.readings > 100 && outcome.files > 1)
    }
}
