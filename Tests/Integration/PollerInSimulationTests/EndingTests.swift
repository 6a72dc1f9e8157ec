import Blekeep
import BlekeepSimulation
import BusBench
import DBus
import Logging
import RunLoop
import Swarming
import Testing

/// The calls of a poller that must stop when it begins to connect.
private final class Calls: @unchecked Sendable {
    var members: [MemberName] = []
    var poller: Poller?
}

private final class RecordingBus: ForwardingBus, @unchecked Sendable {
    let inner: any Bus
    private let calls: Calls

    init(_ inner: any Bus, _ calls: Calls) {
        self.inner = inner
        self.calls = calls
    }

    func call(_ call: MethodCall) async throws(BusError) -> [Value] {
        calls.members.append(call.member)
        return try await inner.call(call)
    }

    func send(_ call: MethodCall) {
        calls.members.append(call.member)
        inner.send(call)
    }
}

/// How a poller ends, or nearly does, in virtual time.
@Suite struct EndingTests {
    private func stop(
        _ scenario: Scenario, at seconds: Double, _ script: @escaping @Sendable (World) -> Void
    )
        async throws -> (Household, took: Duration)
    {
        try await Bench.run(.virtual, scenario) { bench, world in
            let home = Household(bench, world)
            script(world)
            var took = Duration.zero
            let loop = bench.loop
            _ = try await home.keep(for: .milliseconds(Int(seconds * 1000)))
            took = loop.now - (.start + .milliseconds(Int(seconds * 1000)))
            return (home, took)
        }
    }

    @Test func endsWithinItsGraceAndSyncsAllReadings() async throws {
        for scenario in [Scenario.house, .flaky, .fresh] {
            for moment in [0.0, 0.1, 0.5, 3, 10, 31, 47] {
                let (home, took) = try await stop(scenario, at: moment) {
                    $0.slow($0.scenario.peripherals[0].name, by: .seconds(8))
                }
                #expect(took <= .seconds(2), "\(scenario.name) at \(moment)")
                #expect(home.store.heartbeats.last?.state == .stopped)
                #expect(home.store.readings.isEmpty || home.store.durableAppends > 0)
            }
        }
    }

    /// If Connect came after Disconnect, the connection would stay. A lone Disconnect may end another program's
    /// connection.
    @Test func anAttemptThatIsGivenUpAtOnceIsNeverBegun() async throws {
        try await Bench.run(.virtual, .house) { bench, world in
            let calls = Calls()
            let loop = bench.loop
            let devices = world.scenario.peripherals.map { DeviceConfiguration(alias: $0.name, address: $0.address) }
            let log = Logger(label: "ending") { _ in
                LogTap(level: .debug) { if $0.contains("connecting") { calls.poller?.stop() } }
            }
            let poller = Poller(
                PollConfiguration(devices: devices), on: loop, store: MemoryStore(), sinks: [], log: log
            ) {
                () async throws(BusError) in RecordingBus(try await bench.connect(), calls)
            }
            calls.poller = poller
            _ = await poller.run()
            #expect(calls.members.contains(ObjectManager.getManagedObjects.name))
            #expect(!calls.members.contains(Device1.connect.name))
            #expect(!calls.members.contains(Device1.disconnect.name))
        }
    }

    @Test func beforeAShutdownTheLockGoesAtOnceAndTheHistorySaysSo() async throws {
        let laptop = try await Laptop.run(for: .seconds(45)) { laptop in
            try await laptop.at(40)
            laptop.login.tell(Login1Manager.prepareForShutdown.name, isBegin: true)
            try await laptop.at(41)
            #expect(laptop.login.held == 0)
        }
        #expect(laptop.home.store.heartbeats.last?.state == .shutdown)
        #expect(laptop.reads == [0, 30])
    }

    @Test func aShutdownThatIsCalledOffIsFollowedByATick() async throws {
        let laptop = try await Laptop.run(for: .seconds(100)) { laptop in
            try await laptop.at(40)
            laptop.login.tell(Login1Manager.prepareForShutdown.name, isBegin: true)
            try await laptop.at(44)
            laptop.login.tell(Login1Manager.prepareForShutdown.name, isBegin: false)
            try await laptop.at(54)
            #expect(laptop.login.held == 2)
        }
        #expect(laptop.reads.prefix(2) == [0, 30])
        #expect(laptop.reads.count >= 4)
        #expect((44...54).contains(laptop.reads[2]))
        #expect(laptop.home.store.heartbeats.allSatisfy { $0.downtime == nil })
    }

    @Test func aSleepThatIsOverBeforeAnybodyHeardOfItDoesNotLastForEver() async throws {
        let laptop = try await Laptop.run(for: .seconds(200)) { laptop in
            try await laptop.at(40)
            laptop.login.tell(Login1Manager.prepareForSleep.name, isBegin: true)
            laptop.login.tell(Login1Manager.prepareForSleep.name, isBegin: false)
        }
        #expect(laptop.reads.count >= 7)
        #expect(laptop.home.store.heartbeats.last?.state == .stopped)
    }

    @Test func wakesASleepingMachineOnlyWhenConfiguredAndNotOnALowBattery() async throws {
        for (wakes, percentage, expected) in [
            (true, 80.0, [.seconds(900), nil]), (true, 14, [nil, nil]), (false, 80, []),
        ]
            as [(Bool, Double, [Duration?])]
        {
            let laptop = try await Laptop.run(for: .seconds(4000), change: { $0.power.wakes = wakes }) { laptop in
                laptop.power.set(.battery(percentage))
                try await laptop.at(40)
                try await laptop.login.suspend(for: .seconds(3600))
            }
            #expect(laptop.home.alarms == expected)
        }
    }
}
