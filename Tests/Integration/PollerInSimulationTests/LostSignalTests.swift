import Blekeep
import BlekeepSimulation
import BusBench
import DBus
import RunLoop
import Testing

/// A state that prevents ticks, and whose end no signal reports: it is queried within 10 s, and when a tick begins.
@Suite struct LostSignalTests {
    /// What a signal reports, and what happens afterwards without one.
    enum Lie: String, CaseIterable {
        case adapterOff, adapterGone, deviceGone, deviceBlocked, deviceConnected, deviceDisconnected, unresolved,
            bluezGone
        case anotherBluez
    }

    private static let name = "Living Room"

    @Test(arguments: Lie.allCases) func believesNoSignalForLong(_ lie: Lie) async throws {
        let (home, truth) = try await Bench.run(.virtual, .house) { bench, world in
            let home = Household(bench, world, interval: .seconds(20)) {
                $0.devices = $0.devices.filter { $0.alias == Self.name }
            }
            let end = Moment()
            _ = try await home.keep(for: .seconds(500)) {
                try await bench.loop.sleep(until: .start + .seconds(70))
                try await Self.tell(lie, bench, world)
                end.seconds = bench.loop.now.sinceStart / .seconds(1)
            }
            return (home, end.seconds)
        }
        let first = home.moments(of: Self.name, 0x2A6E).first { $0 > truth }
        // The tick after the lost signal has a value. Where only that tick's failure shows the lie, the next one has.
        let latest = truth + (lie == .deviceBlocked || lie == .anotherBluez ? 45 : 25)
        #expect(first.map { $0 <= latest } == true, "read again at \(first ?? 0), the truth was there at \(truth)")
        #expect(home.moments(of: Self.name, 0x2A6E).count { $0 > latest } >= 9)
    }

    private final class Moment: @unchecked Sendable {
        var seconds: Double = 0
    }

    private static func tell(_ lie: Lie, _ bench: Bench, _ world: World) async throws {
        func pass(_ seconds: Int) async throws { try await bench.loop.sleep(until: bench.loop.now + .seconds(seconds)) }
        switch lie {
        case .adapterOff:
            world.power(on: false)
            try await pass(15)
            world.losingSignals { world.power(on: true) }
        case .adapterGone:
            world.unplug()
            try await pass(15)
            world.losingSignals { world.plug() }
        case .deviceGone:
            world.hide(name)
            try await pass(60)
            world.loseSignals(true)
            world.show(name)
            try await pass(45)
            world.loseSignals(false)
        case .deviceBlocked:
            world.block(name, isBlocked: true)
            try await pass(15)
            world.losingSignals { world.block(name, isBlocked: false) }
        case .deviceConnected:
            // The connection comes up without a signal.
            world.loseSignals(true)
            world.drop(name)
            try await pass(1)
            world.loseSignals(false)
        case .deviceDisconnected: world.losingSignals { world.drop(name) }
        case .unresolved:
            world.holdServicesResolved(name)
            world.drop(name)
            try await pass(4)
            world.losingSignals { world.heal(name) }
        case .bluezGone:
            world.stop()
            try await pass(15)
            bench.losesOwnerChanges = true
            try await world.start()
            bench.losesOwnerChanges = false
        case .anotherBluez:
            bench.losesOwnerChanges = true
            world.stop()
            try await pass(1)
            try await world.start()
            try await pass(1)
            bench.losesOwnerChanges = false
        }
    }

    /// UPower reports a critical battery, and not that this was wrong.
    @Test func believesNoBatteryForLong() async throws {
        let machine = try await Laptop.run(for: .seconds(400)) { machine in
            try await machine.at(65)
            machine.power.changed(
                UPowerDevice.path, interface: UPowerDevice.name,
                properties: [
                    UPowerDevice.warningLevel.name.text: Variant(UInt32(4)),
                    UPowerDevice.percentage.name.text: Variant(3.0),
                ])
            machine.power.changed(
                UPower.path, interface: UPower.name, properties: [UPower.onBattery.name.text: Variant(true)])
        }
        // A better mode comes after a stable minute.
        #expect(machine.ticks.contains { 130..<160 ~= $0 })
        #expect(machine.ticks.count { $0 > 150 } >= 8)
    }

    /// A sleep and a shutdown that logind announces, and that don't come.
    @Test(arguments: [Login1Manager.prepareForSleep.name, Login1Manager.prepareForShutdown.name])
    func believesNoSleepForLong(_ signal: MemberName) async throws {
        let machine = try await Laptop.run(for: .seconds(200)) { machine in
            try await machine.at(40)
            machine.login.tell(signal, isBegin: true)
        }
        #expect(machine.reads.contains { 41..<60 ~= $0 })
    }
}
