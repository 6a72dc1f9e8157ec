import Blekeep
import BlekeepSimulation
import BusBench
import DBus
import Logging
import RunLoop
import Testing

/// The whole poller against the simulated world, in virtual time.
@Suite struct PollerTests {
    private func run(
        _ scenario: Scenario, interval: Duration = .seconds(30), count: Int? = nil, for length: Duration,
        change: @escaping @Sendable (inout PollConfiguration) -> Void = { _ in },
        script: @escaping @Sendable (Household) async throws -> Void = { _ in }
    ) async throws -> (home: Household, report: PollerReport) {
        try await Bench.run(.virtual, scenario) { bench, world in
            let home = Household(bench, world, interval: interval, count: count, change: change)
            let report = try await home.keep(for: length) { try await script(home) }
            return (home, report)
        }
    }

    @Test func aHouseIsReadTickByTick() async throws {
        let (home, report) = try await run(.house, for: .seconds(100))
        #expect(report.devices.map(\.goodTicks) == [4, 4, 4, 4, 4])
        #expect(home.failures == [])
        // Ticks keep to the grid: readings come just after 0, 30, 60 and 90 s.
        let temperatures = home.moments(of: "Living Room", 0x2A6E)
        #expect(temperatures.count == 4)
        for (tick, moment) in temperatures.enumerated().dropFirst() {
            #expect(moment >= Double(tick) * 30 && moment < Double(tick) * 30 + 0.5)
        }
        // Constant values are read once.
        #expect(home.moments(of: "Living Room", 0x2A29).count == 1)
        #expect(home.store.durableAppends >= 4)
    }

    /// The bus replies only after the poller was stopped.
    @Test func stopsWhileItConnects() async throws {
        let (isClosed, length) = try await Bench.run(.virtual, .house) { bench, _ in
            let asked = Gate(bench.loop)
            let made = Made()
            let poller = Poller(
                PollConfiguration(devices: []), on: bench.loop, store: MemoryStore(), sinks: [],
                log: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
            ) { () async throws(BusError) in
                asked.open()
                try? await bench.loop.sleep(until: .start + .seconds(4))
                let bus = try await bench.connect()
                made.bus = bus
                return bus
            }
            async let report = poller.run()
            await asked.wait()
            poller.stop()
            _ = await report
            let length = bench.loop.now.sinceStart
            do throws(BusError) {
                _ = try await made.bus?.daemon.call(BusDaemon.getNameOwner, "a.b", within: .seconds(1))
                return (false, length)
            } catch { return (error == .disconnected, length) }
        }
        #expect(isClosed)
        #expect(length < .seconds(5))
    }

    private final class Made: @unchecked Sendable {
        var bus: (any Bus)?
    }

    @Test func heartbeatsArriveByNotification() async throws {
        let (home, _) = try await run(.house, for: .seconds(60))
        #expect(home.moments(of: "Heart Strap", 0x2A37).count > 100)
    }

    /// Earlier, blekeep disconnected before the device could send a value.
    @Test func heartbeatsArriveThoughTheLinkIsNotHeld() async throws {
        let (home, report) = try await run(.house, for: .seconds(100)) { configuration in
            for index in configuration.devices.indices { configuration.devices[index].mode = .release }
            for index in configuration.devices.indices where configuration.devices[index].alias == "Heart Strap" {
                configuration.devices[index].characteristics = [
                    CharacteristicConfiguration(characteristic: BluetoothUUID(0x2A37))
                ]
            }
        }
        let ticks = Set(home.moments(of: "Heart Strap", 0x2A37).map { Int($0 / 30) })
        #expect(ticks == [0, 1, 2, 3])
        #expect(report.devices.allSatisfy { $0.goodTicks == 4 && $0.failedTicks == 0 })
    }

    /// Notified values count like read ones, so the tick is good.
    @Test func aDeviceThatOnlyNotifiesIsRead() async throws {
        let (_, report) = try await run(.house, for: .seconds(100)) { configuration in
            configuration.devices.removeAll { $0.alias != "Heart Strap" }
            configuration.devices[0].characteristics = [
                CharacteristicConfiguration(characteristic: BluetoothUUID(0x2A37), notify: true)
            ]
        }
        #expect(report.devices.map(\.failedTicks) == [0])
    }

    @Test func aFreezerIsBelowZeroAndAVendorExplainsItself() async throws {
        let (home, _) = try await run(.house, count: 1, for: .seconds(60))
        let values = home.store.readings.map(\.reading)
        let freezer = values.first { $0.device == "Freezer" && $0.characteristic == BluetoothUUID(0x2A6E) }
        guard case .value(let cold, let raw)? = freezer?.outcome, case .number(let degrees)? = cold.value else {
            Issue.record("no temperature of the freezer")
            return
        }
        #expect(degrees < -15 && degrees > -20)
        #expect(raw.count == 2)
        let probe = values.first { $0.device == "Probe" && $0.service?.short == nil && $0.service != nil }
        guard case .value(let told, _)? = probe?.outcome else {
            Issue.record("no value of the probe")
            return
        }
        #expect(told.unit == "°C")
    }

