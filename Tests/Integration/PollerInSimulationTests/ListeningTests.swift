import Blekeep
import BusBench
import RunLoop
import Testing

@testable import BlekeepSimulation

/// Devices that are listened to, in virtual time; without a pause, where nothing else is said.
@Suite struct ListeningTests {
    /// Some of the many, which a minute takes less processor time of.
    private static let house: Scenario = {
        let names: Set = ["Attic", "Balcony", "Back Door", "Cellar", "Window"]
        return Scenario(
            "house", "four sensors of different formats and a door to connect",
            peripherals: Scenario.beacons.peripherals.filter { names.contains($0.name) })
    }()

    private func run(
        in scenario: Scenario = Self.house, interval: Duration = .seconds(30), count: Int? = nil, for length: Duration,
        change: @escaping @Sendable (inout PollConfiguration) -> Void = { _ in },
        script: @escaping @Sendable (Household) async throws -> Void = { _ in }
    ) async throws -> (home: Household, report: PollerReport) {
        try await Bench.run(.virtual, scenario) { bench, world in
            let home = Household(bench, world, interval: interval, count: count) { configuration in
                configuration.scan = .active
                for (index, peripheral) in world.scenario.peripherals.enumerated() where peripheral.services.isEmpty {
                    configuration.devices[index].mode = .passive
                    configuration.devices[index].key = SensorTable.key(of: peripheral.name)
                }
                change(&configuration)
            }
            let report = try await home.keep(for: length) { try await script(home) }
            return (home, report)
        }
    }

    private static func only(_ name: String) -> @Sendable (inout PollConfiguration) -> Void {
        { $0.devices = $0.devices.filter { $0.alias == name } }
    }

