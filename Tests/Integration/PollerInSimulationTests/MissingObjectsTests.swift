import Blekeep
import BlekeepSimulation
import BusBench
import DBus
import RunLoop
import Testing

/// What a device lacks doesn't delay what it has: every tick ends within its budget, with values or with a cause.
@Suite struct MissingObjectsTests {
    private static let temperature = BluetoothUUID(0x2A6E)
    private static let heartRate = BluetoothUUID(0x2A37)
    private static let battery = BluetoothUUID(0x2A19)
    private static let ticks = 10

    /// The end of a story: what the store has, and the report.
    private struct End {
        let workshop: Workshop
        let report: PollerReport

        func failures(of device: String) -> [ReadingFailure] {
            workshop.store.readings.map(\.reading).compactMap { reading in
                if reading.device == device, case .failure(let failure, _) = reading.outcome { failure } else { nil }
            }
        }
    }

    /// Polls devices for ten ticks. All have these characteristics in the configuration.
    private func poll(
        _ peripherals: [SimulatedPeripheral], _ uuids: [BluetoothUUID], writable isWritable: Bool = false,
        mode: LinkMode = .auto, allowing steps: Set<RecoveryStep> = [],
        _ script: @escaping @Sendable (Workshop) async throws -> Void = { _ in }
    ) async throws -> End {
        let scenario = Scenario("missing", "devices that lack something", peripherals: peripherals)
        return try await Bench.run(.virtual, scenario) { bench, world in
            let workshop = try await Workshop(bench, world, allowing: steps) { configuration in
                for place in configuration.devices.indices {
                    configuration.devices[place].mode = mode
                    configuration.devices[place].characteristics = uuids.map { uuid in
                        var wanted = CharacteristicConfiguration(characteristic: uuid)
                        wanted.isWritable = isWritable
                        return wanted
                    }
                }
            }
            let report = try await workshop.keep(for: Double(30 * Self.ticks - 5), script)
            return End(workshop: workshop, report: report)
        }
    }

    private func sensor(_ number: Int) -> SimulatedPeripheral {
        .environmentalSensor(
            "Sensor \(number)", address: BluetoothAddress(bits: 0xF000_0000_0000 + UInt64(number)),
            temperature: 2000...2050)
    }

