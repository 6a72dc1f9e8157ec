import Blekeep
import BusBench
import DBus
import RunLoop
import Testing

@testable import BlekeepSimulation

/// A poller with devices that need pairing, in virtual time.
@Suite struct NeedsUserTests {
    @Test func reportsMissingPairingOnceAndWaitsForTheUser() async throws {
        try await Bench.run(.virtual, .passkey) { bench, world in
            let home = Household(bench, world)
            _ = try await home.keep(for: .seconds(600))
            let failures = home.failures.filter { $0.code == .known(.needsPairing) }
            #expect(failures.count == 5)
            // The other values of the same devices are read, and no device was paired.
            #expect(home.moments(of: "Passkey", 0x2A19).count >= 18)
            #expect(home.failures.allSatisfy { $0.code == .known(.needsPairing) })
            #expect(world.radios.allSatisfy { $0.kept.values.allSatisfy { !$0.isBonded } })
        }
    }

    @Test func aTickWithoutWhatNeedsPairingIsNotWhollyGood() async throws {
        try await Bench.run(.virtual, .passkey) { bench, world in
            let home = Household(bench, world, count: 1)
            let devices = try await home.keep(for: .seconds(60)).devices
            #expect(devices.map(\.goodTicks) == [1, 1, 1, 1, 1])
            #expect(devices.map(\.partialTicks) == [1, 1, 1, 1, 1])
            #expect(devices.allSatisfy { $0.lastFailure?.code == .known(.needsPairing) })
        }
    }

    /// The last failure stays `needs_pairing`, even if the connection fails afterwards.
    @Test func aFailureThatNeedsTheUserOutranksItsEffects() async throws {
        try await Bench.run(.virtual, .passkey) { bench, world in
            let home = Household(bench, world, count: 2) { configuration in
                configuration.devices = configuration.devices.filter { $0.alias == "Passkey" }
                configuration.devices[0].characteristics = [.init(characteristic: BluetoothUUID(0x2A6E))]
            }
            let devices = try await home.keep(for: .seconds(60)).devices
            #expect(devices.map(\.goodTicks) == [0])
            #expect(devices[0].lastFailure?.code == .known(.needsPairing))
        }
    }

    @Test func afterPairingItIsReadWithoutARestart() async throws {
        try await Bench.run(.virtual, .passkey) { bench, world in
            let home = Household(bench, world) { configuration in
                configuration.devices = configuration.devices.filter { $0.alias == "Passkey" }
            }
            let address = world.scenario.peripherals[0].address
            _ = try await home.keep(for: .seconds(200)) { try await Self.pair(address, bench, after: 65) }
            #expect(home.moments(of: "Passkey", 0x2A6E).count >= 3)
            #expect(home.failures.filter { $0.code == .known(.needsPairing) }.count == 1)
        }
    }

    private static let familiar = Scenario(
        "familiar", "a sensor that BlueZ remembers",
        peripherals: [
            .environmentalSensor("Familiar", address: Scenario.numbered(1, group: 9), temperature: 100...150).known(
                .known)
        ])

    /// BlueZ connects no blocked device. The poller reports that, and doesn't try.
    @Test func neverConnectsABlockedDevice() async throws {
        let home = try await Bench.run(.virtual, Self.familiar) { bench, world in
            let home = Household(bench, world) { $0.devices[0].mode = .release }
            _ = try await home.keep(for: .seconds(600)) {
                try await bench.loop.sleep(until: bench.loop.now + .seconds(75))
                world.block("Familiar", isBlocked: true)
                try await bench.loop.sleep(until: bench.loop.now + .seconds(300))
                world.block("Familiar", isBlocked: false)
            }
            return home
        }
        #expect(home.failures.contains { $0.message.contains("blocked") })
        #expect(home.failures.allSatisfy { $0.code == .known(.needsUser) })
        let moments = home.moments(of: "Familiar", 0x2A6E)
        #expect(!moments.contains { $0 > 80 && $0 < 375 })
        #expect(moments.contains { $0 > 375 && $0 < 410 })
    }

