import Blekeep
import BlekeepSimulation
import BusBench
import DBus
import RunLoop
import Testing

/// Repairs of a stuck adapter and of bluetoothd, and their times.
@Suite struct RecoveryTests {
    private static let all: Set<RecoveryStep> = [.powerCycle, .restartBluetooth]

    /// A house whose adapter is stuck from second 100 on.
    private func run(
        _ cure: Cure, allowing steps: Set<RecoveryStep>, for seconds: Double = 3600,
        _ script: @escaping @Sendable (Workshop) async throws -> Void = { _ in }
    ) async throws -> Workshop {
        try await Bench.run(.virtual, .house) { bench, world in
            let workshop = try await Workshop(bench, world, allowing: steps)
            try await workshop.keep(for: seconds) { workshop in
                try await workshop.at(100)
                world.wedge(until: cure)
                try await script(workshop)
            }
            return workshop
        }
    }

    @Test func repairsNothingByDefaultAndAdvisesOnce() async throws {
        let workshop = try await run(.powerCycle, allowing: [])
        #expect(workshop.deeds == [])
        #expect(workshop.systemd.requests == 0)
        #expect(workshop.told == ["rest", "replug"])
        #expect(workshop.words("replug")?.contains("power_cycle and restart_bluetooth under 'recovery:'") == true)
        #expect(workshop.log.filter { $0.contains("may be stuck") }.count == 1)
        #expect(workshop.store.poller?.adapters == [.init(name: "hci0", isOn: true, trouble: .stuck)])
        #expect(workshop.moments("Freezer").allSatisfy { $0 < 101 })
    }

    @Test func aRadioThatOffAndOnHelpsIsWellAgain() async throws {
        let workshop = try await run(.powerCycle, allowing: Self.all)
        #expect(workshop.deeds == ["Powered off", "Powered on"])
        #expect(workshop.acts[1].at - workshop.acts[0].at >= 2)
        // Nothing is done on less evidence than ten failures of three devices.
        #expect(workshop.acts[0].at > 130 && workshop.acts[0].at < 460)
        #expect(workshop.systemd.requests == 0)
        #expect(workshop.told == ["rest", "power_cycle", "recovered"])
        #expect(workshop.words("recovered") == "hci0 works again, after it was turned off and on")
        for name in ["Living Room", "Freezer", "Probe", "Front Door"] {
            let first = workshop.moments(name).first { $0 > 101 } ?? .infinity
            #expect(first < workshop.acts[1].at + 60, "\(name) at \(first)")
        }
        #expect(workshop.store.poller?.adapters == [.init(name: "hci0", isOn: true)])
    }

    @Test func aRadioThatOnlyAnotherBluetoothdHelpsIsWellAgain() async throws {
        let workshop = try await run(.restart, allowing: Self.all)
        #expect(workshop.deeds == ["Powered off", "Powered on", "restart"])
        #expect(workshop.acts[2].at >= workshop.acts[1].at + 30)
        #expect(workshop.systemd.restarts.count == 1)
        #expect(workshop.told == ["rest", "power_cycle", "restart", "recovered"])
        #expect(workshop.moments("Freezer").contains { $0 > workshop.acts[2].at && $0 < workshop.acts[2].at + 60 })
    }

    @Test func stepsThatAreNotAllowedAreLeftOut() async throws {
        let workshop = try await run(.restart, allowing: [.restartBluetooth])
        #expect(workshop.deeds == ["restart"])
        #expect(workshop.told == ["rest", "restart", "recovered"])
    }

    @Test func reportsAnIncurableAdapterOnceAndRetriesMuchLater() async throws {
        let workshop = try await run(.replug, allowing: Self.all, for: 9 * 3600) { workshop in
            try await workshop.at(8.9 * 3600)
            workshop.world.unplug()
            workshop.world.plug()
        }
        #expect(workshop.deeds == ["Powered off", "Powered on", "restart", "Powered off", "Powered on", "restart"])
        #expect(workshop.acts[3].at - workshop.acts[0].at > 8 * 3600)
        #expect(workshop.log.filter { $0.contains("may be stuck") }.count <= 2)
        #expect(workshop.moments("Freezer").contains { $0 > 8.9 * 3600 })
    }

