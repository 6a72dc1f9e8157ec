import Blekeep
import BlekeepSimulation
import BusBench
import DBus
import RunLoop
import Testing

/// A reliable device is read when its tick is due, even when others fail.
@Suite struct PunctualityTests {
    /// Returns the delay of each reading in seconds, and the number of ticks without a reading.
    private func lateness(
        of device: String, every interval: Double, _ home: Household, until end: Double
    )
        -> (late: [Double], missed: Int)
    {
        let early = interval / 4
        let moments = home.moments(of: device, 0x2A6E).map { $0 + early }
        let missed = Set(0..<Int(end / interval)).subtracting(moments.map { Int($0 / interval) })
        return (moments.map { $0.truncatingRemainder(dividingBy: interval) - early }, missed.count)
    }

    @Test func oneThatIsSteadyIsNotHeldUpByThoseThatAreNot() async throws {
        let seconds = TestLength.of(1200, atNight: 3600)
        let home = try await Bench.run(.virtual, .flaky) { bench, world in
            let home = Household(bench, world, interval: .seconds(10))
            _ = try await home.keep(for: .seconds(seconds))
            return home
        }
        let steady = lateness(of: "Flaky Steady", every: 10, home, until: Double(seconds))
        #expect(steady.missed == 0)
        #expect(steady.late.allSatisfy { $0 <= 1 })
        // Its connection ends after 5 s each time, and the poller reconnects in time.
        let drop = lateness(of: "Flaky Drop", every: 10, home, until: Double(seconds))
        #expect(drop.missed == 0)
        #expect(drop.late.count { $0 > 1 } <= drop.late.count / 30)
        // Sometimes a device that waited long goes first. The kernel tries it for 4 s.
        #expect(drop.late.allSatisfy { $0 <= 6 })
    }

    /// The device's connection ends repeatedly, and BlueZ forgets it each time. The adapter must search for it, while attempts
    /// to a device out of range and to a deaf one take their full time.
    @Test func failingDevicesDoNotDelayADeviceThatMustBeFound() async throws {
        let home = try await Bench.run(.virtual, .flaky) { bench, world in
            let home = Household(bench, world, interval: .seconds(10)) { configuration in
                configuration.devices.removeAll { ["Flaky Slow", "Flaky Mute", "Flaky Error"].contains($0.alias) }
            }
            _ = try await home.keep(for: .seconds(3600)) {
                let stranger = try await bench.connect()
                let adapter = stranger.object(Bluez.service, at: "/org/bluez/hci0")
                let drop = ObjectPath(unchecked: "/org/bluez/hci0/dev_F0_00_01_00_00_02")
                for tick in 1..<360 {
                    // Three and a half seconds before its next tick at the latest.
                    let moment = tick * 10_000 + 3000 + tick * 700 % 3500
                    try await bench.loop.sleep(until: .start + .milliseconds(moment))
                    _ = try? await adapter.call(Adapter1.removeDevice, drop, within: .seconds(5))
                }
            }
            return home
        }
        let drop = lateness(of: "Flaky Drop", every: 10, home, until: 3600)
        #expect(drop.missed <= 10)
        #expect(drop.late.count { $0 > 1 } <= drop.late.count / 10)
        // A device that was just read and is now out of range may use its 5 s first.
        #expect(drop.late.count { $0 > 3 } <= 15)
    }
}
