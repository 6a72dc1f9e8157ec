import Blekeep
import BlekeepSimulation
import BusBench
import DBus
import RunLoop
import Testing

/// The whole poller on a machine with a battery that may sleep, in virtual time.
@Suite struct PowerTests {
    @Test func ticksSlowDownWithTheBatteryAndComeBackAfterAMinute() async throws {
        let machine = try await Laptop.run(for: .seconds(4000)) { machine in
            try await machine.at(65)
            machine.power.set(.battery(42))
            try await machine.at(250)
            machine.power.set(.battery(14))
            try await machine.at(1000)
            machine.power.set(.battery(3))
            try await machine.at(3000)
            machine.power.set(.mains(80))
        }
        let ticks = machine.ticks
        #expect(ticks.filter { $0 < 1000 } == [0, 30, 60, 120, 180, 240, 540, 840])
        // A tick every 15 minutes. A minute after mains power returned, one tick at once, and then one per interval.
        #expect(Array(ticks.filter { 1000..<3150 ~= $0 }.prefix(4)) == [1740, 2640, 3060, 3090])
    }

    /// The kernel is queried once a minute, while ticks are 15 minutes apart.
    @Test func keepsPollingOnACriticalBatteryWithoutUPower() async throws {
        let home = try await Bench.run(.virtual, .house) { bench, world in
            let home = Household(bench, world) { $0.devices = Array($0.devices.prefix(1)) }
            home.supply = SupplyFacts(state: .battery, percentage: 4)
            _ = try await home.keep(for: .seconds(4000))
            return home
        }
        #expect(home.moments(of: "Living Room", 0x2A6E).map { Int($0) / 60 } == [0, 15, 30, 45, 60])
    }

