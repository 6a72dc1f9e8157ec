import Blekeep
import BusBench
import DBus
import RunLoop
import Testing

@testable import BlekeepSimulation

/// Whole pairings against the simulated world, in virtual time.
@Suite struct PairingTests {
    private static let passkey = "Passkey"
    private static let compare = "Compare"

    private func run(
        _ scenario: Scenario = .passkey, kind: Bench.Kind = .virtual,
        _ body: @escaping @Sendable (Central, World, Bench) async throws -> Void
    ) async throws {
        try await Bench.run(kind, scenario) { bench, world in
            let central = try await Central.open(nil, on: bench.loop) { () async throws(BusError) in
                try await bench.connect()
            }
            try await body(central, world, bench)
            central.close()
        }
    }

    private func pair(
        _ name: String, _ central: Central, _ world: World, secret: String? = nil,
        capability: PairingCapability? = nil, limit: Duration = .seconds(130), user: PairingUser? = nil,
        trusts: Bool = true, mustAuthenticate: Bool = false
    ) async -> Result<[UInt8], Ending> {
        var options = PairingOptions(
            secret: secret.flatMap { PairingSecret($0) }, capability: capability, trusts: trusts, limit: limit)
        options.mustAuthenticate = mustAuthenticate
        let (peripheral, chosen) = (central.peripheral(world.address(name)), options)
        do {
            return .success(
                try await peripheral.pair(chosen, user: user) { link, _ in
                    try await link.read(BluetoothUUID(0x2A6E))
                })
        } catch let error as PairingError {
            return .failure(.pairing(error.reason))
        } catch let error as BluetoothError {
            return .failure(.bluetooth(error.code))
        } catch { return .failure(.other) }
    }

    enum Ending: Error, Equatable {
        case pairing(PairingError.Reason)
        case bluetooth(BluetoothError.Code)
        case other
    }

    private static let value: [UInt8] = [0x4D, 0x08]
    private static let agreeing = PairingUser(show: { _ in }, ask: { _ in .accept })

    // MARK: Ways to pair

    @Test(arguments: [Bench.Kind.virtual, .daemon]) func aPasskeyIsTyped(_ kind: Bench.Kind) async throws {
        try await run(kind: kind) { central, world, _ in
            let result = await pair(Self.passkey, central, world, secret: "123456")
            #expect(result == .success(Self.value))
            let state = world.state(of: Self.passkey)
            #expect(state == .init(isKnown: true, isBonded: true, isTrusted: true, agents: 0))
        }
    }

    @Test func theUserComparesANumber() async throws {
        try await run { central, world, _ in
            #expect(await pair(Self.compare, central, world, user: Self.agreeing) == .success(Self.value))
            #expect(world.state(of: Self.compare).isBonded)
        }
        try await run { central, world, _ in
            let refusing = PairingUser(show: { _ in }, ask: { _ in .reject })
            let result = await pair(Self.compare, central, world, user: refusing)
            #expect(result == .failure(.pairing(.rejected)))
            #expect(world.isUntouched(Self.compare))
        }
    }

    @Test func aMistypedPasskeyIsNotARefusal() async throws {
        try await run { central, world, _ in
            let user = PairingUser(show: { _ in }, ask: { _ in .pinCode("12x") })
            let result = await pair(Self.passkey, central, world, user: user)
            #expect(result == .failure(.pairing(.invalidPasskey)))
            #expect(world.isUntouched(Self.passkey))
        }
    }

    @Test func aNumberIsComparedWithTheSecret() async throws {
        try await run { central, world, _ in
            let right = await pair(
                Self.compare, central, world, secret: "000077", capability: .keyboardDisplay)
            #expect(right == .success(Self.value))
        }
        try await run { central, world, _ in
            let wrong = await pair(
                Self.compare, central, world, secret: "000078", capability: .keyboardDisplay)
            #expect(wrong == .failure(.pairing(.numberMismatch)))
            #expect(world.isUntouched(Self.compare))
        }
    }

    @Test func aKeypadIsShownWhatToType() async throws {
        try await run { central, world, _ in
            let shown = Shown()
            let user = PairingUser(show: { shown.requests.append($0) })
            #expect(await pair("Keypad", central, world, user: user) == .success(Self.value))
            #expect(shown.requests == (0...6).map { .showPasskey(4711, typed: $0) })
        }
    }

    private final class Shown: @unchecked Sendable {
        var requests: [PairingRequest] = []
    }

    @Test func pairsWithoutAUserWhenNothingIsAsked() async throws {
        try await run { central, world, _ in
            #expect(await pair("Simple", central, world, trusts: false) == .success(Self.value))
            #expect(world.state(of: "Simple") == .init(isKnown: true, isBonded: true, isTrusted: false, agents: 0))
            // BlueZ would never answer a second Pair.
            #expect(await pair("Simple", central, world) == .success(Self.value))
            #expect(world.state(of: "Simple").isTrusted)
        }
    }

    // MARK: Failures leave nothing behind

