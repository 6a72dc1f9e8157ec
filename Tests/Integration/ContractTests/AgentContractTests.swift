import Blekeep
import BlekeepSimulation
import BusBench
import DBus
import RunLoop
import Testing

@testable import BlekeepBluetooth
@testable import BlekeepPoller

/// blekeep's agent, called by the owner of `org.bluez`: every method and answer, also on a dbus-daemon.
struct AgentContractTests {
    private static let address = BluetoothAddress("F0:00:00:00:02:01")
    private static let device: ObjectPath = "/org/bluez/hci0/dev_F0_00_00_00_02_01"

    /// Runs with a registered agent, and a hand of bluetoothd's that can call it.
    private func ask<T: Sendable>(
        _ kind: Bench.Kind, secret: String? = nil,
        answer: (@Sendable (PairingRequest) async -> PairingAnswer)? = nil,
        _ body: @escaping @Sendable (RemoteObject, Table) async throws -> T
    ) async throws -> T {
        try await Bench.run(kind) { bench in
            let bluez = try await bench.connect()
            let manager = ExportedInterface(AgentManager1.self)
            manager.handle(AgentManager1.registerAgent) { $0.reply() }
            manager.handle(AgentManager1.unregisterAgent) { $0.reply() }
            bluez.export(ExportedObject(Bluez.root, [manager]))
            #expect(try await bluez.own(Bluez.service))
            let bus = try await bench.connect()
            let table = Table(stranger: try await bench.connect(), agent: bus.name)
            let dialog = PairingDialog(secret: secret.flatMap { PairingSecret($0) }, hasUser: answer != nil)
            let address = try #require(Self.address)
            let agent = PairingAgent(
                on: bus, for: address, dialog: dialog,
                user: PairingUser(show: { table.shown.append($0) }, ask: answer))
            table.object = agent
            try await agent.register(.keyboardDisplay)
            let result = try await body(bluez.object(bus.name, at: PairingAgent.path), table)
            await agent.unregister()
            let gone = await code { () throws(BusError) in
                _ = try await bluez.object(bus.name, at: PairingAgent.path).call(Agent1.release, within: .seconds(1))
            }
            #expect(gone == "org.freedesktop.DBus.Error.UnknownObject")
            return result
        }
    }

    private final class Table: @unchecked Sendable {
        let stranger: any Bus
        let agent: BusName
        var shown: [PairingRequest] = []
        var object: PairingAgent?

        init(stranger: any Bus, agent: BusName) {
            self.stranger = stranger
            self.agent = agent
        }
    }

    @Test(arguments: Bench.Kind.allCases) func introspectEqualsFile(_ kind: Bench.Kind) async throws {
        let xml = try await ask(kind) { agent, _ in try await agent.call(Introspectable.introspect, within: .seconds(5))
        }
        let found = try InterfaceDescription.parse(xml).interfaces
        let file = try Contract.file("org.bluez.Agent1")
        #expect(found.contains(file))
    }

    @Test(arguments: Bench.Kind.allCases) func sendsASecret(_ kind: Bench.Kind) async throws {
        let device = Self.device
        try await ask(kind, secret: "000123") { agent, _ in
            let told = try await agent.call(Agent1.requestPasskey, device, within: .seconds(5))
            #expect(told == 123)
        }
        try await ask(kind, secret: "ab12") { agent, _ in
            let told = try await agent.call(Agent1.requestPinCode, device, within: .seconds(5))
            #expect(told == "ab12")
        }
        try await ask(kind, secret: "000123") { agent, _ in
            _ = try await agent.call(Agent1.requestConfirmation, device, 123, within: .seconds(5))
        }
    }

    @Test(
        arguments: Bench.Kind.allCases,
        [.accept, .reject, .passkey(7), .passkey(1_000_000), .pinCode("x1"), .pinCode("")] as [PairingAnswer])
    func everyAnswerToEveryQuestion(_ kind: Bench.Kind, _ answer: PairingAnswer) async throws {
        let device = Self.device
        let (passkey, pin, confirmation) = try await ask(kind, answer: { _ in answer }) { agent, _ in
            (
                await code { () throws(BusError) in
                    let told = try await agent.call(Agent1.requestPasskey, device, within: .seconds(5))
                    #expect(told == 7)
                },
                await code { () throws(BusError) in
                    let told = try await agent.call(Agent1.requestPinCode, device, within: .seconds(5))
                    #expect(told == "x1")
                },
                await code { () throws(BusError) in
                    _ = try await agent.call(Agent1.requestConfirmation, device, 1, within: .seconds(5))
                }
            )
        }
        #expect(passkey == (answer == .passkey(7) ? nil : "org.bluez.Error.Rejected"))
        #expect(pin == (answer == .pinCode("x1") ? nil : "org.bluez.Error.Rejected"))
        #expect(confirmation == (answer == .accept ? nil : "org.bluez.Error.Rejected"))
    }