    /// A bluetoothd that replies again is queried again, as after a sleep. The battery wasn't in doubt.
    @Test func theBatteryIsBelievedWhenBluetoothdAnswersAgain() async throws {
        _ = try await Laptop.run(for: .seconds(400)) { machine in
            let (poller, loop) = (try #require(machine.home.poller), machine.home.bench.loop)
            try await machine.at(40)
            machine.home.world.hangBluez(true)
            try await machine.at(200)
            machine.home.world.hangBluez(false)
            while loop.now.sinceStart < .seconds(300), (machine.reads.last ?? 0) < 200 {
                try await loop.sleep(until: loop.now + .milliseconds(100))
            }
            #expect(machine.reads.last.map { 200..<300 ~= $0 } == true)
            machine.power.set(.battery(14))
            try await loop.sleep(until: loop.now + .seconds(1))
            #expect(poller.powerMode == .low)
        }
    }

    @Test func aProfileOrAPausePerDevice() async throws {
        let machine = try await Laptop.run(
            for: .seconds(1300),
            change: { $0.devices[1].powerIntervals = .init(low: .pause) }
        ) { machine in
            try await machine.at(35)
            machine.power.set(profile: "power-saver")
        }
        #expect(machine.ticks == [0, 30, 330, 630, 930, 1230])
        #expect(machine.home.moments(of: "Freezer", 0x2A6E).count == 2)
    }

    @Test func aNightInLowModeReadsATenthAndStoresAllReadings() async throws {
        let machine = try await Laptop.run(for: .seconds(8 * 3600)) { machine in
            try await machine.at(1)
            machine.power.set(.battery(15))
        }
        #expect(machine.reads.count <= 8 * 120 / 4)
        #expect(machine.reads.count == 96)
    }

    @Test(arguments: [1, 60, 3600, 30 * 86_400])
    func aSleepIsLetThroughAtOnceAndFollowedByOneTick(_ seconds: Int) async throws {
        let machine = try await Laptop.run(for: .seconds(200 + seconds)) { machine in
            try await machine.at(40)
            #expect(machine.login.held == 2)
            try await machine.login.suspend(for: .seconds(seconds))
            try await machine.home.bench.loop.sleep(until: machine.home.bench.loop.now + .seconds(9))
            #expect(machine.login.held == 2)
            #expect(machine.reads.count == 3)
        }
        let delay = try #require(machine.login.delays.first)
        #expect(!delay.isOverrun)
        #expect(delay.waited <= .seconds(1))
        #expect(machine.home.failures == [])
        // The grid goes on from the tick after the sleep: no burst, no gap.
        let after = machine.reads.dropFirst(2)
        for (tick, next) in zip(after, after.dropFirst()) { #expect(25...31 ~= next - tick) }
    }

    @Test func sleepsAtAnyTimeNeverOverrunAndNeverStopTheTicks() async throws {
        for limit in [Duration.seconds(1), .seconds(5)] {
            let machine = try await Laptop.run(for: .seconds(3000), limit: limit, interval: .seconds(5)) { machine in
                let loop = machine.home.bench.loop
                for step in 0..<60 {
                    try await loop.sleep(until: loop.now + .milliseconds(3000 + 137 * step))
                    try await machine.login.suspend(for: .milliseconds(1500 + 400 * step))
                }
            }
            #expect(machine.login.delays.count == 60)
            #expect(machine.login.delays.allSatisfy { !$0.isOverrun && $0.waited <= .seconds(1) })
            #expect(machine.reads.last.map { $0 > 2900 } == true)
            #expect(machine.home.failures == [])
        }
    }

    @Test func anUnannouncedSleepIsNoticed() async throws {
        let machine = try await Laptop.run(for: .seconds(900)) { machine in
            try await machine.at(40)
            machine.home.bench.loop.sleepMachine(for: .seconds(600))
        }
        #expect(machine.home.failures == [])
        #expect(machine.reads.filter { 640..<652 ~= $0 }.count == 1)
    }

    @Test func trueWithoutFalseDoesNotStopTheTicksForEver() async throws {
        let machine = try await Laptop.run(for: .seconds(400)) { machine in
            try await machine.at(40)
            machine.login.tell(Login1Manager.prepareForSleep.name, isBegin: true)
        }
        #expect(machine.reads.filter { 41..<50 ~= $0 } == [])
        #expect(machine.reads.contains { 50..<62 ~= $0 })
    }

    @Test func ignoresPowerServicesThatCrashOrReportNonsense() async throws {
        let machine = try await Laptop.run(for: .seconds(1000)) { machine in
            try await machine.at(10)
            machine.power.set(.battery(50))
            try await machine.at(100)
            machine.power.stop()
            try await machine.at(102)
            try await machine.power.start()
            machine.login.stop()
            machine.power.changed(UPower.path, interface: UPower.name, properties: ["OnBattery": Variant("perhaps")])
            machine.power.changed(
                UPowerDevice.path, interface: UPowerDevice.name, properties: ["Percentage": Variant(Double.nan)])
            try await machine.at(103)
            try await machine.login.start()
            try await machine.at(110)
            machine.power.set(.battery(50))
            #expect(machine.login.held == 2)
        }
        #expect(machine.reads == [0] + stride(from: 60, to: 1000, by: 60))
    }

    @Test func onTheLastOfABatteryItSearchesWithinATickAndNotForLong() async throws {
        // Nothing is known to BlueZ: it has to be searched for.
        nonisolated(unsafe) var searching: [Double] = []
        let laptop = try await Laptop.run(for: .seconds(4000), scenario: .fresh) { laptop in
            let loop = laptop.home.bench.loop
            laptop.power.set(.battery(3))
            laptop.home.world.hide("Front Door")
            let adapter = try await laptop.home.bench.connect().object(Bluez.service, at: "/org/bluez/hci0")
            while loop.now < .start + .seconds(3990) {
                try await loop.sleep(until: loop.now + .milliseconds(250))
                guard try await adapter.get(Adapter1.discovering, within: .seconds(1)) else { continue }
                searching.append(loop.now.sinceStart / .seconds(1))
            }
        }
        #expect(laptop.reads.count >= 4)
        // The first tick also finds the other devices. Later, each tick, every 15 minutes, searches for a few seconds.
        let later = searching.filter { $0 > 100 }
        #expect(!later.isEmpty)
        #expect(Double(later.count) * 0.25 <= 4 * 8)
        #expect(later.allSatisfy { $0.truncatingRemainder(dividingBy: 900) < 60 }, "\(later)")
    }

    /// blekeep waits 2 s for configured characteristics that a device lacks. That must not delay a sleep.
    @Test func aSleepDoesNotWaitForObjectsThatAreMissing() async throws {
        let laptop = try await Laptop.run(for: .seconds(30)) { configuration in
            for index in configuration.devices.indices {
                configuration.devices[index].characteristics = [
                    CharacteristicConfiguration(characteristic: BluetoothUUID(0x2AFF))
                ]
            }
        } _: { laptop in
            try await laptop.at(1.5)
            laptop.login.beginSuspend(for: .seconds(5)) {}
        }
        #expect(laptop.login.delays.count == 1)
        #expect(laptop.login.delays.allSatisfy { $0.held <= .milliseconds(500) })
    }

    /// A bug: if the bus stopped within a minute after mains power returned, blekeep kept the stricter mode until the
    /// bus was back.
    @Test func aBetterModeComesAlsoWhileThereIsNoBus() async throws {
        let modes = try await Bench.run(.virtual) { bench in
            let power = SimulatedPower(.battery(50)) { () async throws(BusError) in try await bench.connect() }
            try await power.start()
            nonisolated(unsafe) var modes: [PowerMode] = []
            let monitor = PowerMonitor(on: bench.loop, supply: { SupplyFacts(state: .unknown) }) {
                modes.append($0.mode)
            }
            let bus = try await bench.connect()
            await withTaskGroup(of: Void.self) { group in
                group.addTask { await monitor.run(on: bus) }
                try? await bench.loop.sleep(until: .start + .seconds(10))
                power.set(.mains(50))
                try? await bench.loop.sleep(until: .start + .seconds(20))
                monitor.stop()
                bus.close()
            }
            try await bench.loop.sleep(until: .start + .seconds(75))
            monitor.end()
            return modes
        }
        #expect(modes.first == .battery)
        #expect(modes.last == .normal)
    }

    @Test func theFirstLineAboutABatteryContainsItsLevel() async throws {
        let reasons = try await Bench.run(.virtual) { bench in
            let power = SimulatedPower(.battery(50)) { () async throws(BusError) in try await bench.connect() }
            try await power.start()
            nonisolated(unsafe) var reasons: [String] = []
            let monitor = PowerMonitor(on: bench.loop, supply: { SupplyFacts(state: .unknown) }) {
                reasons.append($0.reason)
            }
            let bus = try await bench.connect()
            await withTaskGroup(of: Void.self) { group in
                group.addTask { await monitor.run(on: bus) }
                try? await bench.loop.sleep(until: bench.loop.now + .seconds(10))
                monitor.stop()
                bus.close()
            }
            return reasons
        }
        #expect(reasons == ["on battery 50 %"])
    }
}
