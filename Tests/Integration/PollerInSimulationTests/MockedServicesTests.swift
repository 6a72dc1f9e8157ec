import Blekeep
import BlekeepSimulation
import BusBench
import DBus
import Logging
import RunLoop
import Subprocess
import Testing

/// Tests with python-dbusmock's templates of UPower, power-profiles-daemon and logind, which are independent of blekeep.
@Suite struct MockedServicesTests {
    /// dbusmock's interface to control its objects.
    private enum Mock: Interface {
        static let name: InterfaceName = "org.freedesktop.DBus.Mock"
        static let updateProperties: Method<Nothing, String, Properties> = method("UpdateProperties")
        static let emitSignal: Method<Nothing, String, String, String, [Variant]> = method("EmitSignal")
        static let members: [any Member] = [updateProperties, emitSignal]
    }

    private struct Services: Sendable {
        let bench: Bench
        let bus: any Bus

        private func update(
            _ service: BusName, _ path: ObjectPath, _ interface: InterfaceName, _ new: Properties
        )
            async throws
        {
            _ = try await bus.object(service, at: path).call(
                Mock.updateProperties, interface.text, new, within: .seconds(5))
        }

        func upower(onBattery: Bool, _ percentage: Double, state: UInt32, level: UInt32) async throws {
            try await update(UPower.service, UPower.path, UPower.name, ["OnBattery": Variant(onBattery)])
            try await update(
                UPower.service, UPowerDevice.path, UPowerDevice.name,
                [
                    "Type": Variant(UInt32(2)), "IsPresent": Variant(true), "Percentage": Variant(percentage),
                    "State": Variant(state), "WarningLevel": Variant(level),
                ])
        }

        func profile(_ name: String) async throws {
            try await update(
                HadessPowerProfiles.service, HadessPowerProfiles.path, HadessPowerProfiles.name,
                ["ActiveProfile": Variant(name)])
        }

        func sleep(_ isBegin: Bool) async throws {
            _ = try await bus.object(Login1Manager.service, at: Login1Manager.path).call(
                Mock.emitSignal, Login1Manager.name.text, "PrepareForSleep", "b", [Variant(isBegin)],
                within: .seconds(5))
        }

        /// The locks with their holders, as logind lists them.
        func inhibitors() async throws -> [String] {
            let answer = try await bus.call(
                MethodCall(
                    Login1Manager.service, at: Login1Manager.path, interface: Login1Manager.name,
                    member: "ListInhibitors",
                    within: .seconds(5)))
            guard case .array(_, let locks)? = answer.first else { return [] }
            return locks.map { "\($0)" }.filter { $0.contains("blekeep") }
        }

        /// Waits until it is so.
        func eventually(
            within: Duration = .seconds(10), _ condition: () async throws -> Bool
        ) async throws -> Duration {
            let begin = bench.loop.now
            while try await !condition() {
                guard bench.loop.now - begin < within else { throw TookTooLong() }
                try await bench.loop.sleep(until: bench.loop.now + .milliseconds(20))
            }
            return bench.loop.now - begin
        }
    }

    private struct TookTooLong: Error {}

    private static let templates: [(name: String, service: BusName)] = [
        ("upower", UPower.service), ("power_profiles_daemon", HadessPowerProfiles.service),
        ("logind", Login1Manager.service),
    ]

    /// Runs `body` beside the templates on a private bus, with a simulated BlueZ.
    private func run<T: Sendable>(
        _ body: @escaping @Sendable (Services, World) async throws -> T
    ) async throws -> T {
        try await Bench.run(.daemon, .house) { bench, world in
            let address = try #require(bench.address)
            let services = Services(bench: bench, bus: try await bench.connect())
            return try await withThrowingTaskGroup(of: T?.self) { group in
                for template in Self.templates {
                    group.addTask {
                        _ = try await Subprocess.run(
                            .path("/usr/bin/python3"),
                            arguments: ["-m", "dbusmock", "--system", "--template", template.name],
                            environment: .inherit.updating(["DBUS_SYSTEM_BUS_ADDRESS": address]),
                            output: .discarded, error: .discarded)
                        return nil
                    }
                }
                group.addTask {
                    for template in Self.templates {
                        _ = try await services.eventually(within: .seconds(60)) {
                            (try? await services.bus.daemon.call(
                                BusDaemon.getNameOwner, template.service.text, within: .seconds(5))) != nil
                        }
                    }
                    return try await body(services, world)
                }
                while let result = try await group.next() {
                    guard let result else { continue }
                    group.cancelAll()
                    return result
                }
                throw TookTooLong()
            }
        }
    }