    @Test func takesEachPacketOnceWithoutConnecting() async throws {
        let (home, report) = try await run(in: .beacons, for: .seconds(39))
        #expect(
            report.devices.count == Scenario.beacons.peripherals.count
                && report.devices.allSatisfy { $0.goodTicks == 2 })
        #expect(report.devices.allSatisfy { $0.failedTicks == 0 })
        #expect(home.failures == [])
        // One packet each 10 s, heard once a second.
        let numbers = home.values(of: "Attic", "measurement_sequence")
        #expect(numbers == (0...3).map { .integer($0) })
        #expect(home.values(of: "Balcony", "temperature").count == 4)
        // The key decrypts.
        #expect(home.values(of: "Boat", "battery_voltage") == [.number(13.2)])
        #expect(home.values(of: "Boat", "current") == [.number(-1.5)])
        // The sensors never change their values.
        for name in ["Cellar", "Kitchen", "GVH5075_0008", "TP357 (0009)", "sps", "Shed", "Garage"] {
            #expect(home.values(of: name, "temperature") == [.number(21.5)], "\(name)")
        }
        #expect(home.values(of: "Tank", "temperature") == [.integer(21)])
        #expect(home.values(of: "Balcony", "temperature").first == .number(-3.1))
        // Without a packet number, the bytes count.
        #expect(home.values(of: "Window", "window") == [.boolean(false)])
        #expect(home.values(of: "Beacon", "uptime").count == 1)
        #expect(home.moments(of: "Back Door", 0x2A19).count == 2)
        #expect(home.world.peripherals.prefix(4).allSatisfy { $0.link == nil })
    }

    /// The dew points are those of the WMO's formula, computed with Python.
    @Test func storesChosenFieldsCorrectedAndWhatFollowsFromThem() async throws {
        let offset = try #require(DecimalNumber("-1.5"))
        let (home, report) = try await run(
            for: .seconds(125),
            change: { configuration in
                configuration.devices = configuration.devices.filter { ["Attic", "Cellar"].contains($0.alias) }
                for index in configuration.devices.indices {
                    configuration.devices[index].fields = ["temperature", "battery"]
                    configuration.devices[index].calibration = [
                        FieldCalibration(name: "temperature", calibration: Calibration(offset: offset))
                    ]
                    configuration.devices[index].derived = [.dewPoint, .vaporPressureDeficit]
                }
            })
        func fields(_ name: String) -> [String: Int] {
            home.store.readings.map(\.reading).filter { $0.device == name }.reduce(into: [:]) { counts, reading in
                if case .value(let measurement, _) = reading.outcome { counts[measurement.field, default: 0] += 1 }
            }
        }
        // Thirteen packets of the tag, each with all values that were chosen; it sends no charge. The other repeats one.
        #expect(fields("Attic") == ["temperature": 13, "dew_point": 13, "vapor_pressure_deficit": 13])
        #expect(fields("Cellar") == ["temperature": 1, "battery": 1, "dew_point": 1, "vapor_pressure_deficit": 1])
        #expect(home.values(of: "Attic", "temperature").first == .number(15))
        #expect(home.values(of: "Attic", "dew_point").first == .number(3.2))
        #expect(home.values(of: "Cellar", "temperature") == [.number(20)])
        #expect(home.values(of: "Cellar", "dew_point") == [.number(7.7)])
        #expect(home.values(of: "Cellar", "vapor_pressure_deficit") == [.integer(1283)])
        #expect(report.devices.allSatisfy { $0.failedTicks == 0 } && home.failures == [])
    }

    /// A field that the device's format doesn't have is named, and the rest goes on.
    @Test func aFieldThatIsNeverThereStopsNothing() async throws {
        let (home, report) = try await run(
            for: .seconds(125),
            change: { configuration in
                Self.only("Attic")(&configuration)
                configuration.devices[0].fields = ["humidity", "moisture"]
            })
        #expect(home.values(of: "Attic", "humidity").count == 13)
        #expect(report.devices[0].failedTicks == 0 && report.devices[0].goodTicks > 3)
        #expect(
            home.warnings == ["Attic: what it advertises (Ruuvi) has no field `moisture`"], "\(home.warnings)")
    }

    @Test func readingsSayWhereTheyComeFrom() async throws {
        let (home, _) = try await run(count: 1, for: .seconds(60))
        let all = home.store.readings.map(\.reading)
        let balcony = try #require(all.first { $0.device == "Balcony" })
        #expect(balcony.service == BTHome.service && balcony.characteristic == nil && balcony.name == "BTHome")
        #expect(balcony.tick == 0)
        guard case .value(_, let raw) = balcony.outcome else {
            Issue.record("no value")
            return
        }
        #expect(raw.prefix(3) == [0x40, 0x00, 0x00])
        let attic = try #require(all.first { $0.device == "Attic" })
        #expect(attic.service == nil && attic.name == "Ruuvi")
    }

    /// Other bytes with the same number are a repetition, and a tick without news is one.
    @Test func ticksTellNewsFromNone() async throws {
        let (_, report) = try await run(for: .seconds(200), change: Self.only("Window"))
        #expect(report.devices[0].goodTicks == 7)
        #expect(report.devices[0].failedTicks == 0)
    }

    @Test func reportsSilenceOnceAndItsEnd() async throws {
        let (home, report) = try await run(
            for: .seconds(600), change: Self.only("Attic"),
            script: { home in
                try await home.bench.loop.sleep(until: .start + .seconds(95))
                home.world.hide("Attic")
                try await home.bench.loop.sleep(until: .start + .seconds(400))
                home.world.show("Attic")
            })
        // Silent from 95 s on; from 210 s on that is more than three intervals.
        #expect(home.failures.count == 7)
        #expect(home.failures.allSatisfy { $0.code == .known(.silent) })
        #expect(home.failures.first?.message.contains("for 1m") == true)
        #expect(report.devices[0].failedTicks == 7)
        #expect(report.devices[0].lastFailure == nil)
        #expect(home.moments(of: "Attic").contains { $0 > 400 && $0 < 405 })
    }

    @Test func aFiniteRunWaitsForTheFirstPacket() async throws {
        let (home, report) = try await run(
            count: 1, for: .seconds(300), change: Self.only("Attic"),
            script: { home in
                home.world.hide("Attic")
                try await home.bench.loop.sleep(until: .start + .seconds(20))
                home.world.show("Attic")
            })
        #expect(report.devices.map(\.goodTicks) == [1])
        #expect(home.values(of: "Attic", "temperature").count == 1)
    }

    @Test func aDeviceThatIsNeverHeardFails() async throws {
        let (_, report) = try await run(
            count: 1, for: .seconds(300), change: Self.only("Attic"),
            script: { home in
                home.world.hide("Attic")
            })
        #expect(report.devices.map(\.failedTicks) == [1])
        #expect(report.devices.first?.lastFailure?.code == .known(.notFound))
    }

    @Test func listeningGoesOnAfterBluetoothdAndTheAdapter() async throws {
        let (home, report) = try await run(
            for: .seconds(400),
            script: { home in
                try await home.bench.loop.sleep(until: .start + .seconds(61))
                home.world.restartBluez(after: .seconds(3))
                try await home.bench.loop.sleep(until: .start + .seconds(181))
                home.world.power(on: false)
                try await home.bench.loop.sleep(until: .start + .seconds(200))
                home.world.power(on: true)
            })
        let numbers = home.values(of: "Attic", "measurement_sequence")
        #expect(numbers.count >= 36)
        #expect(Set(numbers).count == numbers.count)
        #expect(report.devices.allSatisfy { $0.lastFailure == nil })
    }

    /// Discovery gives way to each Connect and comes back: neither side starves.
    @Test func connectingAndListeningShareTheRadio() async throws {
        let (home, report) = try await run(
            interval: .seconds(10), for: .seconds(300),
            change: { configuration in
                for index in configuration.devices.indices where configuration.devices[index].mode == .auto {
                    configuration.devices[index].mode = .release
                }
            })
        #expect(report.devices.last?.goodTicks == 30)
        #expect(home.values(of: "Attic", "measurement_sequence").count >= 29)
        #expect(home.failures == [])
    }

    @Test func aMissingDeviceDoesNotPreventListening() async throws {
        let (home, _) = try await run(
            for: .seconds(600), script: { home in home.world.hide("Back Door") })
        #expect(home.failures.allSatisfy { $0.code == .known(.notFound) })
        #expect(!home.failures.isEmpty)
        #expect(home.values(of: "Attic", "measurement_sequence").count >= 59)
    }

    // MARK: What BlueZ remembers, and names that come late

    private static let thermometer = BluetoothAddress(bits: 0x49_2300_0001)

    /// The run of a poller that listens to a thermometer whose temperature is the company number.
    private func listen(
        for length: Duration = .seconds(200), format: BroadcastFormat? = nil,
        script: @escaping @Sendable (Household) async throws -> Void
    ) async throws -> (home: Household, report: PollerReport) {
        let scenario = Scenario(
            "cellar", "a thermometer",
            peripherals: [.inkbirdThermometer("sps", address: Self.thermometer, temperature: 400...900)])
        return try await Bench.run(.virtual, scenario) { bench, world in
            let home = Household(bench, world, interval: .seconds(30)) { configuration in
                configuration.scan = .active
                configuration.devices[0].mode = .passive
                configuration.devices[0].format = format
            }
            let report = try await home.keep(for: length) { try await script(home) }
            return (home, report)
        }
    }

    /// The numbers of the measurements, one each 10 s.
    private func numbers(_ home: Household) -> [MeasuredValue] { home.values(of: "sps", "humidity") }

    private static func expected(_ range: ClosedRange<Int>) -> [MeasuredValue] {
        range.map { .number(Double($0) / 100) }
    }

    @Test func recordsThatBluezKeepsAreReadOnce() async throws {
        let (home, report) = try await listen { home in home.world.keepRecords(true) }
        #expect(numbers(home) == Self.expected(0...19))
        #expect(report.devices[0].failedTicks == 0 && home.failures == [])
    }

    @Test func aNameMayComeLate() async throws {
        let (home, report) = try await listen { home in
            home.world.hideName("sps")
            try await home.bench.loop.sleep(until: .start + .seconds(6))
            home.world.heal("sps")
        }
        #expect(numbers(home) == Self.expected(0...19))
        #expect(report.devices[0].failedTicks == 0 && home.failures == [])
    }

    @Test func aNameMayChange() async throws {
        let (home, report) = try await listen { home in
            try await home.bench.loop.sleep(until: .start + .seconds(65))
            home.world.rename("sps", to: "Thermo SoC demo")
            try await home.bench.loop.sleep(until: .start + .seconds(95))
            home.world.forget("sps")
        }
        #expect(numbers(home) == Self.expected(0...19))
        #expect(report.devices[0].failedTicks == 0 && home.failures == [])
    }

    @Test func whatWasRecognizedStaysSoAfterARestart() async throws {
        let scenario = Scenario(
            "cellar", "a thermometer",
            peripherals: [.inkbirdThermometer("sps", address: Self.thermometer, temperature: 400...900)])
        try await Bench.run(.virtual, scenario) { bench, world in
            func workshop(after former: Workshop? = nil) async throws -> Workshop {
                try await Workshop(bench, world, allowing: [], after: former) { $0.devices[0].mode = .passive }
            }
            let first = try await workshop()
            try await first.keep(for: 65)
            #expect(first.store.statuses[Self.thermometer]?.identity?.description == "inkbird  sps")
            world.rename("sps", to: "Thermo SoC demo")
            world.forget("sps")
            let before = first.store.readings.count
            try await workshop(after: first).keep(for: 130)
            #expect(first.store.readings.count > before)
            #expect(first.store.statuses[Self.thermometer]?.state == .good)
        }
    }

    @Test func withoutANameTheTickFailsAndTheChosenFormatHelps() async throws {
        let (none, report) = try await listen { home in home.world.hideName("sps") }
        #expect(numbers(none) == [] && report.devices[0].failedTicks > 0)
        #expect(report.devices[0].lastFailure?.code == .known(.noFormat))
        let (chosen, good) = try await listen(format: .inkbird) { home in home.world.hideName("sps") }
        // Without the name, a humidity of 0 means that the device doesn't measure it.
        #expect(numbers(chosen) == Self.expected(1...19))
        #expect(good.devices[0].failedTicks == 0)
    }

    /// With a critical battery, blekeep listens for a short time in each tick.
    @Test func theLastOfABatteryIsNotSpentOnListening() async throws {
        let machine = try await Laptop.run(
            for: .seconds(4000), scenario: .beacons,
            change: { configuration in
                configuration.devices = configuration.devices.filter { $0.alias == "Attic" }
                configuration.devices[0].mode = .passive
            }
        ) { machine in
            machine.power.set(.battery(3))
            try await machine.at(1000)
            var heard = 0
            while machine.home.bench.loop.now < .start + .seconds(3900) {
                if machine.home.world.isDiscovering { heard += 1 }
                try await machine.home.bench.loop.sleep(until: machine.home.bench.loop.now + .seconds(1))
            }
            #expect(heard <= 40, "\(heard) s of listening in 48 min")
        }
        let late = machine.home.moments(of: "Attic").filter { $0 > 1000 }
        #expect(
            Set(late.map { Int($0) / 900 }).count >= 3, "\(machine.home.moments(of: "Attic")) \(machine.home.failures)")
        #expect(machine.home.failures == [])
    }

    // MARK: Polled when heard

    @Test func aSleeperIsPolledWhenItIsHeard() async throws {
        let (home, report) = try await run(
            for: .seconds(600),
            change: { configuration in
                configuration.devices = configuration.devices.filter { $0.alias == "Back Door" }
                configuration.devices[0].mode = .heard
            },
            script: { home in
                // There for a few seconds once in a while.
                for moment in [0, 47, 133, 200, 410] {
                    home.world.hide("Back Door")
                    try await home.bench.loop.sleep(until: .start + .seconds(moment))
                    home.world.show("Back Door")
                    try await home.bench.loop.sleep(until: .start + .seconds(moment + 6))
                }
                home.world.hide("Back Door")
            })
        let moments = home.moments(of: "Back Door", 0x2A19)
        #expect(moments.count == 5)
        for (moment, began) in zip(moments, [0.0, 47, 133, 200, 410]) {
            #expect(moment > began && moment < began + 3)
        }
        // Silence for three intervals is reported, as for other devices.
        #expect(home.failures.allSatisfy { $0.code == .known(.silent) })
        #expect(report.devices[0].failedTicks == home.failures.count)
    }

    @Test func aSleeperThatIsAlwaysThereIsPolledAtEachTick() async throws {
        let (home, report) = try await run(for: .seconds(299)) { configuration in
            configuration.devices = configuration.devices.filter { $0.alias == "Back Door" }
            configuration.devices[0].mode = .heard
        }
        #expect(home.moments(of: "Back Door", 0x2A19).count == 10)
        #expect(report.devices[0].failedTicks == 0)
    }

    // MARK: Encrypted

    private static let key = AdvertisementKey(hex: "231d39c1d7cc1ab1aee224cd096db932")

    private struct Encrypted: Sendable {
        let service: UInt16
        let address: String
        let bytes: String

        static let bthome = Encrypted(
            service: 0xFCD2, address: "54:48:E6:8F:80:A5", bytes: "41e445f3c9962b332211006c7c4519")
        static let atc = Encrypted(service: 0x181A, address: "A4:C1:38:12:34:56", bytes: "47d8a3a4036eecf0d8e5a0")
        static let mibeacon = Encrypted(
            service: 0xFE95, address: "A4:C1:38:12:34:56", bytes: "4840b00959302c924b1149a2e4ee96875b6d16a8420dbd")
    }

    /// The end of a poller that listened to an encrypted packet.
    private struct Heard: Sendable {
        let values: [String: MeasuredValue]
        let failures: [ReadingFailure]
        let needsUser: Bool
    }

    private func listen(
        _ key: AdvertisementKey?, file: String? = nil, to packet: Encrypted = .bthome
    ) async throws -> Heard {
        let address = try #require(BluetoothAddress(packet.address))
        let bytes = try #require([UInt8](hex: packet.bytes))
        let scenario = Scenario(
            "secret", "an encrypted packet",
            peripherals: [
                SimulatedPeripheral(
                    "Secret", address, serviceData: [BluetoothUUID(packet.service): bytes], acquaintance: .none,
                    services: [])
            ])
        return try await Bench.run(.virtual, scenario) { bench, world in
            let workshop = try await Workshop(bench, world, allowing: []) { configuration in
                configuration.devices[0].mode = .passive
                configuration.devices[0].key = key
                configuration.devices[0].keyFile = file
            }
            try await workshop.keep(for: 100)
            var values: [String: MeasuredValue] = [:]
            var failures: [ReadingFailure] = []
            for reading in workshop.store.readings.map(\.reading) {
                switch reading.outcome {
                case .value(let measurement, _): values[measurement.field] = measurement.value
                case .failure(let failure, _): failures.append(failure)
                }
            }
            let state = workshop.store.statuses[address]?.state
            return Heard(values: values, failures: failures, needsUser: state == .needsUser)
        }
    }

    @Test func encryptedPacketsNeedTheirKey() async throws {
        let good = try await listen(Self.key)
        #expect(good.values == ["temperature": .number(25.06), "humidity": .number(50.55)])
        #expect(good.failures == [] && !good.needsUser)
        let wrong = try await listen(AdvertisementKey([UInt8](repeating: 7, count: 16)))
        #expect(wrong.values == [:] && wrong.failures.first?.code == .known(.badKey))
        let unread = try await listen(nil, file: "/etc/blekeep/attic-key")
        let why = "the advertisement is encrypted, and blekeep can't read the key in /etc/blekeep/attic-key"
        #expect(unread.failures.first == ReadingFailure(.noKey, why))
    }

    @Test(arguments: [(Encrypted.bthome, "temperature"), (.atc, "temperature"), (.mibeacon, "humidity")])
    private func withoutTheKeyADeviceNeedsItsUser(packet: Encrypted, field: String) async throws {
        let none = try await listen(nil, to: packet)
        #expect(none.values == [:] && none.failures.first?.code == .known(.noKey))
        #expect(none.needsUser)
        #expect(try await listen(Self.key, to: packet).values[field] != nil)
    }
}

extension World {
    /// Whether anybody discovers.
    fileprivate var isDiscovering: Bool { bluez?.adapters.contains { $0.discovery.isOn } ?? false }
}

extension Household {
    /// The good values of a device's field, in order.
    func values(of device: String, _ field: String) -> [MeasuredValue] {
        store.readings.map(\.reading).compactMap { reading in
            guard reading.device == device, case .value(let measurement, _) = reading.outcome else { return nil }
            return measurement.field == field ? measurement.value : nil
        }
    }
}
