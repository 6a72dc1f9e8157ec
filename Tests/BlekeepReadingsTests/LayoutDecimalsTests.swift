import Testing

@testable import BlekeepReadings

struct LayoutDecimalsTests {
    @Test func decimalsAreThoseOfTheLayout() {
        var decimals = LayoutDecimals()
        for _ in 1...2 {
            #expect(decimals.decimals(of: "temperature", in: BluetoothUUID(0x2A6E)) == 2)
            #expect(decimals.decimals(of: "battery_level", in: BluetoothUUID(0x2A19)) == nil)
            #expect(decimals.decimals(of: "other", in: BluetoothUUID(0x2A6E)) == nil)
            #expect(decimals.decimals(of: "temperature", in: BluetoothUUID(0xFFF1)) == nil)
            #expect(decimals.decimals(of: "temperature", in: nil) == nil)
        }
    }

    @Test func ownLayoutsComeFirst() throws {
        let uuid = BluetoothUUID(0x2A6E)
        let own = try #require(OwnLayout(characteristic: uuid, name: "Grill", notation: "temperature sint16 *1e-1 °C"))
        var decimals = LayoutDecimals(own: [own])
        #expect(decimals.decimals(of: "temperature", in: uuid) == 1)
    }

    @Test func aStoredReadingShowsItsDecimalsAgain() throws {
        var decimals = LayoutDecimals()
        let reading = Reading(
            time: 0, tick: 1, device: "greenhouse", address: try #require(BluetoothAddress("F0:00:00:00:00:01")),
            service: nil, characteristic: BluetoothUUID(0x2A6E), name: "Temperature",
            outcome: .value(Measurement(field: "temperature", value: .number(20.5), unit: "°C"), raw: []))
        guard case .value(let measurement, _) = decimals.complete(reading).outcome else { return }
        #expect(DisplayUnit.human(measurement) == ("20.50", "°C"))
    }

    @Test(arguments: [
        ([0x86, 0x01], 39.0, "39.0"), ([0x87, 0x01], 39.1, "39.1"), ([0xFF, 0xFF], -0.01, "-0.01"),
        ([0xFF, 0xFF], 65.535, "65.535"), ([0x00, 0x00, 0x1C, 0x42], 39.0, "39"), ([], 39.0, "39"),
    ])
    func aFormatOfTheDeviceShowsInTheBytes(raw: [UInt8], number: Double, text: String) throws {
        var decimals = LayoutDecimals()
        let reading = Reading(
            time: 0, tick: 1, device: "probe", address: try #require(BluetoothAddress("F0:00:00:00:00:04")),
            service: nil, characteristic: BluetoothUUID(0xFFF1), name: "Probe temperature",
            outcome: .value(Measurement(field: "value", value: .number(number), unit: "°C"), raw: raw))
        guard case .value(let measurement, _) = decimals.complete(reading).outcome else { return }
        #expect(DisplayUnit.human(measurement).value == text)
    }
}
