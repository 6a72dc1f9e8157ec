import BlekeepRecords
import Testing

@testable import BlekeepHistory

/// The newest values of a device in a line, and the order of names.
@Suite struct NewestValuesTests {
    private static let device = BluetoothAddress(bits: 1)

    private func reading(
        _ characteristic: UInt16, _ name: String, _ field: String, _ value: MeasuredValue, _ unit: String?,
        at time: Int64 = 1000, service: UInt16 = 0x181A
    ) -> Reading {
        Reading(
            time: time, tick: 1, device: "attic", address: Self.device, service: BluetoothUUID(service),
            characteristic: BluetoothUUID(characteristic), name: name,
            outcome: .value(Measurement(field: field, value: value, unit: unit), raw: []))
    }

    @Test func unitsStandForNamesAndTheBatteryHasItsPlace() throws {
        let values = NewestValues([
            reading(0x2A6F, "Humidity", "humidity", .number(42.02), "%"),
            reading(0x2A6E, "Temperature", "temperature", .number(20.5), "°C", at: 2000),
            reading(0x2A19, "Battery Level", "battery_level", .integer(87), "%", service: 0x180F),
            reading(0x2A76, "UV Index", "uv_index", .integer(3), nil),
            reading(0x2A6D, "Pressure", "pressure", .integer(100_900), "Pa"),
            reading(0x2A70, "True Wind Speed", "speed", .number(0.5), "m/s"),
            reading(0x2A29, "Manufacturer Name String", "manufacturer_name", .text("x"), nil, service: 0x180A),
        ])
        let device = try #require(values.devices[DeviceID(Self.device)])
        #expect(device.text == "20.50 °C, 42.02 %, 1009.0 hPa, True Wind Speed 0.5 m/s, UV Index 3")
        #expect(device.battery == 87 && device.time == 2000)
    }

    @Test func valuesThatUnitsDoNotTellApartHaveNames() throws {
        func text(_ fields: [(String, String?)]) -> String? {
            NewestValues(fields.map { reading(0x2A6E, "Probe", $0.0, .integer(7), $0.1) }).devices[
                DeviceID(Self.device)]?
                .text
        }
        #expect(text([("temperature", "°C"), ("humidity", "%")]) == "7.00 °C, 7 %")
        #expect(
            text([("humidity", "%"), ("dew_point", "°C"), ("temperature", "°C")])
                == "Probe temperature 7.00 °C, 7 %, Probe dew point 7 °C")
        // The battery has a place of its own, so that the humidity is clear.
        let shown = ["humidity", "battery"].map { field in
            let reading = reading(0x2A6F, "Probe", field, .integer(7), "%")
            return ShownValue(reading, Measurement(field: field, value: .integer(7), unit: "%"))
        }
        #expect(ShownValue.text(shown, more: 0) == "7 %, Probe battery 7 %")
        // A position isn't what a percentage usually is.
        #expect(text([("position", "%")]) == "Probe position 7 %")
        let many = (1...14).map { ("x_\($0)", Optional("V")) }
        #expect(text(many)?.hasSuffix(", Probe x 12 7 V, 2 more") == true)
    }

    @Test func diagnosticValuesAreOnlyCounted() throws {
        func device(_ fields: [(String, String?)]) throws -> NewestValues.Device {
            let readings = fields.map { field, unit in
                var reading = advertised(field, at: 1000)
                reading.outcome = .value(Measurement(field: field, value: .integer(7), unit: unit), raw: [])
                return reading
            }
            return try #require(NewestValues(readings).devices[DeviceID(Self.device)])
        }
        let tag = try device([
            ("mac", nil), ("tx_power", "dBm"), ("humidity", "%"), ("battery", "%"), ("temperature", "°C"),
        ])
        #expect(tag.text == "7 °C, 7 %, 2 more" && tag.battery == 7)
        #expect(tag.others.map(\.measurement.field) == ["tx_power", "mac"])
        // They are all that this one has.
        #expect(try device([("mac", nil), ("battery", "%")]).text == "MAC 7")
    }

    @Test func aValueThatIsNotMeasuredAnyMoreIsLeftOut() throws {
        let values = NewestValues([
            reading(0x2A6F, "Humidity", "humidity", .number(42), "%", at: 0),
            reading(0x2A6E, "Temperature", "temperature", .number(20.5), "°C", at: 86_400_001),
        ])
        #expect(values.devices[DeviceID(Self.device)]?.text == "20.50 °C")
    }

    private func advertised(_ field: String, at time: Int64, address: BluetoothAddress = Self.device) -> Reading {
        Reading(
            time: time, tick: 0, id: DeviceID(Self.device), device: "attic", address: address, service: nil,
            characteristic: nil, name: "Ruuvi",
            outcome: .value(Measurement(field: field, value: .integer(7), unit: "%"), raw: []))
    }

    /// Only changes of advertised values are stored.
    @Test func advertisedValuesAreAsOldAsTheirLastRepetition() throws {
        var status = DeviceStatus(address: Self.device, name: "attic", since: 0)
        status.lastValue = 9000
        let readings = [advertised("humidity", at: 1000)]
        func time(_ statuses: [DeviceStatus], _ readings: [Reading]) -> Int64? {
            NewestValues(readings, statuses: statuses).devices[DeviceID(Self.device)]?.time
        }
        #expect(time([], readings) == 1000)
        #expect(time([status], readings) == 9000)
        // What comes over a connection is stored each time.
        #expect(time([status], [reading(0x2A6F, "Humidity", "humidity", .number(42), "%", at: 1000)]) == 1000)
        let stored = readings.map { StoredReading(sequence: 1, reading: $0) }
        #expect(NewestValues.readings(stored, since: 5000, statuses: [status]).count == 1)
        #expect(NewestValues.readings(stored, since: 5000, statuses: []).isEmpty)
    }

    @Test func valuesOfAReplacedSensorArePastAsSoonAsItsSuccessorIsConfigured() throws {
        let successor = try #require(BluetoothAddress("F0:00:00:00:00:77"))
        let status = DeviceStatus(id: DeviceID(Self.device), address: successor, name: "attic", since: 0)
        #expect(NewestValues([advertised("humidity", at: 1000)], statuses: [status]).devices.isEmpty)
        let new = advertised("humidity", at: 2000, address: successor)
        #expect(NewestValues([advertised("humidity", at: 1000), new], statuses: [status]).devices.count == 1)
    }

    @Test func failuresAreNoValues() {
        var failed = reading(0x2A6F, "Humidity", "humidity", .number(42), "%")
        failed.outcome = .failure(ReadingFailure(.late, "late"), raw: nil)
        #expect(NewestValues([failed]).devices.isEmpty)
    }

    @Test(arguments: [
        ("s2", "s10"), ("s2", "s02x"), ("a", "b"), ("s", "s1"), ("1", "a"), ("s9a", "s10"), ("", "a"),
        ("s2b3", "s2b20"), ("attic", "Zoo"), ("Attic", "zoo"), ("Attic", "attic"),
    ])
    func numbersAreInOrder(first: String, second: String) {
        #expect(NaturalOrder.precedes(first, second))
        #expect(!NaturalOrder.precedes(second, first))
        #expect(!NaturalOrder.precedes(first, first))
    }
}