    @Test(arguments: Bench.Kind.allCases) func showsThePasskey(_ kind: Bench.Kind) async throws {
        let device = Self.device
        let shown = try await ask(kind) { agent, table in
            _ = try await agent.call(Agent1.displayPasskey, device, 4711, 2, within: .seconds(5))
            _ = try await agent.call(Agent1.displayPinCode, device, "0000", within: .seconds(5))
            _ = try await agent.call(Agent1.requestAuthorization, device, within: .seconds(5))
            _ = try await agent.call(Agent1.authorizeService, device, "180f", within: .seconds(5))
            return table.shown
        }
        #expect(shown == [.showPasskey(4711, typed: 2), .showPinCode("0000")])
    }

    @Test(arguments: Bench.Kind.allCases) func strangersAndOtherDevicesAreRefused(_ kind: Bench.Kind) async throws {
        let device = Self.device
        try await ask(kind, secret: "123456") { agent, table in
            let stranger = table.stranger.object(table.agent, at: PairingAgent.path)
            for call in [Agent1.release, Agent1.cancel] {
                let refused = await code { () throws(BusError) in _ = try await stranger.call(call, within: .seconds(5))
                }
                #expect(refused == "org.freedesktop.DBus.Error.AccessDenied")
            }
            let theft = await code { () throws(BusError) in
                _ = try await stranger.call(Agent1.requestPasskey, device, within: .seconds(5))
            }
            #expect(theft == "org.freedesktop.DBus.Error.AccessDenied")
            for other in ["/org/bluez/hci0/dev_F0_00_00_00_02_02", "/", "/org/bluez/hci0"] as [ObjectPath] {
                let refused = await code { () throws(BusError) in
                    _ = try await agent.call(Agent1.requestPasskey, other, within: .seconds(5))
                }
                #expect(refused == "org.bluez.Error.Rejected")
            }
            let wrong = await code { () throws(BusError) in
                _ = try await agent.bus.call(
                    MethodCall(
                        agent.service, at: agent.path, interface: Agent1.name, member: "RequestPasskey",
                        arguments: [.string("x")], within: .seconds(5)))
            }
            #expect(wrong == "org.freedesktop.DBus.Error.UnknownMethod")
            let told = try await agent.call(Agent1.requestPasskey, device, within: .seconds(5))
            #expect(told == 123_456)
        }
    }

    @Test(arguments: Bench.Kind.allCases, [Agent1.cancel, Agent1.release])
    func aQuestionIsTakenBack(_ kind: Bench.Kind, _ method: Method<Nothing>) async throws {
        let device = Self.device
        let (asked, mark) = AsyncStream.makeStream(of: Void.self)
        let (answer, second) = try await ask(
            kind,
            answer: { _ in
                mark.yield()
                // A user who never answers.
                try? await Task.sleep(for: .seconds(3600), clock: NeverClock())
                return .accept
            }
        ) { agent, _ in
            async let question = code { () throws(BusError) in
                _ = try await agent.call(Agent1.requestConfirmation, device, 1, within: .seconds(30))
            }
            for await _ in asked { break }
            // While one question is open there is no other.
            let second = await code { () throws(BusError) in
                _ = try await agent.call(Agent1.requestConfirmation, device, 1, within: .seconds(30))
            }
            _ = try await agent.call(method, within: .seconds(5))
            return (await question, second)
        }
        #expect(answer == "org.bluez.Error.Canceled")
        #expect(second == "org.bluez.Error.Rejected")
    }
}

/// A clock that never moves. Sleeping lasts until it is cancelled.
private struct NeverClock: Clock {
    struct Instant: InstantProtocol {
        func advanced(by duration: Duration) -> Instant { self }
        func duration(to other: Instant) -> Duration { .zero }
        static func < (lhs: Instant, rhs: Instant) -> Bool { false }
    }

    var now: Instant { Instant() }
    var minimumResolution: Duration { .zero }

    func sleep(until deadline: Instant, tolerance: Duration?) async throws {
        let (stream, continuation) = AsyncStream.makeStream(of: Void.self)
        for await _ in stream {}
        continuation.finish()
        throw CancellationError()
    }
}

/// The name of the error that an action throws; `nil` when it succeeds.
private func code(_ action: () async throws(BusError) -> Void) async -> String? {
    do throws(BusError) {
        try await action()
        return nil
    } catch { return error.name }
}
