import Blekeep
import Testing

@testable import BlekeepCLI

@Suite struct PollModelTests {
    private static let temperature = BluetoothUUID(0x2A6E)

    private static var address: BluetoothAddress {
        get throws { try #require(BluetoothAddress("F0:00:00:00:00:01")) }
    }

    private static func reading(_ instance: Int, _ outcome: Reading.Outcome) throws -> Reading {
        Reading(
            time: 0, tick: 1, device: "Twins", address: try address, service: BluetoothUUID(0x181A),
            characteristic: temperature, instance: instance, name: "Temperature", outcome: outcome)
    }

    @Test func keepsCharacteristicsOfTheSameUUIDApart() throws {
        var model = PollModel()
        for instance in 1...2 {
            let value = Measurement(field: "temperature", value: .integer(Int64(instance)), unit: "°C")
            model.apply(try Self.reading(instance, .value(value, raw: [])))
        }
        model.apply(try Self.reading(2, .failure(ReadingFailure(code: .other("timeout"), message: ""), raw: nil)))
        let lines = model.lines(of: try Self.address)
        #expect(lines.map(\.shown.name) == ["Temperature", "Temperature#2"])
        #expect(lines.map(\.isFailure) == [false, true])
    }

    /// Two packets of manufacturer data with one field name are two lines.
    @Test func twoFormatsAreTwoLines() throws {
        var model = PollModel()
        for format in ["Ruuvi", "Govee", "Ruuvi"] {
            let value = Measurement(field: "temperature", value: .integer(1), unit: "°C")
            var reading = try Self.reading(1, .value(value, raw: []))
            (reading.service, reading.characteristic, reading.name) = (nil, nil, format)
            model.apply(reading)
        }
        #expect(model.lines(of: try Self.address).count == 2)
    }

    @Test func numbersOfALineHaveTheSameDecimals() throws {
        var model = PollModel()
        let shown = try [20.53, 20.5, 19, -3].map { number in
            let value = Measurement(field: "temperature", value: .number(number), unit: "°C")
            model.apply(try Self.reading(1, .value(value, raw: [])))
            return model.lines(of: try Self.address)[0].shown.value
        }
        #expect(shown == ["20.53", "20.50", "19.00", "-3.00"])
    }
}
