import Blekeep
import BusBench
import RunLoop
import Testing

@testable import BlekeepSimulation

/// Sensors that only advertise, to which blekeep listens in windows. In virtual time.
@Suite struct WindowTests {
    private static let names: Set = ["Attic", "Balcony", "Cellar"]
    private static let house = Scenario(
        "house", "three sensors of different formats",
        peripherals: Scenario.beacons.peripherals.filter { names.contains($0.name) })

    /// - Returns: the requests that each sensor answered, and the number of good ticks and values of each.
    private func run(
        _ scan: ScanMode = .auto, interval: Duration = .seconds(300), on adapter: SimulatedAdapter? = nil,
        of sensors: Scenario = house, for length: Duration,
        script: @escaping @Sendable (Household) async throws -> Void = { _ in }
    ) async throws -> (home: Household, report: PollerReport) {
        var scenario = sensors
        if let adapter { scenario.adapters = [adapter] }
        return try await Bench.run(.virtual, scenario) { bench, world in
            let home = Household(bench, world, interval: interval) { configuration in
                configuration.scan = scan
                for index in configuration.devices.indices { configuration.devices[index].mode = .passive }
            }
            let report = try await home.keep(for: length) { try await script(home) }
            return (home, report)
        }
    }

    private func requests(_ home: Household) -> Int { home.world.peripherals.reduce(0) { $0 + $1.scanRequests } }

    @Test func aDayCostsTheSensorsAHundredthAndLosesNoValueThatIsDue() async throws {
        let hours = TestLength.of(6, atNight: 24)
        let (home, report) = try await run(for: .seconds(hours * 3600))
        #expect(report.devices.allSatisfy { $0.failedTicks == 0 && $0.goodTicks >= hours * 12 - 1 })
        // A value in each interval, from sensors that send a new one every ten seconds.
        for name in ["Attic", "Balcony"] {
            let moments = home.moments(of: name).sorted()
            #expect(zip(moments, moments.dropFirst()).allSatisfy { $1 - $0 < 330 }, "\(name)")
        }
        let (other, _) = try await run(.active, for: .seconds(600))
        let share = Double(requests(home)) / Double(requests(other) * 6 * hours)
        #expect(share < 0.012, "\(share)")
        #expect(home.failures == [])
    }

    /// The default interval.
    @Test func halfAMinuteCostsATenth() async throws {
        let (home, report) = try await run(interval: .seconds(30), for: .seconds(3600))
        let (other, _) = try await run(.active, interval: .seconds(30), for: .seconds(600))
        #expect(report.devices.allSatisfy { $0.failedTicks == 0 && $0.goodTicks >= 119 })
        let share = Double(requests(home)) / Double(requests(other) * 6)
        #expect(share < 0.1, "\(share)")
    }

    @Test func oneThatIsGoneIsLookedForLessAndLessAndFoundAgain() async throws {
        let (home, report) = try await run(
            for: .seconds(6 * 3600),
            script: { home in
                let loop = home.bench.loop
                try await loop.sleep(until: .start + .seconds(1000))
                home.world.hide("Attic")
                try await loop.sleep(until: .start + .seconds(4 * 3600))
                let before = self.requests(home)
                try await loop.sleep(until: .start + .seconds(5 * 3600))
                // A quarter of the time, of three sensors that advertise each second or so.
                let hour = self.requests(home) - before
                #expect(hour < 2 * 3600 / 3, "\(hour)")
                home.world.show("Attic")
            })
        let back = home.moments(of: "Attic").filter { $0 > 5 * 3600 }
        #expect(back.first.map { $0 < 5 * 3600 + 61 } == true, "\(back.prefix(2))")
        #expect(report.devices[0].lastFailure == nil)
        // The others missed nothing.
        #expect(report.devices.dropFirst().allSatisfy { $0.failedTicks == 0 })
    }

    @Test func whatAUserWatchesIsHeardWithoutAPause() async throws {
        let (home, _) = try await run(for: .seconds(1200)) { home in
            let loop = home.bench.loop
            try await loop.sleep(until: .start + .seconds(600))
            home.poller.attach()
            try await loop.sleep(until: .start + .seconds(900))
            home.poller.detach()
        }
        let moments = home.moments(of: "Attic")
        #expect(Set(moments.filter { $0 < 600 }).count <= 4)
        #expect(Set(moments.filter { (610..<900).contains($0) }.map { Int($0) / 10 }).count >= 28)
        #expect(Set(moments.filter { $0 > 910 }).count <= 3)
    }

    // MARK: Monitors

    private static let offering: SimulatedAdapter = {
        var adapter = SimulatedAdapter()
        adapter.offersMonitors = true
        return adapter
    }()