    @Test(
        arguments: [
            ("Passkey", "654321", .wrongPasskey), ("Passkey", nil, .needsPasskey), ("Passkey", "abc", .invalidPasskey),
            ("Compare", nil, .needsUser), ("Simple", "123456", .passkeyNotNeeded), ("Never", nil, .failed),
        ] as [(String, String?, PairingError.Reason)])
    func aFailureSaysWhy(_ name: String, _ secret: String?, _ reason: PairingError.Reason) async throws {
        try await run { central, world, _ in
            #expect(await pair(name, central, world, secret: secret) == .failure(.pairing(reason)))
            #expect(world.isUntouched(name))
            // It doesn't block the next pairing.
            #expect(await pair(Self.passkey, central, world, secret: "123456") == .success(Self.value))
        }
    }

    @Test(
        arguments: [(.rejecting, .rejected), (.mute, .timedOut), (.dropping, .cancelled)]
            as [(PeripheralBehavior.Pairing, PairingError.Reason)])
    func aFaultSaysWhy(_ fault: PeripheralBehavior.Pairing, _ reason: PairingError.Reason) async throws {
        try await run { central, world, _ in
            world.pairing(Self.passkey, as: fault)
            let result = await pair(Self.passkey, central, world, secret: "123456")
            #expect(result == .failure(.pairing(reason)))
            #expect(world.isUntouched(Self.passkey))
        }
    }

    @Test func anAbsentUserDoesNotBlockPairing() async throws {
        try await run { central, world, bench in
            let loop = bench.loop
            let user = PairingUser(show: { _ in }) { _ in
                try? await loop.sleep(until: loop.now + .seconds(3600))
                return .accept
            }
            let start = loop.now
            let result = await pair(Self.compare, central, world, limit: .seconds(20), user: user)
            #expect(result == .failure(.pairing(.timedOut)))
            #expect(loop.now - start < .seconds(30))
            #expect(world.isUntouched(Self.compare))
        }
    }

    @Test func bluetoothdMayGoAway() async throws {
        try await run { central, world, bench in
            bench.loop.schedule(at: bench.loop.now + .milliseconds(1500)) { world.restartBluez(after: .seconds(1)) }
            let user = PairingUser(show: { _ in }) { _ in
                try? await bench.loop.sleep(until: bench.loop.now + .seconds(3600))
                return .accept
            }
            let result = await pair(Self.compare, central, world, user: user)
            #expect(result == .failure(.pairing(.noBluez)))
        }
    }

    @Test func neverPairsABlockedDevice() async throws {
        try await run(.house) { central, world, bench in
            let bus = try await bench.connect()
            try await bus.object(Bluez.service, at: "/org/bluez/hci0/dev_F0_00_00_00_00_04")
                .set(Device1.blocked, to: true, within: .seconds(1))
            try await bench.loop.sleep(until: bench.loop.now + .seconds(1))
            #expect(await pair("Probe", central, world) == .failure(.pairing(.blocked)))
        }
    }

    @Test func refusesAnUnauthenticatedPairingWhenConfigured() async throws {
        try await run { central, world, _ in
            let simple = await pair("Simple", central, world, mustAuthenticate: true)
            #expect(simple == .failure(.pairing(.notAuthenticated)))
            #expect(world.isUntouched("Simple"))
            let typed = await pair(Self.passkey, central, world, secret: "123456", mustAuthenticate: true)
            #expect(typed == .success(Self.value))
            let compared = await pair(
                Self.compare, central, world, user: Self.agreeing, mustAuthenticate: true)
            #expect(compared == .success(Self.value))
        }
    }

    // MARK: Cancelling

    /// At any time of a pairing, from before blekeep finds the device to after the pairing.
    @Test(arguments: Array(stride(from: 0, through: 4000, by: 40)))
    func cancellingRemovesTheAgent(_ milliseconds: Int) async throws {
        try await cancel(after: milliseconds, .virtual)
    }

    /// The same on a dbus-daemon: while it searches, connects, pairs, waits for the user, and reads.
    @Test(.serialized, arguments: [100, 700, 1100, 1500, 2000, 2600])
    func cancellingOnARealBusRemovesTheAgent(_ milliseconds: Int) async throws {
        try await cancel(after: milliseconds, .daemon)
    }

    /// On a slow machine, a user may cancel while BlueZ is asked to trust the device.
    @Test func cancellingWhileItIsTrustedIsNoOtherEnd() async throws {
        try await Bench.run(.virtual, .passkey) { bench, world in
            let bus = WatchedBus(try await bench.connect())
            let central = try await Central.open(nil, on: bench.loop) { () throws(BusError) in bus }
            let work = Task(executorPreference: bench.loop) {
                await pair(Self.compare, central, world, user: Self.agreeing)
            }
            bus.onTrust = { work.cancel() }
            #expect(await work.value == .failure(.pairing(.cancelled)))
            #expect(world.isUntouched(Self.compare))
            central.close()
        }
    }

    /// A connection that tells when a device is about to be trusted.
    private final class WatchedBus: ForwardingBus, @unchecked Sendable {
        let inner: any Bus
        var onTrust: () -> Void = {}

        init(_ inner: any Bus) { self.inner = inner }

