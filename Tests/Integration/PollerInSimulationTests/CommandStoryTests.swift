import Blekeep
import BlekeepSimulation
import BusBench
import RunLoop
import Testing

@testable import BlekeepPoller

/// Commands of users to a poller of a device with an interval of an hour.
@Suite struct CommandStoryTests {
    private static let temperature = BluetoothUUID(0x2A6E)
    private static let target = BluetoothUUID(0x2A06)

    private final class Answers: @unchecked Sendable {
        private(set) var texts: [String] = []

        func add(_ result: Result<[UInt8], ReadingFailure>) {
            switch result {
            case .success(let bytes): texts.append("\(bytes)")
            case .failure(let failure): texts.append(failure.message)
            }
        }
    }

    private static func scenario() throws -> Scenario {
        let service = SimulatedService(
            BluetoothUUID(0x181A),
            [
                SimulatedCharacteristic(temperature, constant: [0xD2, 0x04]),
                SimulatedCharacteristic(target, [.read, .write], constant: [0]),
            ])
        return Scenario(
            "lamp", "a lamp", peripherals: [SimulatedPeripheral("Lamp", Self.address, services: [service])])
    }

    private static let address = BluetoothAddress(bits: 0xF000_0000_0066)

    private static func home(_ bench: Bench, _ world: World) -> Household {
        Household(bench, world, interval: .seconds(3600)) {
            var lamp = CharacteristicConfiguration(characteristic: target)
            lamp.isWritable = true
            $0.devices[0].characteristics = [CharacteristicConfiguration(characteristic: temperature), lamp]
        }
    }

    private static func write(_ text: String, _ uuid: BluetoothUUID = target) throws -> DeviceCommand {
        DeviceCommand(.write(WriteRequest(characteristic: uuid, value: try ValueText([text]))), DeviceID(Self.address))
    }

    @Test func aValueIsWrittenAtOnceAndReadBack() async throws {
        try await Bench.run(.virtual, try Self.scenario()) { bench, world in
            let home = Self.home(bench, world)
            let answers = Answers()
            _ = try await home.keep(for: .seconds(600)) {
                try await bench.loop.sleep(until: bench.loop.now + .seconds(300))
                home.poller.obey(try Self.write("1"), answer: answers.add)
                home.poller.obey(try Self.write("2"), answer: answers.add)
                home.poller.obey(try Self.write("0x01", Self.temperature), answer: answers.add)
            }
            #expect(
                answers.texts == [
                    "a newer value replaced it", "the configuration doesn't allow to write it; set 'write: true'",
                    "[2]",
                ])
            let raw = home.store.readings.map(\.reading).filter { $0.characteristic == Self.target }.map {
                reading -> [UInt8] in
                if case .value(_, let raw) = reading.outcome { raw } else { [] }
            }
            #expect(raw == [[0], [2]])
        }
    }

    @Test func aValueThatDoesntFitIsRefused() async throws {
        try await Bench.run(.virtual, try Self.scenario()) { bench, world in
            let home = Self.home(bench, world)
            let answers = Answers()
            _ = try await home.keep(for: .seconds(60)) {
                try await bench.loop.sleep(until: bench.loop.now + .seconds(30))
                home.poller.obey(try Self.write("900"), answer: answers.add)
            }
            #expect(answers.texts.count == 1)
            #expect(answers.texts.first?.contains("out of range") == true, "\(answers.texts)")
        }
    }

    @Test func aWriteToADeviceOutOfRangeEndsInTime() async throws {
        try await Bench.run(.virtual, try Self.scenario()) { bench, world in
            let home = Self.home(bench, world)
            let answers = Answers()
            _ = try await home.keep(for: .seconds(600)) {
                try await bench.loop.sleep(until: bench.loop.now + .seconds(300))
                world.hide("Lamp")
                world.drop("Lamp")
                home.poller.obey(try Self.write("2"), answer: answers.add)
                try await bench.loop.sleep(until: bench.loop.now + .seconds(61))
                #expect(answers.texts.count == 1)
            }
        }
    }

    @Test func pollNowReadsBetweenTicks() async throws {
        try await Bench.run(.virtual, try Self.scenario()) { bench, world in
            let home = Self.home(bench, world)
            let answers = Answers()
            _ = try await home.keep(for: .seconds(600)) {
                try await bench.loop.sleep(until: bench.loop.now + .seconds(300))
                home.poller.obey(DeviceCommand(.poll, DeviceID(Self.address)), answer: answers.add)
                #expect(answers.texts.isEmpty)
                try await bench.loop.sleep(until: bench.loop.now + .seconds(20))
                #expect(answers.texts == ["[]"])
                world.hide("Lamp")
                world.drop("Lamp")
                home.poller.obey(DeviceCommand(.poll, DeviceID(Self.address)), answer: answers.add)
                try await bench.loop.sleep(until: bench.loop.now + .seconds(20))
                home.poller.obey(DeviceCommand(.pause(.untilResumed), DeviceID(Self.address)))
                home.poller.obey(DeviceCommand(.poll, DeviceID(Self.address)), answer: answers.add)
            }
            #expect(answers.texts == ["[]", "the device was paused", "the device was paused"])
            let times = home.moments(of: "Lamp", 0x2A6E).map { Int($0) }
            #expect(times.count == 2)
            #expect(times.last.map { (300...310).contains($0) } == true)
        }
    }

    @Test func nothingIsReadDuringAPause() async throws {
        try await Bench.run(.virtual, try Self.scenario()) { bench, world in
            let home = Household(bench, world)
            _ = try await home.keep(for: .seconds(600)) {
                try await bench.loop.sleep(until: bench.loop.now + .seconds(100))
                home.poller.obey(DeviceCommand(.pause(.time(.seconds(200))), DeviceID(Self.address)))
            }
            let times = home.moments(of: "Lamp", 0x2A6E).map { Int($0) }
            #expect(times.allSatisfy { $0 <= 100 || $0 >= 300 })
            #expect(times.contains { $0 > 300 } && times.contains { $0 < 100 })
        }
    }
}
