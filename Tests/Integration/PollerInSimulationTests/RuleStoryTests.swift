import Blekeep
import BusBench
import RunLoop
import Testing

@testable import BlekeepSimulation

/// Rules on values while blekeep polls, over restarts, in virtual time.
@Suite struct RuleStoryTests {
    private static func only(
        _ name: String, _ rules: [(String, when: String, until: String?)]
    )
        throws -> @Sendable (inout PollConfiguration) -> Void
    {
        let rules = try rules.map { rule in
            Rule(
                name: rule.0, when: try Rule.Condition(rule.when), until: try rule.until.map { try Rule.End($0) })
        }
        return { configuration in
            configuration.devices = configuration.devices.filter { $0.alias == name }
            configuration.rules = rules
        }
    }

    /// The freezer's temperature rises and falls within an hour.
    @Test func aFreezerIsReportedOnceOverARestart() async throws {
        let change = try Self.only("Freezer", [("warm", "temperature of Freezer > -18 °C for 5m", "< -18.5 °C")])
        try await Bench.run(.virtual, .house) { bench, world in
            var log: [String] = []
            var former: Workshop?
            // Each run ends in the middle of something.
            for end in [300.0, 1000, 1400, 2000, 2500, 3300] {
                let workshop = try await Workshop(bench, world, allowing: [], after: former, change: change)
                try await workshop.keep(for: end)
                log += workshop.log.filter { $0.contains("the rule warm") }
                former = workshop
            }
            #expect(log.count == 2, "\(log)")
            #expect(log.first?.contains("fires: temperature is -17") == true, "\(log)")
            #expect(log.last?.contains("is over: temperature is -18.") == true, "\(log)")
            let rule = try #require(former?.store.rules.values.first)
            #expect(rule.firings == 1 && !rule.isFiring && rule.ended != nil)
        }
    }

    @Test func aSilentDeviceFiresWithoutAValueAndItsStatusSaysSo() async throws {
        let change = try Self.only("Freezer", [("silent", "no value of Freezer for 10m", nil)])
        try await Bench.run(.virtual, .house) { bench, world in
            let workshop = try await Workshop(bench, world, allowing: [], change: change)
            nonisolated(unsafe) var firing: [String]?
            try await workshop.keep(for: 3600) { workshop in
                try await workshop.at(100)
                world.hide("Freezer")
                try await workshop.at(1200)
                firing = workshop.status("Freezer")?.firing
                world.show("Freezer")
            }
            #expect(firing == ["silent"])
            #expect(workshop.status("Freezer")?.firing == [])
            let log = workshop.log.filter { $0.contains("the rule silent") }
            #expect(log.count == 2, "\(log)")
            let rule = try #require(workshop.store.rules.values.first)
            // The last value came before it was hidden.
            let fired = try #require(rule.fired?.time)
            #expect((600_000...705_000).contains(fired), "\(fired)")
        }
    }

    /// Some ticks beside the service change nothing of its rules.
    @Test func aRunOfSomeTicksHasNoRules() async throws {
        try await Bench.run(.virtual, .house) { bench, world in
            let rule = Rule(name: "warm", when: try Rule.Condition("temperature of all > -50 °C"))
            let household = Household(bench, world, count: 2) { $0.rules = [rule] }
            _ = await household.poller.run()
            #expect(!household.warnings.contains { $0.contains("the rule") })
        }
    }
}