    @Test func aPollerLivesWithThem() async throws {
        let store = MemoryStore()
        try await run { services, world in
            try await services.upower(onBattery: false, 80, state: 1, level: 1)
            let loop = services.bench.loop
            let configuration = PollConfiguration(
                devices: [DeviceConfiguration(alias: "Living Room", address: world.scenario.peripherals[0].address)])
            let bench = services.bench
            let poller = Poller(
                configuration, on: loop, store: store, sinks: [],
                log: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() },
                supply: { SupplyFacts(state: .unknown) }
            ) { () async throws(BusError) in try await bench.connect() }
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { _ = await poller.run() }
                // Without this, the poller would run on after an error.
                defer { poller.stop() }
                _ = try await services.eventually { poller.status.power.reason == "on mains 80 %" }
                _ = try await services.eventually { try await services.inhibitors().count == 2 }
                _ = try await services.eventually { store.readings.contains { $0.reading.tick == 1 } }

                // Modes and intervals.
                try await services.upower(onBattery: true, 42, state: 2, level: 1)
                let took1 = try await services.eventually { poller.status.devices[0].interval == .seconds(60) }
                #expect(took1 <= .seconds(1))
                try await services.upower(onBattery: true, 14, state: 2, level: 3)
                let took2 = try await services.eventually { poller.status.devices[0].interval == .seconds(300) }
                #expect(took2 <= .seconds(1))
                #expect(poller.status.power.reason == "low battery 14 %")
                #expect(try #require(poller.status.devices[0].next) - WallClock.milliseconds() > 200_000)

                // The poller releases the locks in time, takes it again, and runs one tick.
                try await services.sleep(true)
                let released = try await services.eventually { try await services.inhibitors().isEmpty }
                #expect(released <= .seconds(1))
                #expect(store.heartbeats.last?.state == .asleep)
                try await services.sleep(false)
                _ = try await services.eventually { try await services.inhibitors().count == 2 }
                _ = try await services.eventually { store.readings.contains { $0.reading.tick == 2 } }
                #expect(try #require(poller.status.devices[0].next) - WallClock.milliseconds() > 200_000)
            }
            #expect(try await services.inhibitors().isEmpty)
        }
        #expect(Set(store.readings.map(\.reading.tick)) == [1, 2])
    }

    @Test func aProfileCountsUnderItsFirstName() async throws {
        try await run { services, _ in
            try await services.upower(onBattery: false, 80, state: 4, level: 1)
            let monitor = PowerMonitor(on: services.bench.loop, supply: { SupplyFacts(state: .unknown) }) { _ in }
            let bus = try await services.bench.connect()
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { await monitor.run(on: bus) }
                defer {
                    monitor.stop()
                    bus.close()
                }
                _ = try await services.eventually { monitor.status.reason == "on mains 80 %" }
                try await services.profile("power-saver")
                let took3 = try await services.eventually { monitor.status.mode == .low }
                #expect(took3 <= .seconds(1))
                #expect(monitor.status.reason == "power-saver profile")
            }
        }
    }

    @Test func aProgramsOwnTasksHoldTheLock() async throws {
        try await run { services, _ in
            let loop = services.bench.loop
            let log = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
            let sleep = SleepMonitor(on: loop, log: log) { _ in }
            let bus = try await services.bench.connect()
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { await sleep.run(on: bus) }
                defer {
                    sleep.end()
                    bus.close()
                }
                _ = try await services.eventually { try await services.inhibitors().count == 2 }
                let expired = Gate(loop)
                let section = sleep.begin(named: "upload", budget: .seconds(30)) { expired.open() }
                #expect(sleep.remaining == nil)
                try await services.sleep(true)
                _ = try await services.eventually { sleep.remaining != nil }
                sleep.flushed()
                #expect(sleep.remaining.map { .seconds(4) ... .seconds(5) ~= $0 } == true)
                let begin = loop.now
                await expired.wait()
                #expect(.milliseconds(1900) ... .milliseconds(2600) ~= loop.now - begin)
                #expect(try await services.inhibitors().count == 2)
                sleep.end(section)
                let took4 = try await services.eventually { try await services.inhibitors().isEmpty }
                #expect(took4 <= .seconds(1))
            }
        }
    }
}