    @Test(arguments: [(1, LinkMode.auto), (2, .auto), (2, .release)])
    func readsWhatIsThereAtEachTick(devices: Int, mode: LinkMode) async throws {
        // Its failed reads make blekeep query all objects of BlueZ at each tick. That must not disturb the others.
        let broken = sensor(9).behaving { $0.reading = .error(0x0E) }
        let end = try await poll((1...devices).map(sensor) + [broken], [Self.temperature, Self.heartRate], mode: mode)
        for device in end.report.devices.dropLast() {
            #expect(device.goodTicks == Self.ticks && device.failedTicks == 0 && device.partialTicks == Self.ticks)
            #expect(end.workshop.moments(device.name).count == Self.ticks)
            #expect(
                end.failures(of: device.name).map(\.code) == Array(repeating: .known(.noPoint), count: Self.ticks))
            let status = try #require(end.workshop.status(device.name))
            #expect(status.state == .good && status.condition.failure?.code == .known(.noPoint))
        }
        let lines = end.workshop.log.filter { $0.contains("no such characteristic") && !$0.hasPrefix("Sensor 9") }
        #expect(lines.count == devices)
    }

    @Test func aRunOfOneTickEnds() async throws {
        let scenario = Scenario("missing", "two that lack something", peripherals: (1...2).map(sensor))
        let home = try await Bench.run(.virtual, scenario) { bench, world in
            let home = Household(bench, world, count: 1) { configuration in
                for place in configuration.devices.indices {
                    configuration.devices[place].characteristics = [Self.temperature, Self.heartRate].map {
                        CharacteristicConfiguration(characteristic: $0)
                    }
                }
            }
            let report = await home.poller.run()
            #expect(report.devices.map(\.goodTicks) == [1, 1] && home.failures.count == 2)
            #expect(bench.loop.now < .start + .seconds(30))
            return home
        }
        #expect(home.moments(of: "Sensor 1").count == 1)
    }

    @Test func takesTheBatteryLevelThatBluezKeepsForItself() async throws {
        let late = sensor(2).hidingBatteryService().behaving { $0.batteryDelay = .seconds(3) }
        let end = try await poll([sensor(1).hidingBatteryService(), late], [Self.temperature, Self.battery])
        #expect(end.report.devices.map(\.goodTicks) == [Self.ticks, Self.ticks])
        #expect(end.report.devices.map(\.partialTicks) == [0, 1])
        #expect(end.workshop.moments("Sensor 1").count == 2 * Self.ticks)
        #expect(end.workshop.moments("Sensor 2").count == 2 * Self.ticks - 1)
        // Nothing waits for what BlueZ has already.
        #expect(try #require(end.workshop.moments("Sensor 1").first) < 2)
    }

    @Test(arguments: [LinkMode.auto, .release])
    func readsWhatComesLate(mode: LinkMode) async throws {
        let late = sensor(1).behaving { $0.exporting = .late(.milliseconds(1500)) }
        let end = try await poll([late], [Self.temperature], mode: mode)
        #expect(end.report.devices[0].goodTicks == Self.ticks && end.report.devices[0].failedTicks == 0)
        #expect(end.failures(of: "Sensor 1").isEmpty)
    }

    @Test func connectsAgainWhenNoServiceAppears() async throws {
        let never = sensor(1).behaving { $0.exporting = .never }
        let end = try await poll([never, sensor(2)], [Self.temperature]) { workshop in
            try await workshop.at(150)
            let status = try #require(workshop.status("Sensor 1"))
            #expect(status.state == .lost && status.link != .held)
            #expect(status.condition.failure?.message == "no service appeared on the connection")
            workshop.world.heal("Sensor 1")
        }
        let failures = end.failures(of: "Sensor 1")
        #expect(failures.count >= 2 && failures.count <= 10 && failures.allSatisfy { $0.code == .known(.services) })
        #expect(end.report.devices[0].goodTicks >= 3 && end.report.devices[1].goodTicks == Self.ticks)
    }

    /// The objects are there on the second connection.
    @Test func readsOnTheNextConnectionWhatTheFirstOneLacks() async throws {
        let never = sensor(1).behaving { $0.exporting = .never }
        let end = try await poll([never], [Self.temperature]) { workshop in
            while workshop.connects.count < 2 {
                try await workshop.bench.loop.sleep(until: workshop.bench.loop.now + .milliseconds(100))
            }
            workshop.world.heal("Sensor 1")
        }
        #expect(end.report.devices[0].goodTicks == Self.ticks && end.report.devices[0].failedTicks == 0)
    }

    @Test(arguments: [false, true])
    func saysThatClassicBluetoothConnectedIt(mayPrefer: Bool) async throws {
        let dual = sensor(1).mistaken(SimulatedDualMode(offersPreference: mayPrefer, isAnswered: true))
        let end = try await poll([dual], [Self.temperature], allowing: mayPrefer ? [.preferLowEnergy] : [])
        if mayPrefer {
            #expect(end.workshop.deeds == ["PreferredBearer le"] && end.report.devices[0].goodTicks >= Self.ticks - 1)
        } else {
            let status = try #require(end.workshop.status("Sensor 1"))
            #expect(status.state == .needsUser && end.report.devices[0].goodTicks == 0)
            #expect(status.condition.failure?.message.contains("classic Bluetooth: set ControllerMode = le") == true)
            #expect(end.workshop.log.filter { $0.contains("ControllerMode") }.count == 1)
        }
    }

    /// A characteristic that can only be written has no value. That is right if users write it.
    @Test(arguments: [false, true])
    func aTickWithoutValuesHasACause(isWritable: Bool) async throws {
        let address = BluetoothAddress(bits: 0xF000_0000_0001)
        let switchable = SimulatedPeripheral(
            "Lamp", address,
            services: [
                SimulatedService(
                    BluetoothUUID(0x181A), [SimulatedCharacteristic(Self.temperature, [.write], constant: [0])])
            ])
        let end = try await poll([switchable], [Self.temperature], writable: isWritable)
        let status = try #require(end.workshop.status("Lamp"))
        let device = end.report.devices[0]
        #expect(device.goodTicks == 0)
        #expect(isWritable ? device.failedTicks == 0 : device.failedTicks >= 3)
        #expect(status.state == (isWritable ? .trying : .lost))
        #expect(status.condition.failure?.code == .known(.nothing))
        #expect(end.failures(of: "Lamp").count == device.failedTicks)
    }
}
