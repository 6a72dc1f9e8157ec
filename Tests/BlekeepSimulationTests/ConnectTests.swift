import BlekeepRecords
import BusBench
import DBus
import RunLoop
import Testing

@testable import BlekeepSimulation

/// Connecting, as the real bluetoothd 5.66 does it (field notes 3, 5, 6, 7, 8).
struct ConnectTests {
    static let living = "F0:00:00:00:00:01"

    /// Runs in virtual time, on the house or another scenario.
    private func simulate<Success: Sendable>(
        _ scenario: Scenario = .house, seed: UInt64 = 1,
        _ body: @escaping @Sendable (Client, World) async throws -> Success
    ) async throws -> Success {
        try await Bench.run(.virtual, scenario, seed: seed) { bench, world in
            try await body(try await Client.make(bench), world)
        }
    }

    @Test func tellsConnectedThenAnswersThenResolves() async throws {
        let (connected, answered, resolved) = try await simulate { client, _ in
            let device = client.device(Self.living)
            try await client.connect(device)
            let answered = client.loop.now
            let connected = try await client.wait { $0.says(Device1.connected, true, at: device) }.at
            let resolved = try await client.wait { $0.says(Device1.servicesResolved, true, at: device) }.at
            return (connected, answered, resolved)
        }
        #expect((Duration.milliseconds(400)...(.milliseconds(600))).contains(connected.sinceStart))
        #expect(answered - connected == .milliseconds(30))
        #expect(resolved - answered == .milliseconds(100))
    }

    @Test func showsServicesBeforeResolvedAndKeepsThem() async throws {
        try await simulate { client, _ in
            let device = client.device(Self.living)
            let before = try await client.objects().keys.filter { $0.isAt(orBelow: device) }
            #expect(before == [device])
            try await client.open(device)
            let service = try #require(device.child("service000e"))
            let shown = try await client.wait { $0.adds(service) }
            let resolved = try await client.wait { $0.says(Device1.servicesResolved, true, at: device) }
            #expect(shown.at <= resolved.at)
            let battery = try await client.object(device).get(Battery1.percentage, within: .seconds(1))
            #expect(battery == 87)
            try await client.disconnect(device)
            let after = try await client.objects()
            #expect(after[service] != nil)
            #expect(after[device]?[Battery1.name.text] == nil)
        }
    }