    /// Another program's agent comes first. BlueZ calls blekeep's only without another one.
    @Test func anotherProgramsAgentComesFirst() async throws {
        try await Bench.run(.virtual, .passkey) { bench, world in
            let home = Household(bench, world) { configuration in
                configuration.devices = configuration.devices.filter { $0.alias == "Simple" }
            }
            let desktop = try await bench.connect()
            let agent = ExportedInterface(Agent1.self)
            agent.handle(Agent1.requestAuthorization) { $0.reply() }
            desktop.export(ExportedObject("/desktop", [agent]))
            _ = try await desktop.object(Bluez.service, at: Bluez.root).call(
                AgentManager1.registerAgent, "/desktop", "KeyboardDisplay", within: .seconds(1))
            _ = try await home.keep(for: .seconds(100))
            #expect(home.moments(of: "Simple", 0x2A6E).count >= 3)
            #expect(home.failures.isEmpty)
        }
    }

    // MARK: Security of a point

    @Test(arguments: [(PointSecurity.none, 3), (.encrypted, 1), (.authenticated, 1)])
    func readsNoEncryptedCharacteristicBeforePairing(security: PointSecurity, failures: Int) async throws {
        try await Bench.run(.virtual, .passkey) { bench, world in
            let home = Household(bench, world) { configuration in
                var point = CharacteristicConfiguration(characteristic: BluetoothUUID(0x2A6E))
                point.security = security
                configuration.devices = configuration.devices.filter { $0.alias == "Passkey" }
                configuration.devices[0].characteristics = [
                    point, CharacteristicConfiguration(characteristic: BluetoothUUID(0x2A19)),
                ]
            }
            // Longer than two pauses of a characteristic that needs pairing.
            _ = try await home.keep(for: .seconds(1900))
            #expect(home.failures.map(\.code) == Array(repeating: .known(.needsPairing), count: failures))
            #expect(home.moments(of: "Passkey", 0x2A19).count >= 60)
        }
    }

    @Test func readsAnEncryptedCharacteristicAfterPairing() async throws {
        try await Bench.run(.virtual, .passkey) { bench, world in
            let home = Household(bench, world) { configuration in
                var point = CharacteristicConfiguration(characteristic: BluetoothUUID(0x2A6E))
                point.security = .encrypted
                configuration.devices = configuration.devices.filter { $0.alias == "Passkey" }
                configuration.devices[0].characteristics = [point]
            }
            let address = world.scenario.peripherals[0].address
            _ = try await home.keep(for: .seconds(300)) { try await Self.pair(address, bench, after: 65) }
            #expect(home.failures.count == 1)
            #expect(home.moments(of: "Passkey", 0x2A6E).count >= 5)
        }
    }

    private static func pair(_ address: BluetoothAddress, _ bench: Bench, after seconds: Int) async throws {
        try await bench.loop.sleep(until: .start + .seconds(seconds))
        let central = try await Central.open(nil, on: bench.loop) { () async throws(BusError) in
            try await bench.connect()
        }
        try await central.peripheral(address).pair(PairingOptions(secret: PairingSecret("123456"))) { _, _ in }
        central.close()
    }

    // MARK: Lost keys

    private func forgetful(_ acquaintance: SimulatedPeripheral.Acquaintance) -> Scenario {
        let peripheral = SimulatedPeripheral.environmentalSensor(
            "Forgetful", address: Scenario.house.peripherals[0].address, temperature: 2000...2100
        ).known(acquaintance)
        var timing = BluezTiming()
        timing.bondLost = .milliseconds(100)
        return Scenario("forgetful", "one that loses its keys", peripherals: [peripheral], timing: timing)
    }

    @Test func reportsALostBondOnceAndRetriesAfter15Minutes() async throws {
        try await Bench.run(.virtual, forgetful(.bonded)) { bench, world in
            world.loseBond("Forgetful")
            let home = Household(bench, world)
            let report = try await home.keep(for: .seconds(600))
            #expect(report.devices[0].goodTicks == 0)
            #expect(home.failures.contains { $0.code == .known(.lostKeys) })
            #expect(report.devices[0].lastFailure?.code == .known(.lostKeys))
            #expect(world.peripherals[0].connections == 3)
        }
    }