    /// An adapter that is stuck repeatedly, and works for a while in between.
    @Test func isSwitchedOffEveryTenMinutesAtMost() async throws {
        let workshop = try await run(.powerCycle, allowing: Self.all, for: 3 * 3600) { workshop in
            for round in 1...60 {
                try await workshop.at(100 + Double(round) * 120)
                workshop.world.wedge(until: .powerCycle)
            }
        }
        let offs = workshop.acts.filter { $0.what == "Powered off" }.map(\.at)
        #expect(offs.count > 5)
        for (earlier, later) in zip(offs, offs.dropFirst()) { #expect(later - earlier > 599.9) }
        let restarts = workshop.acts.filter { $0.what == "restart" }.map(\.at)
        for (earlier, later) in zip(restarts, restarts.dropFirst()) { #expect(later - earlier > 1799.9) }
    }

    // MARK: Others

    @Test(arguments: [RecoveryStep.powerCycle, .restartBluetooth])
    func nothingIsDoneWhileAnotherProgramHasALink(_ step: RecoveryStep) async throws {
        let workshop = try await Bench.run(.virtual, .house) { bench, world in
            let workshop = try await Workshop(bench, world, allowing: [step]) { configuration in
                configuration.devices.removeAll { $0.alias == "Heart Strap" }
            }
            try await workshop.keep(for: 3000) { workshop in
                let stranger = try await bench.connect()
                try await workshop.at(50)
                let strap = ObjectPath(unchecked: "/org/bluez/hci0/dev_00_1B_DC_00_00_03")
                _ = try await stranger.object(Bluez.service, at: strap).call(Device1.connect, within: .seconds(20))
                // The other program's connection stays, although all else fails.
                for name in ["Living Room", "Freezer", "Probe", "Front Door"] { world.hangConnect(name) }
                for name in ["Living Room", "Freezer", "Probe", "Front Door"] { world.drop(name) }
                try await workshop.at(1500)
                #expect(workshop.deeds == [])
                _ = try await stranger.object(Bluez.service, at: strap).call(Device1.disconnect, within: .seconds(20))
            }
            return workshop
        }
        #expect(workshop.told.contains("refused"))
        #expect(workshop.log.filter { $0.contains("because other programs have a connection") }.count == 1)
        // As soon as it is gone.
        let first = workshop.acts.first?.at ?? .infinity
        #expect(first > 1500 && first < 1500 + 330)
    }

    /// Another program's connection to a configured device.
    @Test func countsExternalConnectionsToConfiguredDevices() async throws {
        let workshop = try await Bench.run(.virtual, .house) { bench, world in
            let strap = ObjectPath(unchecked: "/org/bluez/hci0/dev_00_1B_DC_00_00_03")
            let stranger = try await bench.connect()
            _ = try await stranger.object(Bluez.service, at: strap).call(Device1.connect, within: .seconds(20))
            world.error("Heart Strap", code: 0x0E)
            for name in ["Living Room", "Freezer", "Probe", "Front Door"] { world.hangConnect(name) }
            let workshop = try await Workshop(bench, world, allowing: Self.all) { configuration in
                configuration.devices.removeAll { $0.alias == "Probe" }
                for (place, device) in configuration.devices.enumerated() where device.alias == "Heart Strap" {
                    configuration.devices[place].characteristics = [.init(characteristic: BluetoothUUID(0x2A19))]
                }
            }
            try await workshop.keep(for: 900)
            return workshop
        }
        #expect(workshop.deeds == [])
        #expect(workshop.told == ["rest", "refused"])
    }

    /// A notified value proves that the adapter works, even if all else fails.
    @Test func aRadioThroughWhichNotificationsComeIsNotStuck() async throws {
        let workshop = try await Bench.run(.virtual, .house) { bench, world in
            let workshop = try await Workshop(bench, world, allowing: Self.all) { configuration in
                for (place, device) in configuration.devices.enumerated() where device.alias == "Heart Strap" {
                    configuration.devices[place].characteristics = [
                        CharacteristicConfiguration(characteristic: BluetoothUUID(0x2A37), notify: true)
                    ]
                }
            }
            try await workshop.keep(for: 1800) { workshop in
                try await workshop.at(100)
                for name in ["Living Room", "Freezer", "Probe", "Front Door"] { world.hangConnect(name) }
                for name in ["Living Room", "Freezer", "Probe", "Front Door"] { world.drop(name) }
            }
            return workshop
        }
        #expect(workshop.moments("Heart Strap").contains { $0 > 1700 })
        #expect(workshop.deeds == [])
        #expect(!workshop.told.contains("replug"))
    }

    // MARK: Above

    /// bluetoothd repeatedly stops, which only looks like a stuck adapter.
    @Test func aBluetoothdOutageIsNotTheAdaptersFault() async throws {
        let workshop = try await Bench.run(.virtual, .house) { bench, world in
            let workshop = try await Workshop(bench, world, allowing: Self.all)
            try await workshop.keep(for: 1200) { workshop in
                for round in 0..<100 {
                    try await workshop.at(30 + Double(round) * 10)
                    world.restartBluez(after: .seconds(4))
                }
            }
            return workshop
        }
        #expect(workshop.deeds == [])
    }

    @Test func anAdapterThatTheUserTurnedOffStaysOff() async throws {
        let workshop = try await Bench.run(.virtual, .house) { bench, world in
            let workshop = try await Workshop(bench, world, allowing: Self.all)
            try await workshop.keep(for: 1200) { workshop in
                try await workshop.at(100)
                world.power(on: false)
            }
            return workshop
        }
        #expect(workshop.deeds == [])
        #expect(workshop.told == [])
    }

    /// Failures of a device that is out of range don't show that the adapter is stuck.
    @Test func aDeviceThatIsGoneIsNotTheRadiosFault() async throws {
        let workshop = try await Bench.run(.virtual, .house) { bench, world in
            world.hide("Freezer")
            world.hangConnect("Probe")
            let workshop = try await Workshop(bench, world, allowing: Self.all)
            try await workshop.keep(for: 1800)
            return workshop
        }
        #expect(workshop.deeds == [])
        #expect(workshop.told == [])
    }

    // MARK: systemd and bluetoothd

    @Test func reportsARefusedRestartOnceAndRetriesAfterADay() async throws {
        let workshop = try await Bench.run(.virtual, .house) { bench, world in
            let workshop = try await Workshop(
                bench, world, allowing: [.restartBluetooth], interval: .seconds(600)
            ) { configuration in
                configuration.devices.removeAll { $0.alias == "Heart Strap" }
            }
            workshop.systemd.isPermissive = false
            try await workshop.keep(for: 27 * 3600) { workshop in
                for hour in [0, 2, 25] {
                    try await workshop.at(100 + Double(hour) * 3600)
                    world.wedge(until: .replug)
                    try await workshop.at(4000 + Double(hour) * 3600)
                    world.unplug()
                    world.plug()
                }
            }
            return workshop
        }
        #expect(workshop.systemd.requests == 2)
        #expect(workshop.acts[1].at - workshop.acts[0].at > 86_399)
        #expect(workshop.log.filter { $0.contains("polkit") }.count == 2)
        #expect(workshop.told.contains("replug"))
    }

    @Test(arguments: [false, true])
    func aBluetoothdThatHangsIsRestartedWhereThatIsAllowed(isAllowed: Bool) async throws {
        let workshop = try await Bench.run(.virtual, .house) { bench, world in
            let workshop = try await Workshop(bench, world, allowing: isAllowed ? [.restartBluetooth] : [])
            try await workshop.keep(for: 1000) { workshop in
                try await workshop.at(100)
                world.hangBluez(true)
            }
            return workshop
        }
        #expect(workshop.deeds == (isAllowed ? ["restart"] : []))
        guard isAllowed else { return }
        #expect(workshop.acts[0].at > 400 && workshop.acts[0].at < 600)
        #expect(workshop.moments("Freezer").contains { $0 > workshop.acts[0].at && $0 < workshop.acts[0].at + 30 })
    }
}