    @Test func numbersHandlesLikeTheRealOne() async throws {
        let paths = try await simulate { client, _ in
            let device = client.device("F0:00:00:00:00:05")
            try await client.open(device)
            return try await client.objects().keys.filter { $0.isAt(orBelow: device) && $0 != device }
                .map { String($0.text.dropFirst(device.text.utf8.count)) }
        }
        #expect(
            paths.sorted() == [
                "/service0006", "/service0006/char0007", "/service0006/char0007/desc0009", "/service0006/char000a",
                "/service0006/char000c", "/service000e", "/service000e/char000f", "/service000e/char000f/desc0011",
            ])
    }

    @Test func takesLongerWhileDiscovering() async throws {
        let duration = try await simulate { client, _ in
            try await client.startDiscovery()
            let start = client.loop.now
            try await client.connect(client.device(Self.living))
            return client.loop.now - start
        }
        #expect((Duration.seconds(2)...(.seconds(7))).contains(duration))
    }

    @Test func triesOneAtATime() async throws {
        let moments = try await simulate { client, _ in
            let devices = [Self.living, "F0:00:00:00:00:02"].map(client.device)
            return try await withThrowingTaskGroup(of: Uptime.self) { group in
                for device in devices {
                    group.addTask {
                        try await client.connect(device)
                        return client.loop.now
                    }
                }
                return try await group.reduce(into: [Uptime]()) { $0.append($1) }
            }
        }
        #expect(moments.count == 2)
        #expect(moments[1] - moments[0] >= .milliseconds(400))
    }

    @Test func refusesASecondConnectWhileTheFirstIsUnderWay() async throws {
        try await simulate { client, _ in
            let device = client.device(Self.living)
            async let first: Void = client.connect(device)
            try await client.pause(.milliseconds(100))
            let second = await failure { () throws(BusError) in try await client.connect(device) }
            #expect(second == .bluez("Failed", "Operation already in progress"))
            try await first
            try await client.connect(device)
        }
    }

    @Test func abortsAfterFortySecondsWhenOutOfRange() async throws {
        try await simulate { client, world in
            world.hide("Living Room")
            let error = await failure { () throws(BusError) in try await client.connect(client.device(Self.living)) }
            #expect(error == .bluez("Failed", "le-connection-abort-by-local"))
            #expect(client.loop.now.sinceStart == .seconds(40))
        }
    }

    @Test func waitsForAPeripheralThatComesBack() async throws {
        try await simulate { client, world in
            world.hide("Living Room")
            async let connecting: Void = client.connect(client.device(Self.living))
            try await client.pause(.seconds(10))
            // A peripheral that is waited for does not keep others from being connected.
            try await client.connect(client.device("F0:00:00:00:00:02"))
            world.show("Living Room")
            try await connecting
            #expect(client.loop.now.sinceStart < .seconds(12))
        }
    }

    @Test func neverAnswersForADeafPeripheral() async throws {
        try await simulate(.flaky) { client, _ in
            try await client.startDiscovery()
            let device = client.device("F0:00:01:00:00:04")
            try await client.wait { $0.adds(device) }
            try await client.stopDiscovery()
            let start = client.loop.now
            let error = await failure { () throws(BusError) in
                try await client.connect(device, within: .seconds(25))
            }
            #expect(error == .timedOut)
            let removed = try await client.wait { $0.removes(device) }
            #expect(removed.at - start == .seconds(4))
            let gone = await failure { () throws(BusError) in try await client.connect(device) }
            #expect(gone?.name == "org.freedesktop.DBus.Error.UnknownObject")
        }
    }

    @Test func keepsAKnownDeafPeripheral() async throws {
        try await simulate { client, world in
            world.deaf("Living Room")
            let device = client.device(Self.living)
            let error = await failure { () throws(BusError) in
                try await client.connect(device, within: .seconds(60))
            }
            #expect(error == .timedOut)
            world.heal("Living Room")
            try await client.connect(device)
        }
    }

    @Test func failsWhenTheAdapterIsOff() async throws {
        try await simulate(.off) { client, _ in
            let error = await failure { () throws(BusError) in try await client.connect(client.device(Self.living)) }
            #expect(error == .bluez("Failed", "Input/output error"))
        }
    }

    @Test func disconnectTakesTwoSecondsAndRepliesToBothCallers() async throws {
        try await simulate { client, _ in
            let device = client.device(Self.living)
            try await client.open(device)
            let start = client.loop.now
            try await client.disconnect(device)
            #expect(client.loop.now - start == .seconds(2))
            let note = try await client.wait { $0.says(Device1.connected, false, at: device) }
            #expect(note.says(Device1.servicesResolved, false, at: device))
        }
    }

    @Test func disconnectCancelsAPendingConnect() async throws {
        try await simulate { client, world in
            world.hide("Living Room")
            let device = client.device(Self.living)
            async let failed = failure { () throws(BusError) in try await client.connect(device) }
            try await client.pause(.seconds(1))
            try await client.disconnect(device)
            #expect(await failed == .bluez("Failed", "br-connection-canceled"))
            #expect(client.loop.now.sinceStart == .seconds(1))
        }
    }

    @Test func disconnectWithoutAConnectionIsNoError() async throws {
        try await simulate { client, _ in try await client.disconnect(client.device(Self.living)) }
    }

    @Test func failsBeyondTheSlots() async throws {
        var scenario = Scenario.house
        scenario.adapters = [
            SimulatedAdapter(maxConnections: 1, whenFull: "le-connection-concurrent-connection-limit")
        ]
        try await simulate(scenario) { client, _ in
            try await client.connect(client.device(Self.living))
            let other = client.device("F0:00:00:00:00:02")
            let error = await failure { () throws(BusError) in try await client.connect(other) }
            #expect(error == .bluez("Failed", "le-connection-concurrent-connection-limit"))
            try await client.disconnect(client.device(Self.living))
            try await client.connect(other)
        }
    }

    @Test(arguments: [
        (PeripheralBehavior.Connecting.hanging, false), (.unanswered, true), (.hollow, false),
        (.failing("Busy"), false),
    ])
    func otherFaults(_ behavior: PeripheralBehavior.Connecting, _ isConnected: Bool) async throws {
        try await simulate { client, world in
            world.connecting("Living Room", as: behavior)
            let device = client.device(Self.living)
            let error = await failure { () throws(BusError) in
                try await client.connect(device, within: .seconds(10))
            }
            switch behavior {
            case .failing(let text): #expect(error == .bluez("Failed", text))
            case .hollow: #expect(error == nil)
            default: #expect(error == .timedOut)
            }
            let connected = try await client.object(device).get(Device1.connected, within: .seconds(1))
            #expect(connected == isConnected)
        }
    }

    @Test func servicesCanBeHeldBack() async throws {
        try await simulate { client, world in
            world.holdServicesResolved("Living Room")
            let device = client.device(Self.living)
            try await client.connect(device)
            try await client.pause(.seconds(60))
            #expect(try await !client.object(device).get(Device1.servicesResolved, within: .seconds(1)))
            world.heal("Living Room")
            try await client.wait { $0.says(Device1.servicesResolved, true, at: device) }
        }
    }

    @Test func anEarlyDropFailsTheConnect() async throws {
        try await simulate { client, world in
            let device = client.device(Self.living)
            async let failed = failure { () throws(BusError) in try await client.connect(device) }
            try await client.wait { $0.says(Device1.connected, true, at: device) }
            world.drop("Living Room")
            #expect(await failed == .bluez("Failed", "le-connection-abort-by-local"))
        }
    }
}
