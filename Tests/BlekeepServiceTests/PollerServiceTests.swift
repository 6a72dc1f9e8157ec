import BlekeepRecords
import BusBench
import DBus
import Logging
import RunLoop
import Testing

@testable import BlekeepService

/// The service on a real dbus-daemon, and its callers.
@Suite struct PollerServiceTests {
    /// The service, and the commands that it got.
    private final class Poller: ServedPoller, @unchecked Sendable {
        let service: PollerService
        var commands: [DeviceCommand] = []
        var answer: Result<[UInt8], ReadingFailure> = .success([7])
        var reloadFailure: ReloadFailure?

        init(_ bench: Bench, _ devices: [DeviceConfiguration]) {
            service = PollerService(
                PollConfiguration(devices: devices), version: "1.0", on: bench.loop, log: Logger(label: "test")
            ) { () async throws(BusError) in try await bench.connect() }
        }

        func obey(_ command: DeviceCommand, answer: @escaping (Result<[UInt8], ReadingFailure>) -> Void) {
            commands.append(command)
            answer(self.answer)
        }

        func reload() throws(ReloadFailure) { if let reloadFailure { throw reloadFailure } }
    }

    private func run(_ body: @escaping @Sendable (Poller, any Bus) async throws -> Void) async throws {
        let devices = [
            DeviceConfiguration(alias: "attic", address: try #require(BluetoothAddress("F0:00:00:00:00:01"))),
            DeviceConfiguration(alias: "cellar", address: try #require(BluetoothAddress("F0:00:00:00:00:02"))),
        ]
        try await Bench.run(.daemon) { bench in
            let poller = Poller(bench, devices)
            let bus = try await bench.connect()
            try await withThrowingDiscardingTaskGroup { group in
                group.addTask { _ = await poller.service.run(serving: poller) }
                try await Self.waitForService(bus)
                try await body(poller, bus)
                poller.service.stop()
            }
        }
    }

    private static func waitForService(_ bus: any Bus) async throws {
        let arrival = Gate(bus.loop)
        try await bus.followOwner(of: Poller1.service) { if $0 != nil { arrival.open() } }
        await arrival.wait()
    }

    private func code(_ body: () async throws(BusError) -> Void) async -> String? {
        do throws(BusError) {
            try await body()
            return nil
        } catch {
            if case .remote(let name, _) = error { return name }
            return "\(error)"
        }
    }

    private static func address(_ number: UInt64) -> BluetoothAddress {
        BluetoothAddress(bits: 0xF000_0000_0000 + number)
    }

    private static let attic: ObjectPath = "/org/blekeep/dev_f00000000001"

    @Test func methodsBecomeCommands() async throws {
        try await run { poller, bus in
            let root = bus.object(Poller1.service, at: Poller1.path)
            let attic = bus.object(Poller1.service, at: Self.attic)
            _ = try await root.call(Poller1.pollNow, [], within: .seconds(5))
            _ = try await root.call(Poller1.pause, [Self.attic, Self.attic], 0, within: .seconds(5))
            _ = try await root.call(Poller1.pause, [Self.attic], 60, within: .seconds(5))
            _ = try await root.call(Poller1.resume, [Self.attic], within: .seconds(5))
            let bytes = try await attic.call(KeptDevice1.write, "", "2a06", 1, "0x07", within: .seconds(5))
            #expect(bytes == [7])
            let request = WriteRequest(characteristic: BluetoothUUID(0x2A06), value: .bytes([7]))
            #expect(
                poller.commands == [
                    DeviceCommand(.poll, DeviceID(Self.address(1))), DeviceCommand(.poll, DeviceID(Self.address(2))),
                    DeviceCommand(.pause(.untilResumed), DeviceID(Self.address(1))),
                    DeviceCommand(.pause(.time(.seconds(60))), DeviceID(Self.address(1))),
                    DeviceCommand(.resume, DeviceID(Self.address(1))),
                    DeviceCommand(.write(request), DeviceID(Self.address(1))),
                ])
        }
    }

    @Test func aFailureReachesTheCaller() async throws {
        try await run { poller, bus in
            poller.answer = .failure(ReadingFailure(.late, "the device wasn't read"))
            let root = bus.object(Poller1.service, at: Poller1.path)
            let failures = try await root.call(Poller1.pollNow, [], within: .seconds(5))
            #expect(Set(failures.values) == ["the device wasn't read"] && failures.count == 2)
            let unknown = await code { () throws(BusError) in
                _ = try await root.call(Poller1.resume, [Self.attic, "/org/blekeep/nothing"], within: .seconds(5))
            }
            #expect(unknown == "org.freedesktop.DBus.Error.InvalidArgs" && poller.commands.count == 2)
            do throws(BusError) {
                let attic = bus.object(Poller1.service, at: Self.attic)
                _ = try await attic.call(KeptDevice1.write, "", "2a06", 1, "0x07", within: .seconds(5))
                Issue.record("no failure")
            } catch {
                #expect(error == .remote(name: "org.blekeep.Error.Failed", message: "the device wasn't read"))
            }
        }
    }

    @Test func aFloodIsRefused() async throws {
        try await run { poller, bus in
            let root = bus.object(Poller1.service, at: Poller1.path)
            let attic = bus.object(Poller1.service, at: Self.attic)
            let start = bus.loop.now
            var refusals: [String] = []
            for _ in 0..<30 {
                let refusal = await code { () throws(BusError) in
                    _ = try await root.call(Poller1.pollNow, [Self.attic], within: .seconds(5))
                }
                if let refusal { refusals.append(refusal) }
            }
            // Time allows more of them: on a slow machine, many.
            let seconds = Int((bus.loop.now - start) / .seconds(1))
            let commands = poller.commands.count
            #expect(commands >= CommandBudget.maxCommands && commands <= CommandBudget.maxCommands + 1 + seconds)
            #expect(refusals.count == 30 - commands)
            #expect(refusals.allSatisfy { $0 == "org.freedesktop.DBus.Error.LimitsExceeded" })
            var reads = 0
            for _ in 0..<100 {
                let refusal = await code { () throws(BusError) in
                    _ = try await attic.get(KeptDevice1.alias, within: .seconds(5))
                }
                if refusal == nil { reads += 1 }
            }
            #expect(reads <= 51 + Int((bus.loop.now - start) / .milliseconds(100)))
        }
    }

    @Test func theClientListsDevices() async throws {
        try await run { poller, bus in
            let client = PollerClient(on: bus)
            let devices = try await client.devices()
            #expect(devices.map(\.alias) == ["attic", "cellar"])
            #expect(try await client.call(Poller1.pause, of: [devices[1]], 0).isEmpty)
            #expect(poller.commands == [DeviceCommand(.pause(.untilResumed), DeviceID(Self.address(2)))])
        }
    }

    @Test func reloadAnswersWithTheMistakes() async throws {
        try await run { poller, bus in
            let client = PollerClient(on: bus)
            try await client.reload()
            poller.reloadFailure = ReloadFailure(isMistake: true, "two\nmistakes")
            do throws(BusError) {
                try await client.reload()
                Issue.record("no failure")
            } catch {
                #expect(error == .remote(name: "org.blekeep.Error.BadConfiguration", message: "two\nmistakes"))
            }
            poller.reloadFailure = ReloadFailure(isMistake: false, "no")
            let other = await code { () throws(BusError) in try await client.reload() }
            #expect(other == "org.blekeep.Error.Failed")
        }
    }

    @Test func objectsFollowTheConfiguration() async throws {
        try await run { poller, bus in
            let client = PollerClient(on: bus)
            _ = try await client.devices()
            let changed = Gate(bus.loop)
            nonisolated(unsafe) var signals: [String] = []
            try await bus.follow(Poller1.service) { event in
                guard case .signal(let signal) = event else { return }
                signals.append("\(signal.member) \(signal.arguments.first.flatMap { ObjectPath($0) }?.name ?? "")")
                changed.open()
            }
            try await bus.listen(
                Poller1.service,
                for: [SignalMatch(path: Poller1.path, interface: ObjectManager.name), .properties(at: Self.attic)])
            poller.service.apply(
                PollConfiguration(devices: [
                    DeviceConfiguration(alias: "garret", address: Self.address(1)),
                    DeviceConfiguration(alias: "garden", address: Self.address(3)),
                ]))
            let end = bus.loop.now + .seconds(5)
            while signals.count < 3, bus.loop.now < end { await changed.wait(until: end) }
            #expect(
                signals == [
                    "InterfacesRemoved dev_f00000000002", "PropertiesChanged ",
                    "InterfacesAdded dev_f00000000003",
                ])
            let devices = try await client.devices()
            #expect(devices.map(\.alias) == ["garden", "garret"])
            _ = try await client.call(Poller1.pause, of: [devices[0]], 0)
            _ = try await bus.object(Poller1.service, at: Poller1.path).call(Poller1.resume, [], within: .seconds(5))
            #expect(
                poller.commands == [
                    DeviceCommand(.pause(.untilResumed), DeviceID(Self.address(3))),
                    DeviceCommand(.resume, DeviceID(Self.address(1))),
                    DeviceCommand(.resume, DeviceID(Self.address(3))),
                ])
        }
    }

    @Test func aTakenNameIsReported() async throws {
        try await Bench.run(.daemon) { bench in
            let other = try await bench.connect()
            #expect(try await other.own(Poller1.service))
            let poller = Poller(bench, [])
            #expect(await poller.service.run(serving: poller) == .taken)
        }
    }

    @Test func signalsComeOnlyToThoseWhoCalled() async throws {
        try await run { poller, bus in
            let address = try #require(BluetoothAddress("F0:00:00:00:00:01"))
            var status = DeviceStatus(address: address, name: "attic", since: 5)
            let changed = Gate(bus.loop)
            nonisolated(unsafe) var signals = 0
            try await bus.follow(Poller1.service) { event in
                if case .signal = event {
                    signals += 1
                    changed.open()
                }
            }
            try await bus.listen(Poller1.service, for: [.properties(at: Self.attic)])
            poller.service.sink.note(LedgerChanges(statuses: [status]), nil)
            _ = try await bus.object(Poller1.service, at: Self.attic).get(KeptDevice1.alias, within: .seconds(5))
            #expect(signals == 0)
            status.condition = DeviceCondition(.good)
            poller.service.sink.note(LedgerChanges(statuses: [status]), nil)
            await changed.wait(until: bus.loop.now + .seconds(5))
            #expect(signals == 1)
        }
    }
}
