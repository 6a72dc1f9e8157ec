import Blekeep
import BusBench
import DBus
import RunLoop
import Testing

@testable import BlekeepSimulation

/// A poller whose calls repeatedly get no reply from BlueZ.
@Suite struct RenewalTests {
    private static let good = SimulatedPeripheral.environmentalSensor(
        "Good", address: Scenario.numbered(1, group: 8), temperature: 1900...2100)

    /// BlueZ never answers a Connect to it.
    private static func deaf(_ number: Int) -> SimulatedPeripheral {
        .environmentalSensor("Deaf \(number)", address: Scenario.numbered(number, group: 8), temperature: 0...50)
            .known(.none).behaving { $0.connecting = .deaf }
    }

    private static let mute = Scenario(
        "mute", "a good sensor beside two that BlueZ never answers for", peripherals: [good, deaf(2), deaf(3)])

    /// With a device that notifies, and one that needs pairing and never replies either.
    private static let mixed = Scenario(
        "mixed", "two good sensors beside three that BlueZ never answers for",
        peripherals: mute.peripherals + [
            .heartRateStrap("Strap", address: Scenario.numbered(4, group: 8)), Scenario.passkey.peripherals[0],
        ])

    private func limits(_ replies: Int) -> BusLimits {
        var limits = BusLimits()
        limits.replies = replies
        return limits
    }

    /// Returns the numbers of ticks without a value of a device.
    private func missed(_ home: Household, _ device: String, _ length: Duration, every interval: Double) -> [Int] {
        let read = Set(home.moments(of: device).map { Int(($0 + interval / 4) / interval) })
        return (0..<Int(length / .seconds(1) / interval)).filter { !read.contains($0) }
    }

    /// 128 replies are lost within hours.
    @Test func readsOtherDevicesOnEveryTickWhileRepliesAreLost() async throws {
        let days = TestLength.of(2, atNight: 10)
        let length = Duration.seconds(days * 86_400)
        let (home, refusals) = try await Bench.run(.virtual, Self.mute) { bench, world in
            let home = Household(bench, world, interval: .seconds(300))
            _ = try await home.keep(for: length)
            return (home, bench.refusals)
        }
        #expect(refusals == 0)
        #expect(home.connections.count > 3 * days)
        #expect(missed(home, "Good", length, every: 300).isEmpty)
        #expect(home.failures(of: "Good").isEmpty)
    }

    /// A bus with a lower limit refuses calls, which shows the limit.
    @Test(arguments: TestLength.of([6, 24], atNight: [6, 12, 24]))
    func renewsAtOnceWhenTheBusRefusesCalls(replies: Int) async throws {
        let length = Duration.seconds(TestLength.of(2, atNight: 6) * 3600)
        let (home, refusals) = try await Bench.run(.virtual, Self.mixed, limits: limits(replies)) { bench, world in
            let home = Household(bench, world)
            _ = try await home.keep(for: length)
            return (home, bench.refusals)
        }
        #expect(refusals > 0)
        for device in ["Good", "Strap"] { #expect(missed(home, device, length, every: 30).isEmpty) }
        #expect(home.failures(of: "Good").isEmpty && home.failures(of: "Strap").isEmpty)
    }

    /// On any bus, the connection stays up, and notifications continue.
    @Test(arguments: Bench.Kind.allCases, [ReplyPressure.high, .critical])
    func keepsLinksAndSubscriptions(_ kind: Bench.Kind, _ pressure: ReplyPressure) async throws {
        try await Bench.run(kind, .house) { bench, world in
            let home = Household(bench, world, interval: .seconds(5)) {
                $0.devices = $0.devices.filter { ["Living Room", "Heart Strap"].contains($0.alias) }
            }
            let (before, after) = try await home.keepUntilDone { loop in
                try await home.values(of: "Heart Strap", 0x2A37, 4)
                home.connections[0].onPressure?(pressure)
                while home.connections.count < 2 { try await loop.sleep(until: loop.now + .milliseconds(10)) }
                let before = home.moments(of: "Heart Strap", 0x2A37)
                try await home.values(of: "Heart Strap", 0x2A37, before.count + 3)
                return (before, home.moments(of: "Heart Strap", 0x2A37))
            }
            #expect(home.connections.count == 2)
            // It notifies each second.
            #expect(after[before.count] - (before.last ?? 0) < 3)
            #expect(home.failures.isEmpty)
            #expect(world.peripherals.filter { $0.connections > 0 }.map(\.connections) == [1, 1])
        }
    }
}