        func call(_ call: MethodCall) async throws(BusError) -> [Value] {
            if call.member == PropertiesInterface.set.name, String(call.arguments[1]) == "Trusted" { onTrust() }
            return try await inner.call(call)
        }
    }

    private func cancel(after milliseconds: Int, _ kind: Bench.Kind) async throws {
        try await run(kind: kind) { central, world, bench in
            let loop = bench.loop
            let user = PairingUser(show: { _ in }) { _ in
                try? await loop.sleep(until: loop.now + .milliseconds(700))
                return .accept
            }
            let work = Task(executorPreference: loop) {
                await pair(Self.compare, central, world, user: user)
            }
            loop.schedule(at: loop.now + .milliseconds(milliseconds)) { work.cancel() }
            let result = await work.value
            let state = world.state(of: Self.compare)
            #expect(state.agents == 0)
            switch result {
            case .success: #expect(state.isBonded && state.isTrusted)
            case .failure(let ending):
                // A cancelled read after the pairing is done takes nothing back.
                if ending == .pairing(.cancelled) { #expect(world.isUntouched(Self.compare)) }
                #expect(ending == .pairing(.cancelled) || state.isBonded)
            }
            // Nothing that is left of it disturbs the next.
            try await loop.sleep(until: loop.now + .seconds(3))
            #expect(await pair(Self.passkey, central, world, secret: "123456") == .success(Self.value))
        }
    }

    // MARK: Two at once

    @Test(arguments: [Bench.Kind.virtual, .daemon]) func twoPairingsAtOnceAreRefused(_ kind: Bench.Kind) async throws {
        try await run(kind: kind) { central, world, bench in
            let loop = bench.loop
            let user = PairingUser(show: { _ in }) { _ in
                try? await loop.sleep(until: loop.now + .seconds(4))
                return .accept
            }
            async let first = pair(Self.compare, central, world, user: user)
            try await loop.sleep(until: loop.now + .seconds(2))
            #expect(await pair(Self.passkey, central, world, secret: "1") == .failure(.pairing(.inProgress)))
            // Another program, the same device.
            let other = try await Central.open(nil, on: loop) { () async throws(BusError) in try await bench.connect() }
            #expect(await pair(Self.compare, other, world, user: user) == .failure(.pairing(.inProgress)))
            other.close()
            #expect(await first == .success(Self.value))
        }
    }

    // MARK: Bonds that are lost

    @Test func reportsABondThatTheDeviceLost() async throws {
        try await run { central, world, bench in
            #expect(await pair(Self.passkey, central, world, secret: "123456") == .success(Self.value))
            world.loseBond(Self.passkey)
            world.drop(Self.passkey)
            try await bench.loop.sleep(until: bench.loop.now + .seconds(3))
            let again = await pair(Self.passkey, central, world, secret: "123456")
            #expect(again == .failure(.pairing(.bondLost)))
            // blekeep doesn't remove the bond.
            #expect(world.state(of: Self.passkey).isBonded)
            let peripheral = central.peripheral(world.address(Self.passkey))
            #expect(try await peripheral.forget())
            #expect(try await peripheral.forget() == false)
            #expect(await pair(Self.passkey, central, world, secret: "123456") == .success(Self.value))
        }
    }

    @Test func bondsAgainAfterTheMachineLostTheKeys() async throws {
        try await run { central, world, _ in
            #expect(await pair(Self.passkey, central, world, secret: "123456") == .success(Self.value))
            let wasKnown = try await central.peripheral(world.address(Self.passkey)).forget()
            #expect(wasKnown)
            #expect(await pair(Self.passkey, central, world, secret: "123456") == .success(Self.value))
        }
    }

    @Test func trustComesAndGoes() async throws {
        try await run(.house) { central, world, bench in
            let probe = central.peripheral(world.address("Probe"))
            #expect(try await probe.setTrusted(true))
            #expect(world.state(of: "Probe").isTrusted)
            #expect(try await probe.setTrusted(false))
            #expect(!world.state(of: "Probe").isTrusted)
            let stranger = try #require(BluetoothAddress("F0:00:00:00:00:99"))
            #expect(try await central.peripheral(stranger).setTrusted(true) == false)
        }
    }
}

extension World {
    fileprivate struct State: Equatable {
        var isKnown: Bool
        var isBonded: Bool
        var isTrusted: Bool
        var agents: Int
    }

    fileprivate func address(_ name: String) -> BluetoothAddress {
        scenario.peripherals.first { $0.name == name }?.address ?? scenario.peripherals[0].address
    }

    fileprivate func state(of name: String) -> State {
        let kept = radios.first?.kept[address(name)]
        return State(
            isKnown: kept != nil, isBonded: kept?.isBonded ?? false, isTrusted: kept?.isTrusted ?? false,
            agents: bluez?.agents.count ?? 0)
    }

    /// Neither known nor bonded nor trusted, and without a registered agent.
    fileprivate func isUntouched(_ name: String) -> Bool {
        state(of: name) == State(isKnown: false, isBonded: false, isTrusted: false, agents: 0)
    }
}