    @Test func whereMonitorsAreOfferedNoSensorIsAskedAnything() async throws {
        let (home, report) = try await run(interval: .seconds(30), on: Self.offering, for: .seconds(3600))
        #expect(report.devices.allSatisfy { $0.failedTicks == 0 && $0.goodTicks >= 119 })
        // What is heard before the monitors are on.
        #expect(requests(home) < 10, "\(requests(home))")
        // Each packet, one in ten seconds.
        #expect(home.values(of: "Attic", "measurement_sequence").count >= 355)
        #expect(home.failures == [] && home.warnings == [])
    }

    @Test func monitorsAreThereAgainAfterARestartAndAPowerCycle() async throws {
        let (home, report) = try await run(interval: .seconds(30), on: Self.offering, for: .seconds(1200)) { home in
            let loop = home.bench.loop
            try await loop.sleep(until: .start + .seconds(300))
            home.world.restartBluez(after: .seconds(3))
            try await loop.sleep(until: .start + .seconds(600))
            home.world.power(on: false)
            try await loop.sleep(until: .start + .seconds(630))
            home.world.power(on: true)
        }
        for range in [(320..<600), (650..<1200)] {
            let moments = home.moments(of: "Attic").filter { range.contains(Int($0)) }
            #expect(Set(moments.map { Int($0) / 10 }).count >= range.count / 10 - 2, "\(range)")
        }
        #expect(report.devices.allSatisfy { $0.lastFailure == nil })
    }

    /// It says once that a sensor is there, and once that it is gone.
    @Test func aControllerWithMonitorsKeepsSensorsHeardUntilTheyAreGone() async throws {
        var controller = Self.offering
        controller.offloadsMonitors = true
        let (home, report) = try await run(interval: .seconds(30), on: controller, for: .seconds(1800)) { home in
            try await home.bench.loop.sleep(until: .start + .seconds(900))
            #expect(self.requests(home) < 20, "\(self.requests(home))")
            home.world.hide("Cellar")
        }
        #expect(home.values(of: "Attic", "measurement_sequence").count >= 175)
        #expect(report.devices.filter { $0.failedTicks == 0 }.map(\.name).sorted() == ["Attic", "Balcony"])
        #expect(report.devices.first { $0.name == "Cellar" }?.lastFailure?.code == .known(.silent))
    }

    @Test func passiveScanningAsksNoSensorAnything() async throws {
        let (home, report) = try await run(
            .passive, interval: .seconds(30), on: Self.offering, for: .seconds(1800)
        ) { home in
            try await home.bench.loop.sleep(until: .start + .seconds(60))
            #expect(home.poller.status.adapters.map(\.listening) == [.passive])
        }
        #expect(requests(home) == 0)
        #expect(report.devices.allSatisfy { $0.failedTicks == 0 })
    }

    /// Each format is heard in each interval, also while its device wasn't recognized yet.
    @Test func passiveScanningHearsEachFormat() async throws {
        let sensors = Scenario(
            "sensors", "one of each format",
            peripherals: SensorTable.rows.map {
                var sensor = $0.peripheral(BluetoothAddress(bits: 0xF000_0000_0500 + UInt64($0.number)))
                sensor.advertisingInterval = .seconds(10)
                return sensor
            })
        let (_, report) = try await run(
            .passive, interval: .seconds(30), on: Self.offering, of: sensors, for: .seconds(100))
        // Its values need a key.
        let others = report.devices.filter { $0.name != "Boat" }
        #expect(others.count == SensorTable.rows.count - 1)
        #expect(others.filter { $0.failedTicks > 0 || $0.goodTicks < 3 }.map(\.name) == [])
    }

    @Test func passiveScanningWithoutMonitorsHearsNothingAndSaysSo() async throws {
        let (home, report) = try await run(.passive, interval: .seconds(30), for: .seconds(600)) { home in
            try await home.bench.loop.sleep(until: .start + .seconds(60))
            #expect(home.poller.status.adapters.map(\.listening) == [.deaf])
        }
        #expect(requests(home) == 0)
        // A sensor has the time of two intervals to be heard first.
        #expect(report.devices.allSatisfy { $0.goodTicks == 2 && $0.failedTicks == 18 })
        #expect(home.moments(of: "Attic") == [])
        #expect(home.warnings.filter { $0.contains("`scan` is `passive`") }.count == 1)
    }

    /// A controller whose monitors hear nothing.
    @Test func whatMonitorsDontHearIsNotCalledLost() async throws {
        var deaf = Self.offering
        deaf.monitorsHear = false
        let (_, report) = try await run(interval: .seconds(30), on: deaf, for: .seconds(1200))
        #expect(report.devices.allSatisfy { $0.failedTicks == 0 && $0.lastFailure == nil })
    }

    @Test func monitorsThatHearLessEndInOpenListening() async throws {
        var deaf = Self.offering
        deaf.monitorsHear = false
        let (home, _) = try await run(interval: .seconds(30), on: deaf, for: .seconds(3 * 3600 + 600))
        let late = home.moments(of: "Attic").filter { $0 > 3 * 3600 }
        #expect(Set(late.map { Int($0) / 10 }).count >= 58)
    }
}