    @Test func aNewHouseIsDiscovered() async throws {
        let (home, report) = try await run(.fresh, count: 2, for: .seconds(90))
        #expect(report.devices.map(\.goodTicks) == [2, 2, 2, 2, 2])
        #expect(home.failures == [])
    }

    @Test(arguments: [5, 7]) func twentySensorsShareFewLinks(slots: Int) async throws {
        let (home, report) = try await run(
            .many, interval: .seconds(60), count: 3, for: .seconds(240), change: { $0.maxLinks = slots })
        #expect(report.devices.allSatisfy { $0.goodTicks == 3 && $0.failedTicks == 0 })
        #expect(home.failures == [])
    }

    @Test func bluetoothdMayDieAtAnyTime() async throws {
        let (home, report) = try await run(
            .house, interval: .seconds(5), for: .seconds(600),
            script: { home in
                let loop = home.bench.loop
                for (moment, pause) in [(61.3, 0.1), (150.02, 3), (290.4, 40)] {
                    try await loop.sleep(until: .start + .milliseconds(Int(moment * 1000)))
                    home.world.restartBluez(after: .milliseconds(Int(pause * 1000)))
                }
            })
        // The poller reconnects within seconds of its return, and misses no later tick.
        for (back, device) in [(61.4, "Living Room"), (153.02, "Freezer"), (330.4, "Front Door")] {
            let after = home.moments(of: device).first { $0 > back }
            #expect(after ?? .infinity < back + 5 + 5)
        }
        #expect(report.devices.allSatisfy { $0.goodTicks >= 105 })
    }

    @Test func anAdapterMayBeSwitchedOff() async throws {
        let (home, report) = try await run(
            .house, for: .seconds(300),
            script: { home in
                let loop = home.bench.loop
                try await loop.sleep(until: .start + .seconds(70))
                home.world.power(on: false)
                try await loop.sleep(until: .start + .seconds(130))
                home.world.power(on: true)
            })
        let after = home.moments(of: "Living Room").first { $0 > 130 }
        #expect(after ?? .infinity < 135 + 5)
        #expect(report.devices.allSatisfy { $0.goodTicks >= 8 })
    }

    @Test func aMuteDeviceDelaysNoOther() async throws {
        let (home, _) = try await run(
            .house, for: .seconds(200),
            script: { home in
                try await home.bench.loop.sleep(until: .start + .seconds(40))
                home.world.mute("Freezer")
            })
        let moments = home.moments(of: "Living Room", 0x2A6E)
        #expect(moments.count == 7)
        for (tick, moment) in moments.enumerated().dropFirst() {
            #expect(moment < Double(tick) * 30 + 1)
        }
        #expect(home.failures.contains { $0.code == .known(.timeout) })
    }

    @Test func ignoresAForgedSignal() async throws {
        let (home, report) = try await run(
            .house, for: .seconds(100),
            script: { home in
                let loop = home.bench.loop
                let stranger = try await home.bench.connect()
                for moment in 1...80 {
                    try await loop.sleep(until: .start + .seconds(moment))
                    for peripheral in home.world.scenario.peripherals {
                        guard let path = ObjectPath("/org/bluez/hci0/dev_" + underscored(peripheral.address)) else {
                            continue
                        }
                        stranger.emit(
                            Signal(
                                path, interface: PropertiesInterface.name,
                                member: PropertiesInterface.propertiesChanged.name,
                                arguments: [
                                    .string("org.bluez.Device1"),
                                    ["Connected": Variant(false), "ServicesResolved": Variant(false)].value,
                                    [String]().value,
                                ]))
                    }
                }
            })
        #expect(report.devices.map { $0.goodTicks } == [4, 4, 4, 4, 4])
        #expect(home.failures == [])
    }

    @Test func eachTickOfManyHoursIsGood() async throws {
        let hours = TestLength.of(6, atNight: 24)
        let (home, report) = try await run(.fleet(devices: 5, chars: 4), for: .seconds(hours * 3600))
        #expect(report.devices.allSatisfy { $0.goodTicks == hours * 120 && $0.failedTicks == 0 })
        #expect(home.failures == [])
    }

    @Test func theSameSeedIsTheSameStory() async throws {
        func story() async throws -> [StoredReading] {
            try await run(.flaky, interval: .seconds(10), for: .seconds(300)).home.store.readings
        }
        let first = try await story()
        #expect(try await story() == first)
    }

    @Test func stoppingTakesNoTime() async throws {
        let (home, _) = try await run(.house, for: .seconds(45.2))
        #expect(home.bench.loop.now < .start + .seconds(47))
    }
}

private func underscored(_ address: BluetoothAddress) -> String {
    String(address.description.map { $0 == ":" ? "_" : $0 })
}
