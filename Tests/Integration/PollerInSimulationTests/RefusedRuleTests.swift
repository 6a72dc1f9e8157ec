import Blekeep
import BlekeepSimulation
import BusBench
import DBus
import RunLoop
import Testing

/// A bus that refuses match rules. The poller reports the missing subscription.
@Suite struct RefusedRuleTests {
    /// Some of these limits allow everything but the subscription.
    @Test func reportsARefusedSubscription() async throws {
        var refused = 0
        for rules in 10...30 {
            var limits = BusLimits()
            limits.matchRules = rules
            let home = try await Bench.run(.virtual, .house, limits: limits) { bench, world in
                let home = Household(bench, world) {
                    $0.devices = $0.devices.filter { ["Living Room", "Heart Strap"].contains($0.alias) }
                }
                _ = try await home.keep(for: .seconds(300))
                return home
            }
            guard !home.moments(of: "Living Room").isEmpty else { continue }
            let isHeard = home.moments(of: "Heart Strap", 0x2A37).count > 200
            let failures = home.failures(of: "Heart Strap")
            #expect(isHeard != failures.contains { $0.code == .other("LimitsExceeded") }, "\(rules) rules: \(failures)")
            if failures.isEmpty { continue }
            refused += 1
            // 1 min, 2 min and 4 min apart.
            #expect(failures.count == 3)
        }
        #expect(refused > 0)
    }
}