    /// Connections that end at once, without keys: the device is at fault, and pairing wouldn't help.
    @Test func withoutABondTheSameIsNoLostBond() async throws {
        let scenario = forgetful(.known)
        let hasty = Scenario(
            "hasty", "one that drops",
            peripherals: [scenario.peripherals[0].behaving { $0.dropsAfter = .milliseconds(100) }])
        try await Bench.run(.virtual, hasty) { bench, world in
            let home = Household(bench, world)
            let report = try await home.keep(for: .seconds(600))
            #expect(report.devices[0].goodTicks == 0)
            #expect(home.failures.allSatisfy { $0.code.known?.needsUserAction != true })
            #expect(world.peripherals[0].connections > 6)
        }
    }

    /// A bonded device with lasting connections didn't lose its keys, however often they end.
    @Test func linksThatLastAreGood() async throws {
        let scenario = forgetful(.bonded)
        let restless = Scenario(
            "restless", "one that drops",
            peripherals: [scenario.peripherals[0].behaving { $0.dropsAfter = .seconds(3) }])
        try await Bench.run(.virtual, restless) { bench, world in
            let home = Household(bench, world)
            let report = try await home.keep(for: .seconds(600))
            #expect(home.failures.allSatisfy { $0.code.known?.needsUserAction != true })
            #expect(report.devices[0].goodTicks > 15)
        }
    }

    /// With some kernels, this crashes bluetoothd. Such a device would stop the polling of all others.
    @Test func stopsConnectingADeviceThatCrashesBluetoothd() async throws {
        try await Bench.run(.virtual, forgetful(.bonded)) { bench, world in
            let home = Household(bench, world)
            let report = try await home.keep(for: .seconds(600)) {
                for death in 1...20 {
                    while world.peripherals[0].connections < death {
                        try await bench.loop.sleep(until: bench.loop.now + .milliseconds(50))
                        if bench.loop.now > .start + .seconds(590) { return }
                    }
                    world.restartBluez(after: .seconds(1))
                }
            }
            #expect(world.peripherals[0].connections == 3)
            #expect(report.devices[0].lastFailure?.code == .known(.crashesBluez))
        }
    }

    @Test func aNewPairingEndsIt() async throws {
        try await Bench.run(.virtual, forgetful(.bonded)) { bench, world in
            world.loseBond("Forgetful")
            let home = Household(bench, world)
            let address = world.scenario.peripherals[0].address
            let report = try await home.keep(for: .seconds(400)) {
                try await bench.loop.sleep(until: .start + .seconds(95))
                let central = try await Central.open(nil, on: bench.loop) { () async throws(BusError) in
                    try await bench.connect()
                }
                _ = try await central.peripheral(address).forget()
                try await bench.loop.sleep(until: .start + .seconds(100))
                try await central.peripheral(address).pair(PairingOptions()) { _, _ in }
                central.close()
            }
            #expect(report.devices[0].goodTicks >= 8)
            #expect(report.devices[0].lastFailure == nil)
        }
    }

    // MARK: Private addresses

    /// Its address changes every 15 minutes. While it is bonded, BlueZ shows it under its identity address.
    @Test(arguments: [false, true])
    func aBondedDeviceIsFollowedByItsIdentity(restarts: Bool) async throws {
        let shy = Scenario(
            "shy", "one with private addresses",
            peripherals: [
                SimulatedPeripheral.batteryOnly("Shy", address: Scenario.house.peripherals[0].address, battery: 50)
                    .known(.none).hiding(every: .seconds(900))
            ])
        try await Bench.run(.virtual, shy) { bench, world in
            let identity = world.scenario.peripherals[0].address
            let first = world.peripherals[0].address(at: bench.loop.now)
            #expect(first != identity && first.looksResolvable)
            let central = try await Central.open(nil, on: bench.loop) { () async throws(BusError) in
                try await bench.connect()
            }
            try await central.peripheral(first).pair(PairingOptions()) { _, _ in }
            // The commands know it by that address, too.
            let bytes = try await central.peripheral(identity).withLink { try await $0.read(BluetoothUUID(0x2A19)) }
            #expect(bytes == [50])
            central.close()
            let home = Household(bench, world)
            let report = try await home.keep(for: .seconds(4000)) {
                guard restarts else { return }
                try await bench.loop.sleep(until: .start + .seconds(2000))
                world.restartBluez(after: .seconds(2))
            }
            #expect(report.devices[0].goodTicks >= 130)
            #expect(report.devices[0].failedTicks <= 1, "\(home.failures)")
        }
    }
}
